"""Numbers and explanations as a person reads them."""

from __future__ import annotations

import pytest

from understudy.privacy.budget import Budget
from understudy_dashboard import words


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1e-9, "1 in a billion"),
        (2e-9, "1 in 500 million"),
        (1e-6, "1 in a million"),
        (1e-3, "1 in 1,000"),
        (1e-20, "1 in 1.0e20"),
        (0, "never"),
    ],
)
def test_small_chances_are_said_as_one_in_so_many(value: float, said: str) -> None:
    assert words.one_in(value) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.12341, "0.1235"),
        (0.99994, "1"),
        (5911.2, "5,912"),
        (7_612_345.0, "7.62e6"),
        (float("inf"), "∞"),
        (float("nan"), "–"),
    ],
)
def test_epsilon_is_short_never_understated_and_never_called_none(value: float, said: str) -> None:
    assert words.epsilon(value) == said


def test_delta_has_no_leading_zero_in_its_exponent() -> None:
    assert words.delta(1e-9) == "1e-9"
    assert words.delta(0.05) == "0.05"
    assert words.delta(1.21e-9) == "1.3e-9"
    assert words.delta(0.0) == "0"


def test_text_from_a_file_is_not_read_as_markdown() -> None:
    assert words.escape("**a** [b](c) $d$ :red[e] :smile:") == (
        r"\*\*a\*\* \[b\](c) \$d\$ \:red\[e\] \:smile:"
    )
    assert words.escape("- one\ntwo") == r"\- one two"


def test_an_unbounded_budget_is_no_figure() -> None:
    assert words.format_budget(Budget.unbounded()) == "nothing promised"
    assert words.format_budget(Budget(1.5, 1e-9)) == "ε = 1.5, δ = 1e-9"


def test_counts_know_their_plural() -> None:
    assert words.count(1, "category", "categories") == "1 category"
    assert words.count(1200, "attempt") == "1,200 attempts"


def test_what_is_left_is_never_overstated() -> None:
    assert words.show_left(0.50009) == "0.5"


def test_a_range_of_omega_has_a_dash() -> None:
    assert words.ranged("ω = 6-11") == "ω = 6–11"
    assert words.ranged("well-being") == "well-being"


def test_a_number_stays_with_its_per_cent() -> None:
    assert words.percent(0.5) == f"50{words.FIXED}%"
    assert words.escape("Nearly 100 % of them") == f"Nearly 100{words.FIXED}% of them"


def test_a_name_from_a_file_shows_what_is_not_seen() -> None:
    assert words.escape("a\u202eb\x1b*") == "a\\\\u202eb\\\\x1b\\*"  # Markdown shows one
