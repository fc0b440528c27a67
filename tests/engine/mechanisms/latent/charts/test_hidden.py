from __future__ import annotations

import numpy as np
import pytest

from understudy.mechanisms.latent.charts import counting


def test_columns_are_sorted_by_what_is_carried_and_those_alone_are_named() -> None:
    titles = ["a", "b", "c"]
    table = counting.carried_table(titles, np.array([0.2, 0.9, 0.01]))
    assert table["Column"].tolist() == ["b", "a", "c"]
    assert counting.carried_bars(titles, np.array([0.2, 0.9, 0.01])).to_dict()
    said = counting.carried_in_words(titles, np.array([0.2, 0.9, 0.01]))
    assert said.startswith("1 of 3 columns")
    assert ": c. " in said


@pytest.mark.parametrize("alone", [0, 7])
def test_of_many_columns_only_some_are_named(alone: int) -> None:
    titles = [f"c{place}" for place in range(9)]
    carried = np.where(np.arange(9) < alone, 0.0, 0.5)
    said = counting.carried_in_words(titles, carried)
    assert ("and others" in said) is (alone > 5)
    assert said.startswith("Every column") is (alone == 0)
