"""What holds for every chart, of whichever method: each rule takes the specification of one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from understudy.charts.palette import LETTERS

Spec = dict[str, Any]
EITHER_END = re.compile(r'"(black|white|#000|#fff|#000000|#ffffff)"', re.IGNORECASE)


def no_colour_belongs_to_one_theme_only(spec: Spec) -> None:
    assert not EITHER_END.search(json.dumps(spec))


def the_page_shows_through(spec: Spec) -> None:
    assert spec["background"] == "transparent"


def no_axis_is_left_with_the_name_of_a_field(spec: Spec) -> None:
    for layer in spec.get("layer", []):
        for channel in ("x", "y"):
            axis = layer["encoding"].get(channel, {})
            if axis.get("axis") is not None:
                assert "title" in axis
                assert axis["title"] is None or " " in axis["title"]


def no_series_is_told_by_its_colour_alone(spec: Spec) -> None:
    """A name that has a colour has a dash, a shape, a place or a shade that goes with it."""
    coloured = {
        each["color"]["field"]
        for each in _encodings(spec)
        if each.get("color", {}).get("type") == "nominal" and each["color"]["scale"]
    }
    others = ("shape", "strokeDash", "x", "y", "text", "detail")
    told = {
        channel["field"]
        for each in _encodings(spec)
        for name in others
        for channel in [each.get(name, {})]
        if "field" in channel
    }
    assert coloured <= told


def words_are_in_colours_that_follow_the_theme(spec: Spec) -> None:
    """Letters on the page; those on a coloured cell have the ink of that cell instead."""
    for part in _marks(spec):
        if part["mark"]["type"] == "text" and "color" not in part["encoding"]:
            assert part["mark"]["color"] == LETTERS


def _encodings(spec: Spec) -> Iterator[Spec]:
    """The encodings of every mark of a chart."""
    for part in (*spec.get("layer", []), *spec.get("hconcat", [])):
        yield from _encodings(part)
    if "encoding" in spec:
        yield spec["encoding"]


def _marks(spec: Spec) -> Iterator[Spec]:
    """Every mark of a chart with its encoding."""
    for part in (*spec.get("layer", []), *spec.get("hconcat", [])):
        yield from _marks(part)
    if "mark" in spec:
        yield spec


RULES: Final[tuple[Callable[[Spec], None], ...]] = (
    no_colour_belongs_to_one_theme_only,
    the_page_shows_through,
    no_axis_is_left_with_the_name_of_a_field,
    no_series_is_told_by_its_colour_alone,
    words_are_in_colours_that_follow_the_theme,
)
"""All of them."""
