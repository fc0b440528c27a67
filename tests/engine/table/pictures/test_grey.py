from __future__ import annotations

from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.table.declared_reading import usual
from understudy.table.pictures.declared import Pictures
from understudy.table.pictures.grey import GreySet, levels_of
from understudy.table.sources.reading import read_table


@given(st.integers(1, 3), st.integers(1, 255), st.integers(1, 255), st.integers(0, 2**32 - 1))
def test_a_level_is_the_mean_of_its_block_rounded_half_up(
    factor: int, levels: int, white: int, seed: int
) -> None:
    about = Pictures(height=2, width=3, reduced=factor, levels=levels, white=white)
    raw = np.random.default_rng(seed).integers(0, white + 1, (2, *about.in_file))
    found = levels_of(raw, about)
    for picture in range(2):
        for row in range(2):
            for column in range(3):
                block = raw[picture, row * factor :, column * factor :][:factor, :factor]
                mean = Fraction(int(block.sum()) * levels, white * factor**2)
                assert found[picture, row, column] == floor(mean + Fraction(1, 2))


@pytest.mark.parametrize("labels", [(), ("a,b", 'c"d')])
def test_rows_are_as_their_file_is_read(labels: tuple[str, ...], tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    about = Pictures(height=2, width=2, levels=3, labels=labels)
    grey = random.integers(0, 4, (9, 2, 2), dtype=np.uint8)
    found = GreySet(about, grey, random.integers(0, max(1, len(labels)), 9, dtype=np.uint8))
    found.save(tmp_path / "p.csv")
    read = read_table(tmp_path / "p.csv", usual("csv"))
    assert found.table().arrow.to_pydict() == read.arrow.to_pydict()
    assert found.table().reading == read.reading
