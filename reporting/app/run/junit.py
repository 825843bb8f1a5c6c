"""Verdicts of gates for machines that watch: JUnit's XML, a summary in Markdown, plain lines."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from reporting.base.legible import counted, legible
from reporting.document.runs import GateResult
from reporting.render.markdown import inline

SIGNS = {"pass": "✓", "fail": "✗", "undecided": "?"}


def gate_files(verdicts: Sequence[GateResult]) -> dict[str, bytes]:
    """Return ``gates.xml`` and ``gates.md``; nothing without gates."""
    return {"gates.xml": junit_xml(verdicts), "gates.md": gates_markdown(verdicts)} if verdicts else {}


def junit_xml(verdicts: Sequence[GateResult]) -> bytes:
    """Return one test case a gate; an undecided one is a failure, or skipped where it counts as passed.

    Names and sentences may be hostile: characters that XML 1.0 does not have are made visible.
    """
    failures = sum(verdict.counts_as == "fail" for verdict in verdicts)
    skipped = sum(_is_skipped(verdict) for verdict in verdicts)
    counts = f'tests="{len(verdicts)}" failures="{failures}" errors="0" skipped="{skipped}"'
    cases = "".join(f"    {_case(verdict)}\n" for verdict in verdicts)
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites {counts}>\n  <testsuite name="gates" {counts}>\n{cases}  </testsuite>\n</testsuites>\n'
    )
    return text.encode()


def _case(verdict: GateResult) -> str:
    sentence = legible(verdict.sentence)
    head = f'<testcase name={_attribute(f"{verdict.gate}: {verdict.place}")} classname="gates"'
    if verdict.counts_as == "fail":
        kind = _attribute(verdict.outcome)
        result = f"<failure type={kind} message={_attribute(sentence)}>{escape(sentence)}</failure>"
    elif _is_skipped(verdict):
        result = f"<skipped message={_attribute(sentence)}/>"
    else:
        result = f"<system-out>{escape(sentence)}</system-out>"
    return f"{head}>{result}</testcase>"


def _is_skipped(verdict: GateResult) -> bool:
    return verdict.outcome == "undecided" and verdict.counts_as == "pass"


def _attribute(text: str) -> str:
    return quoteattr(legible(text))


def gates_markdown(verdicts: Sequence[GateResult]) -> bytes:
    """Return a summary for a pull request, or for the page of a CI run."""
    failed = sum(verdict.counts_as == "fail" for verdict in verdicts)
    head = f"{counted(len(verdicts), 'gate')}, {failed or 'none'} failed"
    rows = []
    for each in verdicts:
        mark = "**" * (each.counts_as == "fail")
        words = map(_in_cell, (each.gate, each.place, each.sentence))
        rows.append(f"| {mark}{SIGNS[each.outcome]} {each.outcome}{mark} | {' | '.join(words)} |")
    lines = [f"### Gates: {head}", "", "| Verdict | Gate | Model | Why |", "| :- | :- | :- | :- |", *rows]
    return ("\n".join(lines) + "\n").encode()


def _in_cell(text: str) -> str:
    return inline(legible(text)).replace("|", r"\|")
