from __future__ import annotations

import numpy as np
import pytest

from engine.charts.lettering import NOT_FOR_RELEASE
from engine.mechanisms.latent.charts import hidden


def test_squares_of_few_records_are_blank_and_those_far_out_are_at_the_edge() -> None:
    points = np.concatenate([np.full((40, 2), 0.1), np.full((19, 2), 1.1), np.full((30, 2), 9.0)])
    squares = hidden.density(points)
    shares = squares.set_index(["x", "y"])["Share of records"]
    assert shares.tolist() == [round(40 / 89, 4), round(30 / 89, 4)]
    assert squares["x2"].max() == 3.0
    drawn = hidden.density_map(squares, hidden.most_of(squares)).to_dict()
    assert drawn["title"]["text"] == NOT_FOR_RELEASE


def test_nothing_is_drawn_of_nobody() -> None:
    squares = hidden.density(np.zeros((0, 2)))
    assert squares.empty
    assert hidden.most_of(squares) == 0.0
    assert hidden.density_map(squares, 0.0).to_dict()


def test_columns_are_sorted_by_what_is_carried_and_those_alone_are_named() -> None:
    titles = ["a", "b", "c"]
    table = hidden.carried_table(titles, np.array([0.2, 0.9, 0.01]))
    assert table["Column"].tolist() == ["b", "a", "c"]
    assert hidden.carried_bars(titles, np.array([0.2, 0.9, 0.01])).to_dict()
    said = hidden.carried_in_words(titles, np.array([0.2, 0.9, 0.01]))
    assert said.startswith("1 of 3 columns")
    assert ": c. " in said


@pytest.mark.parametrize("alone", [0, 7])
def test_of_many_columns_only_some_are_named(alone: int) -> None:
    titles = [f"c{place}" for place in range(9)]
    carried = np.where(np.arange(9) < alone, 0.0, 0.5)
    said = hidden.carried_in_words(titles, carried)
    assert ("and others" in said) is (alone > 5)
    assert said.startswith("Every column") is (alone == 0)
