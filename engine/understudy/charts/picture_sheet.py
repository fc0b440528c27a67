"""Many small grey pictures on one sheet.

A sheet is made without any scale that follows the pictures: black is level 0 and white the declared
last level, whatever occurs.
"""

from __future__ import annotations

import io
from typing import Final

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from understudy.core.arrays import ByteArray
from understudy.core.files import INTERNAL
from understudy.table.pictures.grey import GreySet

MOST: Final = 400
"""The most pictures of a sheet."""

_SIDE = 64
_GAP = 4
_GROUND = 128


def sheet(pictures: GreySet, across: int, *, internal: bool = True) -> bytes:
    """Return a PNG of the first pictures of a set, `MOST` of them at most, row by row.

    Args:
        pictures: what is drawn.
        across: how many stand beside each other, at least 1.
        internal: whether they are, or may be, real ones. The sheet then has a hatched edge and says
            so within the file.
    """
    about, grey = pictures.about, pictures.grey[:MOST]
    times = max(1, _SIDE // max(about.height, about.width))
    drawn = (grey.astype(np.int64) * 255 // about.levels).repeat(times, 1).repeat(times, 2)
    high, wide = drawn.shape[1] + _GAP, drawn.shape[2] + _GAP
    down = max(1, -(-len(drawn) // across))
    page = np.full((down * high + _GAP, across * wide + _GAP), _GROUND, dtype=np.uint8)
    for number, each in enumerate(drawn):
        top, left = (at * side + _GAP for at, side in zip(divmod(number, across), (high, wide),
                                                          strict=True))  # fmt: skip
        page[top : top + each.shape[0], left : left + each.shape[1]] = each
    said = PngInfo()
    if internal:
        page = _hatch_page(page)
        said.add_text("Comment", INTERNAL)
    out = io.BytesIO()
    Image.fromarray(page).save(out, "PNG", pnginfo=said)
    return out.getvalue()


def _hatch_page(page: ByteArray) -> ByteArray:
    """Return the page within a hatched edge."""
    edge = 3 * _GAP
    framed = np.pad(page, edge)
    rows, columns = np.indices(framed.shape)
    inside = np.zeros(framed.shape, dtype=bool)
    inside[edge:-edge, edge:-edge] = True
    hatch = np.where((rows + columns) // _GAP % 2, 255, 0)
    return np.where(inside, framed, hatch).astype(np.uint8)
