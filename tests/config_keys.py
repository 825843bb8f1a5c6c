"""The keys of a config: those of every config, written out here, with those of questions where they follow."""

from collections.abc import Iterable

from reporting.app.config.question_keys import KEYS

TOP = (
    *(
        "title",
        "trials",
        "baseline",
        "models",
        "profile",
        "primary",
        "criteria",
        "measures",
        "operating_points",
    ),
    *(
        "thresholds",
        "curves",
        "epc",
        "significance",
        "by",
        "across",
        "averaged_over",
        "report",
        "run",
        "ignore",
    ),
)
REPORT = ("formats", "templates", "sections", "paper", "interactive", "vocabulary")


def keys_of(own: Iterable[str], section: str = "") -> list[str]:
    """Return the keys of a section, each key of a question behind the one that it follows."""
    order = list(own)
    for key in KEYS:
        if key.section == section:
            order.insert(order.index(key.after) + 1 if key.after in order else len(order), key.field)
    return order


def resolved_of_questions(section: str = "") -> dict[str, object]:
    """Return the keys of questions that a resolved config has where none is given."""
    kept = (key for key in KEYS if key.section == section and not (key.only_given and key.default is None))
    return {key.field: list(key.default) if isinstance(key.default, tuple) else key.default for key in kept}
