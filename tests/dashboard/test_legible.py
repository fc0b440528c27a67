"""Letters on slides are large enough to be read at half their size, without drawing one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.browser.legible import SMALLEST
from tests.dashboard.test_slides import told
from understudy.table.schema import Schema
from understudy_dashboard.slides import WALL_CSS, list_slides

_PIXELS = 16
"""Of one rem, as browsers have it."""


def letters(part: Any) -> Iterator[float]:
    """Every size of letters in a chart."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name.lower().endswith("fontsize") and isinstance(value, int | float):
                yield value
            elif name != "datasets":
                yield from letters(value)
    elif isinstance(part, list):
        for each in part:
            yield from letters(each)


def test_letters_of_slides_are_large_enough(schema: Schema) -> None:
    sizes = [
        float(each) * _PIXELS for each in re.findall(r"font-size: (?:clamp\()?([\d.]+)", WALL_CSS)
    ]
    drawn = [
        each.chart()[0] for each in list_slides(told(schema, public_records=9_000)) if each.chart
    ]
    assert len(drawn) == 3
    for chart in drawn:
        found = list(letters(chart.to_dict(validate=False)))
        assert {"labelFontSize", "titleFontSize"} <= chart.to_dict(validate=False)["config"][
            "axis"
        ].keys()
        sizes += found
    assert np.min(sizes) / 2 >= SMALLEST
