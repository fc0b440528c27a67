from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.table.pictures.declared import Pictures
from engine.table.pictures.grey import levels_of


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
