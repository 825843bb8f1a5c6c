"""How many examples Hypothesis draws: more where the profile says so."""

from hypothesis import settings


def few(number: int) -> settings:
    """The settings of a test whose examples take long: so many in `make test`, in proportion in other profiles."""
    return settings(max_examples=number * settings.default.max_examples // 50)
