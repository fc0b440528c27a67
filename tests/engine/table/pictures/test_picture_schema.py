from __future__ import annotations

from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.table.declared_reading import usual
from understudy.table.pictures.grey import GreySet, grey_levels
from understudy.table.pictures.picture_schema import Pictures, pictures_of
from understudy.table.sources.reading import read_table

labels = st.sampled_from([(), ("a", "b"), ("0",)])


@given(st.integers(2, 5), st.integers(1, 12), st.integers(1, 255), labels)
def test_a_schema_says_what_its_pictures_are(
    height: int, width: int, levels: int, names: tuple[str, ...]
) -> None:
    about = Pictures(height=height, width=width, levels=levels, labels=names)
    assert pictures_of(about.make_schema()) == about


def test_a_schema_of_something_else_is_no_pictures() -> None:
    with pytest.raises(Refusal, match="not one of pictures"):
        pictures_of(category_schema(2, 3))


def test_more_pixels_than_columns_are_refused_and_a_label_is_a_column_too() -> None:
    assert Pictures(height=15, width=17).make_schema()
    with pytest.raises(Refusal, match="at most 254 columns"):
        Pictures(height=15, width=17, labels=("a",))
    with pytest.raises(Refusal, match="at most 255 columns"):
        Pictures(height=16, width=16)


@given(st.integers(1, 3), st.integers(1, 255), st.integers(1, 255), st.integers(0, 2**32 - 1))
def test_a_level_is_the_mean_of_its_block_rounded_half_up(
    factor: int, levels: int, white: int, seed: int
) -> None:
    about = Pictures(height=2, width=3, reduced=factor, levels=levels, white=white)
    raw = np.random.default_rng(seed).integers(0, white + 1, (2, *about.in_file))
    found = grey_levels(raw, about)
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
