from __future__ import annotations

import pytest

from understudy.core.numerals import duration, roughly


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "0 s"),
        (59.6, "1 min 0 s"),
        (61, "1 min 1 s"),
        (3600, "1 h 0 min"),
        (9000, "2 h 30 min"),
    ],
)
def test_lengths_of_time(seconds: float, said: str) -> None:
    assert duration(seconds) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "5 s"), (7.4, "10 s"), (46, "1 min"), (61, "1 min 30 s"), (2_000, "45 min")],
)
def test_what_is_known_roughly_is_said_roughly(seconds: float, said: str) -> None:
    assert roughly(seconds) == said


def test_hours_are_rounded_up() -> None:
    assert roughly(3_601) == "2 h"
