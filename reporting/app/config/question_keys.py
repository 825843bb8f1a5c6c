"""Keys of the config that belong to one question, each added to the section that its question names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, Field, create_model

from reporting.base.extensions import attribute
from reporting.document.keys import ConfigSection, QuestionKey
from reporting.errors import ConfigError
from reporting.features.catalogue import FEATURES

Section = TypeVar("Section", bound=ConfigSection)

KEYS: tuple[QuestionKey[Any], ...] = tuple(
    key for feature in FEATURES.values() if feature.keys for key in attribute(feature.keys, "KEYS")
)


def with_question_keys(section: str = "") -> Callable[[type[Section]], type[Section]]:
    """Return what adds the keys of questions to a section of the config; empty: to its top."""
    added = {key.field: key for key in KEYS if key.section == section}

    def extended(base: type[Section]) -> type[Section]:
        order = list(base.model_fields)
        for name, key in added.items():
            if name in order:
                raise ConfigError(f"the key {key.name!r} of a question is a key of every config")
            order.insert(order.index(key.after) + 1 if key.after in order else len(order), name)
        # Pydantic takes the order of fields from the base that is furthest away.
        places = create_model("InOrder", __base__=ConfigSection, **dict.fromkeys(order, (Any, None)))  # type: ignore[call-overload]
        fields = {
            name: (
                Annotated[key.kind, AfterValidator(key.check)],
                Field(default=key.default, description=key.description),
            )
            for name, key in added.items()
        }
        model: type[Section] = create_model(  # type: ignore[call-overload]
            base.__name__, __base__=(base, places), __doc__=base.__doc__, __module__=base.__module__, **fields
        )
        return model

    return extended
