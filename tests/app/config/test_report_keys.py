"""``report.templates`` and ``report.sections``: what is read, and every fault with its place."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from snapshot import snapshot

from reporting.app.config.plan import Plan
from reporting.app.run.report import make_report
from reporting.base.resources import MOST_BYTES
from reporting.errors import ConfigError, OutputError
from reporting.features.sections import NAMES

BARE = "trials: {source: trials.parquet}\n"
NAMED = f"allowed: {', '.join(NAMES)}"
OWN = "title: Notes\nblocks: [{prose: Hello.}]\n"

Read = Callable[..., Plan]
Faults = Callable[..., list[str]]


def write(name: str, text: str | bytes = OWN) -> None:
    path = Path("house") / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def test_without_the_keys_every_section_is_there_and_no_template(read: Read) -> None:
    spec = read(BARE).report
    assert (spec.sections, spec.templates, spec.own) == (("rest",), None, ())


def test_a_folder_is_read_with_its_sections_and_digests(read: Read) -> None:
    write("sections/field-notes.yaml")
    write("html/house.css", b"\xef\xbb\xbfa { color: red }\r\n")
    write("README.md", "Ours.")
    write(".hidden/x.exe", "")
    plan = read(BARE + "report: {templates: house, sections: [summary, field-notes, rest]}\n")
    own = plan.report.templates
    assert own is not None
    assert plan.report.sections == ("summary", "field-notes", "rest")
    assert [section.name for section in plan.report.own] == ["field-notes"]
    assert own.texts["html/house.css"] == "a { color: red }\n"
    assert list(own.digests) == ["README.md", "html/house.css", "sections/field-notes.yaml"]
    assert own.digests["README.md"] == hashlib.sha256(b"Ours.").hexdigest()
    assert plan.resolved["report"]["templates"] == "house"
    assert plan.resolved["report"]["sections"] == ["summary", "field-notes", "rest"]


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("[summary, curve]", f"[1] (report.yaml:2:30): 'curve' is not a section; did you mean 'curves'? ({NAMED})"),
        ("[summary, summary]", " (report.yaml:2:20): 'summary' is given twice"),
        ("[curves, data]", " (report.yaml:2:20): 'summary' is missing, which holds the answer and its cautions;"
         " name it or 'rest'"),
        ("[]", " (report.yaml:2:20): expected at least one entry, found none"),
        ("summary", " (report.yaml:2:20): expected a list, found 'summary'"),
    ],
)  # fmt: skip
def test_sections_are_named_by_anchor(faults: Faults, said: str, fault: str) -> None:
    assert faults(BARE + f"report: {{sections: {said}}}\n") == [f"report.sections{fault}"]


def test_the_user_s_own_sections_are_among_the_guesses(faults: Faults) -> None:
    write("sections/field-notes.yaml")
    (fault,) = faults(BARE + "report: {templates: house, sections: [rest, fieldnotes]}\n")
    assert "; did you mean 'field-notes'?" in fault


def test_a_folder_that_is_not_there_is_one_fault(faults: Faults) -> None:
    write("sections/field-notes.yaml")
    snapshot(
        "config/report_keys_a_folder_that_is_not_there_is_one_fault",
        "\n".join(faults(BARE + "report: {templates: hause, sections: [rest, field-notes]}\n")),
    )


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("html/tabel.html.j2", "", "'html/tabel.html.j2' replaces none of our templates; did you mean 'html/table.html.j2'?"),
        ("table.html.j2", "", "'table.html.j2' replaces none of our templates; did you mean 'html/table.html.j2'?"),
        ("html/own.js", "", "scripts are not allowed in templates; the page runs only its own"),
        ("html/style.css", "", "'html/style.css' replaces none of our templates"),
        ("html/table.html.j2", b"a\n\xff", ":2: not UTF-8 text"),
        ("html/table.html.j2", "a\nb\x00", ":2: a control character"),
        ("html/table.html.j2", "x" * (MOST_BYTES + 1), f"more than {MOST_BYTES} bytes"),
        ("html/table.html.j2", "a\n{{ x", "table.html.j2:2: unexpected end of template"),
        ("html/table.html.j2", "{{ x | safe }}", "table.html.j2:1: No filter named 'safe'."),
        ("html/table.html.j2", "\n{% autoescape false %}{% endautoescape %}", "table.html.j2:2: autoescape is not yours to change"),
        ("html/table.html.j2", "\n\n<SCRIPT>1</script>", "table.html.j2:3: scripts are not allowed in templates"),
        ("html/table.html.j2", "<b\nonclick='x'>", "table.html.j2:1: the page's policy allows no attribute 'onclick'"),
        ("html/table.html.j2", "<b style='x'>", "the page's policy allows no attribute 'style'; give a class"),
        ("html/table.html.j2", "<img src='https://x.example/a.png'>", "the page takes nothing from outside"),
        ("html/report.html.j2", "<p>", "report.html.j2: the page's policy is missing"),
        ("html/house.css", "\n@import 'x';", "house.css:2: '@import' is not allowed"),
        ("html/house.css", "a{background:url(//x.example/a)}", "house.css:1: 'url(' is not allowed"),
        ("html/house.css", "</style><script>1</script>", "house.css:1: '</style' is not allowed"),
        ("latex/house.tex.j2", "<% for %>", "house.tex.j2:1: "),
        ("sections/a b.yaml", OWN, "a section is named by letters, digits and hyphens"),
        ("sections/summary.yaml", OWN, "there is a section 'summary' already"),
        ("sections/rest.yaml", OWN, "there is a section 'rest' already"),
        ("sections/a.yml", OWN, "'sections/a.yml' replaces none of our templates"),
        ("sections/a.yaml", "", "expected a mapping, found nothing"),
        ("sections/a.yaml", "title: a\n", "a.yaml:1:1: 'blocks' is missing"),
        ("sections/a.yaml", "title: a\ntitle: b\n", "a.yaml:2:1): given twice"),
        ("sections/a.yaml", "title: a\nblocks: []\n", "a.yaml:2:9: expected a list with entries, found an empty list"),
        ("sections/a.yaml", "title: a\nblocks: [{pros: x}]\n", "a.yaml:2:17: unknown key 'pros'; did you mean 'prose'?"),
        ("sections/a.yaml", "title: a\nblocks: [{prose: x, caution: y}]\n", "a.yaml:2:10: expected one of prose, caution, table"),
        ("sections/a.yaml", "title: a\nblocks:\n  - prose: '{{ x | round }}'\n", "a.yaml:3:12: No filter named 'round'."),
        ("sections/a.yaml", "title: a\nblocks:\n  - prose: '{{ x'\n", "a.yaml:3:12: unexpected end of template"),
        ("sections/a.yaml", "title: a\nblocks: [{table: {caption: c, frame: metrics}}]\n", "a.yaml:2:18: 'columns' is missing"),
        ("sections/a.yaml", "title: a\nblocks: [{table: {caption: c, frame: f, columns: [{title: a, text: b, kind: nr}]}}]\n",
         "'nr' is not allowed"),
    ],
)  # fmt: skip
def test_a_fault_in_the_folder_is_told_before_anything_is_computed(
    faults: Faults, name: str, text: str | bytes, said: str
) -> None:
    write(name, text)
    (fault,) = faults(BARE + "report: {templates: house}\n")
    assert fault.startswith("report.templates (report.yaml:2:21): ")
    assert str(Path("house") / name) in fault
    assert said in fault


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("../../trials.parquet", "the link leads out of the folder of templates"),
        ("/etc/hostname", "the link leads out of the folder of templates"),
        ("../..", "a link to a folder is not followed"),
        (".", "a link to a folder is not followed"),
        ("nowhere", "not a file"),
    ],
)
def test_links_out_of_the_folder_are_refused(faults: Faults, target: str, said: str) -> None:
    Path("house/html").mkdir(parents=True)
    Path("house/html/_part.html.j2").symlink_to(target)
    (fault,) = faults(BARE + "report: {templates: house}\n")
    assert fault.endswith(f"house/html/_part.html.j2: {said}")


def test_too_many_files_are_not_a_folder_of_templates(faults: Faults) -> None:
    for number in range(100):
        write(f"note {number}.md", "")
        write(f"html/_{number}.html.j2", "")
    (fault,) = faults(BARE + "report: {templates: house}\n")
    assert fault.endswith("more than 200 files; expected a folder of templates alone")


def test_a_template_may_be_ours_word_for_word(read: Read) -> None:
    """Every template of ours stands in a user's folder as it is: nothing in it is refused."""
    from reporting.base.resources import folder, templates_of

    for room in ("html", "latex"):
        for name in templates_of(room):
            write(f"{room}/{name}", (folder("templates") / room / name).read_bytes())
    assert read(BARE + "report: {templates: house}\n").report.templates is not None


