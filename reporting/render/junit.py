"""Verdicts of gates for machines that watch: JUnit's XML, a summary in Markdown, plain lines."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from reporting.errors import one_line
from reporting.gates.gate import Told
from reporting.render.legible import legible
from reporting.render.markdown import inline

SIGNS = {"pass": "✓", "fail": "✗", "undecided": "?"}


def gate_files(told: Sequence[Told]) -> dict[str, bytes]:
    """Return ``gates.xml`` and ``gates.md``; nothing without gates."""
    return {"gates.xml": junit_xml(told), "gates.md": gates_markdown(told)} if told else {}


def junit_xml(told: Sequence[Told]) -> bytes:
    """Return one test case a gate; an undecided one is a failure, or skipped where it counts as passed.

    Names and sentences may be hostile: characters that XML 1.0 does not have are made visible.
    """
    failures = sum(each.counts_as == "fail" for each in told)
    skipped = sum(_is_skipped(each) for each in told)
    counts = f'tests="{len(told)}" failures="{failures}" errors="0" skipped="{skipped}"'
    cases = "".join(f"    {_case(each)}\n" for each in told)
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites {counts}>\n  <testsuite name="gates" {counts}>\n{cases}  </testsuite>\n</testsuites>\n'
    )
    return text.encode()


def _case(each: Told) -> str:
    sentence = legible(each.sentence)
    head = f'<testcase name={_attribute(f"{each.gate}: {each.place}")} classname="gates"'
    if each.counts_as == "fail":
        kind = _attribute(each.outcome)
        said = f"<failure type={kind} message={_attribute(sentence)}>{escape(sentence)}</failure>"
    elif _is_skipped(each):
        said = f"<skipped message={_attribute(sentence)}/>"
    else:
        said = f"<system-out>{escape(sentence)}</system-out>"
    return f"{head}>{said}</testcase>"


def _is_skipped(each: Told) -> bool:
    return each.outcome == "undecided" and each.counts_as == "pass"


def _attribute(text: str) -> str:
    return quoteattr(legible(text))


def gates_markdown(told: Sequence[Told]) -> bytes:
    """Return a summary for a pull request, or for the page of a CI run."""
    failed = sum(each.counts_as == "fail" for each in told)
    head = f"{len(told)} gate{'' if len(told) == 1 else 's'}, {failed or 'none'} failed"
    rows = [
        f"| {_verdict(each)} | {_in_cell(each.gate)} | {_in_cell(each.place)} | {_in_cell(each.sentence)} |"
        for each in told
    ]
    lines = [f"### Gates: {head}", "", "| Verdict | Gate | Model | Why |", "| :- | :- | :- | :- |", *rows]
    return ("\n".join(lines) + "\n").encode()


def _verdict(each: Told) -> str:
    said = f"{SIGNS[each.outcome]} {each.outcome}"
    return f"**{said}**" if each.counts_as == "fail" else said


def _in_cell(text: str) -> str:
    return inline(legible(text)).replace("|", r"\|")


def gate_lines(told: Sequence[Told]) -> list[str]:
    """Return a line for each gate; nothing in it acts on a terminal."""
    return [f"{SIGNS[each.outcome]} {one_line(each.gate)}: {one_line(each.sentence)}" for each in told]
