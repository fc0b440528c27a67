from __future__ import annotations

from dataclasses import dataclass

import pytest

from understudy.assurance.real_runs import patch_source


def doubled(number: int) -> int:
    """Twice as much."""
    return 2 * number


@dataclass(frozen=True)
class Counter:
    start: int

    @property
    def after(self) -> int:
        return self.start + 1

    @classmethod
    def of(cls, number: int) -> Counter:
        return cls(number * 3)

    def shifted(self, by: int = 1) -> int:
        each = [self.start + by for _ in range(2)]
        return sum(each)


def test_a_function_runs_broken_for_a_while_and_then_as_it_was() -> None:
    held = doubled
    with patch_source(doubled, "2 * number", "3 * number"):
        assert (doubled(5), held(5)) == (15, 15)
    assert (doubled(5), held(5)) == (10, 10)


def test_a_function_is_as_it_was_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), patch_source(doubled, "2 * number", "1 // 0"):
        doubled(1)
    assert doubled(5) == 10


def test_methods_are_broken_too() -> None:
    with patch_source(Counter.shifted, "self.start + by", "self.start - by"):
        assert Counter(5).shifted() == 8
    with patch_source(Counter.of, "number * 3", "number"):
        assert Counter.of(4) == Counter(4)
    assert Counter(5).shifted() == 12
    assert Counter.of(4) == Counter(12)


@pytest.mark.parametrize("piece", ["three", "number"])
def test_a_piece_that_is_not_there_once_is_said_to_be_missing(piece: str) -> None:
    with pytest.raises(ValueError, match="times in doubled"), patch_source(doubled, piece, "0"):
        pass
