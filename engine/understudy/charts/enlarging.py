"""Enlarging a chart for presentations."""

from __future__ import annotations

import textwrap
from typing import Any, Final

import altair as alt

_LENGTHS: Final = frozenset(
    {
        "fontSize", "labelFontSize", "titleFontSize", "subtitleFontSize", "labelLimit", "limit",
        "height", "strokeWidth", "symbolStrokeWidth", "dx", "dy", "offset", "labelPadding",
        "titlePadding", "subtitlePadding", "rowPadding", "columnPadding",
    }
)  # fmt: skip
_AREAS: Final = frozenset({"size", "symbolSize"})

# What a chart says nothing of, it takes from the page, whose letters are small.
_LETTERS: Final = 12.0

_ABREAST: Final = 92
"""So many letters stand side by side above a chart on a slide."""


def enlarged(chart: alt.LayerChart, by: float) -> alt.TopLevelLayerSpec:
    """Return the same chart with letters, lines, marks and height larger by a factor.

    Args:
        chart: as it stands on a page, as wide as its place.
        by: the factor, above 0.
    """
    spec = _scaled(chart.to_dict(validate=False), by)
    letters = {"labelFontSize": _LETTERS * by, "titleFontSize": _LETTERS * by}
    if isinstance(spec.get("title"), dict):
        spec["title"] = {name: _wrapped(value) for name, value in spec["title"].items()}
    config = spec.setdefault("config", {})
    for part in ("axis", "legend"):
        config[part] = {**letters, **config.get(part, {})}
    # As it stands: to make objects of all its parts takes longer than all else here.
    return alt.TopLevelLayerSpec(**spec)


def _wrapped(lines: Any) -> Any:
    """Words above a chart, in lines that its width holds."""
    if not isinstance(lines, list):
        return lines
    return [part for line in lines for part in textwrap.wrap(line, _ABREAST)]


def _scaled(part: Any, by: float) -> Any:
    if isinstance(part, dict):
        return {name: _entry(name, value, by) for name, value in part.items()}
    return [_scaled(each, by) for each in part] if isinstance(part, list) else part


def _entry(name: str, value: Any, by: float) -> Any:
    if name in ("datasets", "data"):
        return value
    if name == "size" and isinstance(value, dict) and "scale" in value:
        return {**value, "scale": _areas(value["scale"], by)}
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and name in _LENGTHS:
        return value * by
    if number and name in _AREAS:
        return value * by**2
    return _scaled(value, by)


def _areas(scale: dict[str, Any] | None, by: float) -> dict[str, Any]:
    """Return a scale of areas; without one, they stand in the data as they are."""
    if scale is None:
        return {"domain": [0, 1], "range": [0, by**2], "clamp": False, "zero": True}
    return {**scale, "range": [end * by**2 for end in scale.get("range", [])]}
