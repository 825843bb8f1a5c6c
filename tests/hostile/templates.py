"""Folders of templates, sections and styles of a user's own, by the grammar of Jinja and of their files."""

from __future__ import annotations

import json
import random
from pathlib import Path

from reporting.base.resources import folder as packaged
from tests.hostile.configs import TEXTS

NAMES = ("title", "verdict", "data_line", "signature", "seed", "as_of", "version", "models", "rows", "name", "row", "report",
         "section", "block", "table", "figure", "cell", "self", "loop", "cycler", "namespace", "dict", "joiner", "nothing")  # fmt: skip
CALLS = ("rows('trials')", "rows('metrics', split='test')", "rows('metrics', model=1)", "rows('none')", "rows(rows)", "name('a')",
         "name(1)", "range(9)", "range(10**9)", "interval(1, 2)", "dict(a=1)", "cycler(1, 2).next()", "namespace(x=1).x", "super()",
         "caller()", "lipsum()", "self.body()", "title.format(1)", "title.upper()", "title.ljust(10**9)")  # fmt: skip
ESCAPES = ("''.__class__.__mro__[1].__subclasses__()", "title.__init__.__globals__", "rows.__globals__['os']", "self._TemplateReference__context",
           "name.__code__", "models.__class__", "[].append(1)", "models.append('x')", "cycler.__init__.__globals__.os.popen('id')",
           "title|attr('__class__')", "title['__class__']", "config", "request", "_", "get_flashed_messages")  # fmt: skip
HEAVY = ("'x' * 10**9", "2 ** 10**9", "[1] * 10**9", "range(10**8)|sum", "range(10**8)|list|length", "'%0999999999d' % 1", "10**5000",
         "('x' * 9999) * 9999", "'x'|center(10**9)", "'a'|replace('', 'a' * 9999)", "range(9999)|join('x' * 9999)", "(title * 99)|wordwrap(1)",
         "range(99999)|sort|unique|list", "'a'|indent(10**8)", "[[1] * 9999] * 9999", "9999999 // 0", "1 / 0", "'9' * 5000|int")  # fmt: skip
FILTERS = ("length", "upper", "percent(1)", "fixed(-5)", "fixed(10**6)", "significant(0)", "count", "p_value", "tojson", "e", "safe", "first",
           "list", "map('upper')", "select('odd')", "batch(0)", "slice(0)", "groupby('x')", "join(', ')", "int", "float", "dictsort", "xmlattr",
           "urlize", "pprint", "random", "sum", "none", "default('x')", "truncate(-1)", "round", "format(1)", "string|length")  # fmt: skip
CSS = ("body {color: red}", "@import url(https://x.example/a.css);", "</style><script>alert(1)</script>", "a{background:url(https://x.example)}",
       "a::before{content:'\\3c script'}", "{{ title }}", "<!--", "}" * 99, "@font-face{src:url(//x.example)}", "\\75rl(x)", "*{" * 999)  # fmt: skip
TEX = (
    r"\usepackage{xcolor}",
    "{{ title }}",
    "\\end{document}",
    "%",
    "\\def\\x{\\x}\\x",
)


def write_templates(rng: random.Random, folder: Path) -> None:
    """Write a folder of templates: some that are right, some that are slips, some that mean harm."""
    folder.mkdir()
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        path, text = _file(rng)
        path = folder / path
        if not path.exists() and not any(each.is_file() for each in path.parents):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_damaged(text, rng), encoding="utf-8", errors="surrogatepass")


def _file(rng: random.Random) -> tuple[str, str]:
    """Return the path of a file within the folder, and its text."""
    kind = rng.random()
    if kind < 0.6:
        return (
            f"sections/{rng.choice(('notes', 'notes', 'a-b', 'summary', 'A', '-x', 'ä', 'a.b'))}.yaml",
            _section(rng),
        )
    if kind < 0.7:
        return "html/house.css", rng.choice((*CSS, *TEXTS))
    if kind < 0.78:
        return "latex/house.tex.j2", "\n".join(
            rng.choice((*TEX, _jinja(rng))) for _ in range(rng.randint(1, 3))
        )
    if kind < 0.95:
        ours = rng.choice(sorted(packaged("templates").glob("*/*.j2")))
        text = rng.choice((ours.read_text(), _jinja(rng), f"{ours.read_text()}{_jinja(rng)}"))
        return f"{ours.parent.name}/{ours.name}", text
    return rng.choice(
        ("html/_part.html.j2", "README.md", "html/page.js", "x", "sections/x/y.yaml", "html")
    ), _jinja(rng)


