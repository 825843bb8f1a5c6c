"""What is planted, what is left out, and that tests which look closely kill it."""

from __future__ import annotations

import ast

import pytest

from tests.research.mutation.mutants import planted, sites

RATE = '''
"""A docstring with 1."""
LEAST = 2

def rate(k: int, n: int = 1) -> float | None:
    """Return k / n."""
    if n < LEAST and not k:
        raise ValueError("no 3 trials")
    return min(k / n, 1.0)

def __repr__(self):
    return "4"
'''


def changes(source: str) -> list[str]:
    return [mutant.change for site in sites(source) if (mutant := planted(source, site))]


def test_every_change_of_a_small_module_in_the_order_of_its_text():
    test = "if n < LEAST and (not k): raise ValueError('no 3 trials')"
    assert changes(RATE) == [
        "2 → 3",
        "1 → 2",
        f"{test} → {test.replace('n < LEAST and (not k)', 'not (n < LEAST and (not k))')}",
        "n < LEAST and (not k) → n < LEAST or not k",
        "n < LEAST → n <= LEAST",
        "not k → k",
        "min → max",
        "k / n → k * n",
        "1.0 → 2.0",
    ]


@pytest.mark.parametrize(
    ("plain", "changed"),
    [
        ("x += 1", ["x += 1 → pass", "x += 1 → x -= 1", "1 → 2"]),
        ("f(x)", ["f(x) → pass"]),
        ("y = f(x, axis=0)", ["f(x, axis=0) → f(x)", "0 → 1"]),
        ("y = zip(a, b, strict=True)", []),
        ("y = [a for a in b if a]", ["for a in b if a → for a in b"]),
        ("y = a if b else -c", ["a if b else -c → a if not b else -c", "-c → c"]),
        ("y = x // 2 ** 3", ["x // 2 ** 3 → x / 2 ** 3", "2 ** 3 → 2 * 3", "2 → 3", "3 → 4"]),
        ("y = np.argmin(x == 'a')", ["np.argmin → np.argmax", "x == 'a' → x != 'a'", "'a' → 'a?'"]),
        ("assert x == 1", []),
        ("@dataclass(frozen=True)\nclass A:\n    n: int = 0", ["0 → 1"]),
    ],
)
def test_changes(plain, changed):
    assert changes(plain) == changed


def test_a_mutant_is_a_whole_module_and_knows_its_lines():
    of_return = next(
        planted(RATE, site) for site in sites(RATE) if planted(RATE, site).change == "k / n → k * n"
    )
    assert (of_return.first, of_return.last, of_return.in_function) == (9, 9, True)
    names = {}
    exec(compile(ast.parse(of_return.source), "mutant", "exec"), names)
    assert names["rate"](1, 4) == 1.0
    assert not next(planted(RATE, site) for site in sites(RATE)).in_function
