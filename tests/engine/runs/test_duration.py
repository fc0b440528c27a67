from __future__ import annotations

import pytest

from engine.runs.duration import duration


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