def _section(rng: random.Random) -> str:
    blocks = [_block(rng) for _ in range(rng.randint(1, 3))]
    section = {"title": rng.choice(("Notes", _jinja(rng), *TEXTS)), "blocks": blocks}
    if rng.random() < 0.1:
        section[rng.choice(("title", "blocks", "x"))] = rng.choice((None, 1, [], {}, "x"))  # type: ignore[assignment]
    return json.dumps(section, ensure_ascii=False)


def _block(rng: random.Random) -> dict[str, object]:
    if rng.random() < 0.6:
        return {rng.choice(("prose", "prose", "caution", "text")): _jinja(rng)}
    column = {"title": rng.choice(("x", _jinja(rng))), "text": f"{{{{ {_expression(rng, 1)} }}}}"}
    column |= rng.choice(
        ({}, {"order": "{{ row.value }}"}, {"unit": "%"}, {"kind": "number"}, {"sense": "up"})
    )
    table = {
        "caption": _jinja(rng),
        "frame": rng.choice(("metrics", "trials", "roc", "none")),
        "columns": [column] * rng.randint(1, 2),
    }
    table |= rng.choice(
        ({}, {"where": {"split": "test"}}, {"where": {"split": rng.choice(TEXTS)}}, {"notes": [_jinja(rng)]})
    )
    return {"table": table}


def _jinja(rng: random.Random) -> str:
    """Return a text with statements and expressions in it."""
    return "".join(_statement(rng, 2) for _ in range(rng.randint(1, 3)))


def _statement(rng: random.Random, depth: int) -> str:
    inner = _statement(rng, depth - 1) if depth else "x"
    expression = _expression(rng, depth)
    return rng.choice(
        (
            f"{{{{ {expression} }}}}",
            f"{{{{ {expression} }}}}",
            f"text {inner}",
            f"{{% for x in {expression} %}}{inner}{{% endfor %}}",
            f"{{% for x in range(9999) %}}{inner}{{% endfor %}}",
            f"{{% if {expression} %}}{inner}{{% else %}}y{{% endif %}}",
            f"{{% set x = {expression} %}}{inner}{{{{ x }}}}",
            f"{{% macro m(a) %}}{inner}{{{{ m(a) }}}}{{% endmacro %}}{{{{ m(1) }}}}",
            "{% include 'report.html.j2' %}",
            f"{{% include {rng.choice(('title', repr('../../x'), repr('/etc/passwd')))} %}}",
            "{% extends 'section.html.j2' %}",
            "{% import 'house.tex.j2' as h %}{{ h }}",
            f"{{% autoescape false %}}{inner}{{% endautoescape %}}",
            "{% raw %}{{ x }}{% endraw %}",
            f"{{% block b %}}{inner}{{{{ self.b() }}}}{{% endblock %}}",
            "{% do x %}",
            rng.choice(TEXTS),
            "{{ " + "(" * rng.choice((5, 90, 3000)) + "1",
            "{{ " + "-" * rng.choice((50, 3000)) + "1 }}",
            "{% if 1 %}" * rng.choice((5, 30)),
        )
    )


def _expression(rng: random.Random, depth: int) -> str:
    word = rng.choice(
        (
            rng.choice(NAMES),
            rng.choice(CALLS),
            rng.choice(ESCAPES),
            rng.choice(HEAVY),
            "1",
            "row.value",
            "row.model",
        )
    )
    if depth and rng.random() < 0.4:
        word = f"{word} | {rng.choice(FILTERS)}"
    if depth and rng.random() < 0.15:
        word = f"({word}) {rng.choice(('+', '*', '~', 'in', '==', '%', '//', 'is'))} {_expression(rng, depth - 1)}"
    return word


def _damaged(text: str, rng: random.Random) -> str:
    if rng.random() > 0.08:
        return text
    at = rng.randrange(len(text) + 1)
    return rng.choice(
        (
            text[:at],
            text[:at] + rng.choice(("\0", "\x1b", "{%", "{{", "#}", "\ud800")) + text[at:],
            "",
            "x" * 1_100_000,
        )
    )
