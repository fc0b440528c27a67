from __future__ import annotations

import io

import numpy as np
from PIL import Image

from understudy.charts.picture_sheet import sheet
from understudy.core.files import INTERNAL
from understudy.table.pictures.declared import Pictures
from understudy.table.pictures.grey import GreySet


def some(level: int) -> GreySet:
    about = Pictures(height=2, width=2, levels=4)
    return GreySet(about, np.full((3, 2, 2), level, np.uint8), np.zeros(3, np.uint8))


def drawn(pictures: GreySet, *, internal: bool) -> Image.Image:
    return Image.open(io.BytesIO(sheet(pictures, 2, internal=internal)))


def test_the_scale_of_a_sheet_is_declared_and_not_what_occurs() -> None:
    assert {drawn(some(each), internal=False).getpixel((10, 10)) for each in (0, 2, 4)} == {
        0,
        127,
        255,
    }


def test_a_sheet_that_may_show_real_pictures_says_so() -> None:
    real, made = drawn(some(1), internal=True), drawn(some(1), internal=False)
    assert real.info["Comment"] == INTERNAL
    assert "Comment" not in made.info
    assert real.size[0] > made.size[0]