LITTLE = """\
trials: {source: trials.csv}
measures: [hter]
criteria: [min_hter]
curves: []
epc: none
significance: {replicates: 99, bands: none}
report: {formats: [json, html], templates: house, sections: [summary, notes]}
"""


@pytest.fixture
def little(folder: Path) -> Path:
    rows = [
        f"{model},{split},{trial},{int(trial % 3 == 0)},{(trial * step) % 11}"
        for model, step in (("a", 3), ("b", 5))
        for split in ("dev", "test")
        for trial in range(40)
    ]
    (folder / "trials.csv").write_text("\n".join(["model,split,trial,label,score", *rows]))
    (folder / "report.yaml").write_text(LITTLE)
    return folder / "report.yaml"


def test_a_run_writes_the_sections_and_digests_and_a_fault_keeps_the_last_good_report(little: Path) -> None:
    write("sections/notes.yaml", "title: Notes\nblocks: [{prose: '{{ rows(\"trials\") | length }} rows.'}]\n")
    write("html/prose.html.j2", '<p class="mine">{{ prose.text }}</p>')
    made = make_report(little)
    assert '<p class="mine">4 rows.</p>' in (made / "report.html").read_text()
    said = json.loads((made / "report.json").read_text())
    assert [section["anchor"] for section in said["sections"]] == ["summary", "own-notes"]
    assert said["sections"][1]["blocks"][0]["text"] == "4 rows."
    assert json.loads((made / "manifest.json").read_text())["templates"] == {
        name: hashlib.sha256((Path("house") / name).read_bytes()).hexdigest()
        for name in ("html/prose.html.j2", "sections/notes.yaml")
    }
    before = {path: path.read_bytes() for path in made.rglob("*") if path.is_file()}
    write("sections/notes.yaml", "title: Notes\nblocks:\n  - prose: '{{ rows(\"fits\") }}'\n")
    with pytest.raises(ConfigError, match="house/sections/notes.yaml:3:12: this report has no frame 'fits'"):
        make_report(little)
    assert {path: path.read_bytes() for path in made.rglob("*") if path.is_file()} == before


def test_a_report_does_not_replace_its_templates(little: Path) -> None:
    write("sections/notes.yaml")
    with pytest.raises(OutputError, match="house holds house, and the report would replace it"):
        make_report(little, Path("house"))


def test_cautions_are_ignored_by_code_with_a_reason(read: Read) -> None:
    plan = read(BARE + 'ignore: {tr205: "a pilot", TR106: "on purpose"}\n')
    assert plan.report.ignored == plan.resolved["ignore"] == {"TR205": "a pilot", "TR106": "on purpose"}
    assert "ignore" not in read(BARE).resolved


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("TR2055: why", "'TR2055' is not a code; did you mean 'TR205'?"),
        ("below_rule_of_30: why", "'below_rule_of_30' is not a code; did you mean 'TR205'?"),
        ("TR401: why", "TR401 (gate failed) cannot be ignored; cautions, flags and statuses can"),
        ("TR504: why", "TR504 (value not allowed) cannot be ignored; cautions, flags and statuses can"),
        ('TR205: ""', "expected text, found ''"),
    ],
)
def test_what_cannot_be_ignored(faults: Faults, key: str, message: str) -> None:
    (line,) = faults(BARE + f"ignore: {{{key}}}\n")
    assert message in line
    assert line.startswith("ignore")
