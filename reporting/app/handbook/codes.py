"""The pages of codes for a terminal: one in full, or all of them, a line each."""

from __future__ import annotations

import textwrap

from reporting.document.words.codes import CI_METHODS, CORRECTIONS, P_METHODS
from reporting.features.codes import codes, find_code

KIND_TITLES = {
    "status": "Statuses: why a number is undefined",
    "flag": "Flags: what must be known of a number",
    "caution": "Cautions about the report",
    "gate": "Gates",
    "config error": "Errors of the config",
    "data error": "Errors of the trials",
    "output error": "Errors of the output",
    "program error": "Ends of the program",
}


def list_of_codes(width: int = 100) -> str:
    """Return all codes by topic, one line per code."""
    lines = []
    for kind, title in KIND_TITLES.items():
        lines += ["", title, ""]
        for code in codes().values():
            if code.kind == kind:
                summary = textwrap.shorten(f"{code.title}: {code.name}", width - 9, placeholder=" …")
                lines.append(f"  {code.key}  {summary}")
    return "\n".join(
        [*lines[1:], "", "`reporting explain CODE` describes one of them; names are accepted too."]
    )


METHODS = {
    "how an interval was made (ci_method)": CI_METHODS,
    "how a p-value was made (p_method)": P_METHODS,
    "how p-values were adjusted (correction)": CORRECTIONS,
}
"""Words of frames that are no codes, by their meaning."""


def page_of_code(text: str, width: int = 100) -> str:
    """Return a code, by number or name, in full, or what a method is; ConfigError with the nearest guess."""
    word = text.strip().lower()
    named = {
        what: method.name
        for what, methods in METHODS.items()
        for key, method in methods.items()
        if word in (key, method.name.lower())
    }
    if named:
        return "\n".join([f"{word}:", *(f"  {what}: {name}" for what, name in named.items())])
    code = find_code(text)
    ignored = f'ignore: {{{code.key}: "your reason"}}' if code.can_be_ignored else "cannot be ignored"
    facts = {
        "kind": f"{code.kind} {code.name}",
        "means": code.meaning,
        "detected": code.detected,
        "matters": code.matters,
        "to do": code.remedy,
        "to fold it away": ignored,
    }
    lines = [f"{code.key}: {code.title}"]
    for label, fact in facts.items():
        lines += textwrap.wrap(f"{label}: {fact}", width, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines)
