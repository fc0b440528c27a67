"""Scales, lettering and lines that charts share."""

from __future__ import annotations

import json
import math
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import numpy as np
import numpy.typing as npt
import pandas as pd

from understudy.charts.palette import LETTERS, QUIET, WARNING

# Labels on charts: shortened, and kept distinct.

NOT_FOR_RELEASE = "INTERNAL · not for release"
"""The mark of figures of internal numbers."""


def shorten(text: str, most: int) -> str:
    """Return the text in at most `most` characters, an ellipsis standing for what is cut."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: max(1, most - 1)].rstrip(" ,;:") + "…"


def shortened_apart(texts: Sequence[str], most: int) -> list[str]:
    """Return every text in about `most` characters, no two alike.

    Where cutting the ends makes twins, those lose their middle instead, as what tells them apart
    is often at the end; where that makes twins too, most of what they begin with in common.
    """
    cut = [shorten(text, most) for text in texts]
    middles = _tell_apart(texts, cut, lambda text: _without_middle(text, most))
    times = Counter(middles)
    alike = [text for text, short in zip(texts, middles, strict=True) if times[short] > 1]
    same = _same([" ".join(text.split()) for text in alike])
    return distinct(_tell_apart(texts, middles, lambda text: _from(text, same, most)))


def _tell_apart(texts: Sequence[str], cut: Sequence[str], mend: Callable[[str], str]) -> list[str]:
    """Return what was cut, the twins among it cut in another way."""
    times = Counter(cut)
    return [
        mend(text) if times[short] > 1 else short for text, short in zip(texts, cut, strict=True)
    ]


def _same(texts: Sequence[str]) -> int:
    """Return how many letters all of them begin with in common."""
    one, other = min(texts, default=""), max(texts, default="")
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _from(text: str, same: int, most: int) -> str:
    """Return how a text begins, and what follows on the letters that it has in common with
    others."""
    text = " ".join(text.split())
    head = most // 3
    if len(text) <= most or same <= head or len(text) <= same:
        return _without_middle(text, most)
    return f"{text[:head].rstrip()}…{shorten(text[same:].lstrip(), most - head - 1)}"


def _without_middle(text: str, most: int) -> str:
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return f"{text[: most - 1 - tail].rstrip()}…{text[-tail:].lstrip() if tail else ''}"


def distinct(texts: Iterable[str]) -> list[str]:
    """Return the same texts, each later twin with a number, as equal names would share one
    place."""
    seen: Counter[str] = Counter()
    taken: set[str] = set()
    named = []
    for text in texts:
        name = text
        while name in taken:
            seen[text] += 1
            name = f"{text} ({seen[text] + 1})"
        taken.add(name)
        named.append(name)
    return named


def two_lines(text: str, most: int) -> list[str]:
    """Return the text on one line or two, of at most `most` characters each."""
    lines = textwrap.wrap(text, most, break_long_words=False, break_on_hyphens=False) or [""]
    if len(lines) == 1 or len(lines[0]) > most:
        return [shorten(text, most)]
    return [lines[0], shorten(" ".join(lines[1:]), most)]


def ends_kept(text: str, most: int) -> list[str]:
    """Return the beginning and the end of a text, on two lines of at most `most` characters."""
    text = " ".join(text.split())
    if len(text) <= most:
        return [text]
    return [text[:most].rstrip(), "…" + text[max(most, len(text) - most + 1) :].lstrip()]


def attribute_pair(one: str, other: str) -> str:
    """Return a pair of attributes."""
    return f"{one} × {other}"


# Axes, legends and notes that the statistical charts share.

HEIGHT: Final = 360
COUNTS: Final = ",.15~g"
_MOST_TICKS = 8
_LETTERS_ACROSS = 60
"""Across the narrowest chart of a page, which stands beside a form on a small screen."""
_SYMBOL = 6
"""As many letters wide is a symbol with what is free beside it."""


def log_domain(values: npt.ArrayLike, room: float = 1.0) -> list[float]:
    """Return the ends of a logarithmic axis over the positive finite values.

    A single value gets half a decade on either side; `room` widens by that factor.
    """
    numbers = np.asarray(values, dtype=np.float64).ravel()
    numbers = numbers[np.isfinite(numbers) & (numbers > 0)]
    if not numbers.size:
        return [1.0, 10.0]
    low, high = float(numbers.min()), float(numbers.max())
    if high / low < 1.001:
        room = max(room, math.sqrt(10))
    return [low / room, high * room]


def log_ticks(domain: Sequence[float]) -> list[float]:
    """Return a few round numbers within the ends, evenly spread on a logarithmic axis."""
    low, high = (math.log10(end) for end in domain)
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    if last - first >= 2:
        step = math.ceil((last - first + 1) / _MOST_TICKS)
        return [10.0**power for power in range(first, last + 1, step)]
    fine = [
        digit * 10.0**power for power in range(math.floor(low), last + 1) for digit in (1, 2, 5)
    ]
    inside = [tick for tick in fine if domain[0] * 0.999 <= tick <= domain[1] * 1.001]
    return inside if len(inside) >= 2 else [float(f"{end:.2g}") for end in domain]


def log_x(field: str, title: str, domain: list[float], form: str = COUNTS) -> alt.X:
    """Return a logarithmic axis across."""
    return alt.X(f"{field}:Q", title=title, scale=_log(domain), axis=_ticks(domain, form))


def log_y(field: str, title: str, domain: list[float], form: str = COUNTS) -> alt.Y:
    """Return a logarithmic axis up."""
    return alt.Y(f"{field}:Q", title=title, scale=_log(domain), axis=_ticks(domain, form))


def key(names: Sequence[str], lines: bool = False) -> alt.Legend:
    """Return a legend above the chart, on as many rows as the names need."""
    wide = [min(len(name), 36) + _SYMBOL for name in names]
    columns = max(1, min(len(names), _LETTERS_ACROSS // max(wide, default=1)))
    if sum(wide) <= _LETTERS_ACROSS:
        columns = max(1, len(names))
    stroke = {"symbolType": "stroke", "symbolSize": 320} if lines else {"symbolSize": 90}
    return alt.Legend(
        title=None,
        orient="top",
        columns=columns,
        labelLimit=260,
        symbolStrokeWidth=3,
        offset=20,
        **stroke,
    )


def note(*sentences: str) -> alt.TitleParams:
    """Quiet words above a chart."""
    return alt.TitleParams(
        list(sentences),
        anchor="start",
        fontSize=12,
        fontWeight="normal",
        color=LETTERS,
        offset=6,
    )


def internal_note(*sentences: str) -> alt.TitleParams:
    """Return the mark of internal figures above a chart, and what else has to be said there."""
    return alt.TitleParams(
        NOT_FOR_RELEASE,
        subtitle=list(sentences) or alt.Undefined,
        anchor="start",
        fontSize=12,
        fontWeight="bold",
        color=WARNING,
        subtitleFontSize=12,
        subtitleColor=LETTERS,
        subtitlePadding=5,
        offset=6,
    )


def stack_layers(
    *layers: alt.Chart,
    title: alt.TitleParams,
    description: str,
    height: int = HEIGHT,
) -> alt.LayerChart:
    """Return layers on one pair of axes, whatever is behind them showing through."""
    chart = alt.LayerChart(
        layer=[_outline(each) for each in layers],
        height=height,
        background="transparent",
        title=title,
        description=description,
    )
    shared = chart.data is not alt.Undefined
    chart.layer = [
        combined if _lifts(each) else _bare(each, shared)
        for each, combined in zip(layers, chart.layer, strict=True)
    ]
    return chart


def _outline(layer: alt.Chart) -> alt.Chart:
    """Return what Altair looks at of a layer to put layers together. It copies each of them to the
    bottom four times over, which takes longer than to make them, and matters only where a layer has
    something that goes to the whole chart."""
    return layer if _lifts(layer) else alt.Chart(layer.data)


def _lifts(layer: alt.Chart) -> bool:
    """Return whether a layer has what belongs to the whole chart: a selection, or a size."""
    above = ("params", "height", "width", "view")
    return any(getattr(layer, name, alt.Undefined) is not alt.Undefined for name in above)


def _bare(layer: alt.Chart, shared: bool) -> alt.Chart:
    """Return a layer without its data, where that is the whole chart's."""
    if shared:
        layer = layer.copy(deep=False)
        layer.data = alt.Undefined
    return layer


def saying(sentence: str) -> alt.LayerChart:
    """Return a sentence in the place of a chart that has nothing to draw."""
    text = (
        alt.Chart(pd.DataFrame({"said": [sentence]}))
        .mark_text(fontSize=15, color=LETTERS, tooltip=None, limit=640)
        .encode(text=alt.Text("said:N"))
    )
    return stack_layers(text, title=note(""), description=sentence, height=120)


def _log(domain: list[float]) -> alt.Scale:
    return alt.Scale(type="log", domain=domain, nice=False)


def _ticks(domain: list[float], form: str) -> alt.Axis:
    return alt.Axis(values=log_ticks(domain), format=form, labelOverlap="greedy")


# Parts of line charts: named curves, a rule with a tooltip, and a mark for the present plan.
#
# Channels are named in full where they can be: of others, Altair takes milliseconds to find the
# kind.

_MOST_DOTTED = 12


@dataclass(frozen=True)
class CurveLook:
    """How a curve is told from the others."""

    colour: str
    dash: Sequence[int]


def curves(
    lines: pd.DataFrame | alt.NamedData, x: alt.X, y: alt.Y, looks: Mapping[str, CurveLook]
) -> alt.Chart:
    """Return a line for each name in the column `name`; dots on it where there are known to be
    few."""
    names = list(looks)
    legend = key(names, lines=True)
    dotted = isinstance(lines, pd.DataFrame) and len(lines) <= _MOST_DOTTED * len(names)
    drawn: alt.Chart = (
        alt.Chart(lines)
        .mark_line(strokeWidth=2.5, point={"size": 40} if dotted else False, tooltip=None)
        .encode(
            x=x,
            y=y,
            color=alt.Color(
                "name:N",
                scale=alt.Scale(domain=names, range=[look.colour for look in looks.values()]),
                legend=legend,
            ),
            strokeDash=alt.StrokeDash(
                "name:N",
                scale=alt.Scale(domain=names, range=[list(look.dash) for look in looks.values()]),
                legend=legend,
            ),
        )
    )
    return drawn


def hover_rule(
    reading: pd.DataFrame | alt.NamedData, field: str, x: alt.X, said: Sequence[alt.Tooltip]
) -> alt.Chart:
    """Return a rule that follows the pointer to the nearest value of `field` and reads out all
    curves.

    Args:
        reading: one row for each value of `field`.
        field: the column that the axis across shows.
        x: that axis.
        said: what is read out of each row.
    """
    near = alt.selection_point(
        nearest=True, on="pointermove", fields=[field], empty=False, clear="pointerout"
    )
    rule: alt.Chart = (
        alt.Chart(reading)
        .mark_rule(color=QUIET)
        .encode(
            x=x,
            opacity=alt.OpacityValue(**alt.condition(near, alt.value(0.7), alt.value(0.0))),
            tooltip=list(said),
        )
        .add_params(near)
    )
    return rule


def plan_mark(
    place: float, field: str, said: str, domain: Sequence[float]
) -> tuple[alt.Chart, alt.Chart]:
    """Return a rule where the present plan stands on a logarithmic axis, and words above it.

    Args:
        place: where it stands.
        field: the column that the axis across shows.
        said: the words.
        domain: the ends of that axis; the words lean towards its middle.
    """
    left = place > math.sqrt(domain[0] * domain[1])
    lean: dict[str, Any] = {"align": "right", "dx": 4} if left else {"align": "left", "dx": -4}
    here = alt.Chart(pd.DataFrame({field: [place], "said": [said]}))
    across = alt.X(f"{field}:Q")
    return (
        here.mark_rule(strokeDash=[3, 3], color=QUIET, tooltip=None).encode(x=across),
        here.mark_text(
            **lean, dy=-9, fontSize=13, fontWeight="bold", color=LETTERS, tooltip=None
        ).encode(x=across, y=alt.YValue(0), text=alt.Text("said:N")),
    )


# A chart specification that is built once and reused with new data.
#
# Building the specification takes far longer than computing its numbers, and a chart that follows a
# slider changes only in these.

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class LayoutChart:
    """A layout with its numbers, to be used in the place of an Altair chart.

    Attributes:
        layout: a chart without its numbers, as Vega-Lite's JSON. Its layers refer to them by name.
        datasets: the numbers, by name, in rows.
    """

    layout: str
    datasets: Mapping[str, Rows]

    @classmethod
    def of(cls, figure: alt.LayerChart) -> LayoutChart:
        """Return a finished figure, described once however often it is drawn."""
        said = figure.to_dict(validate=False)
        datasets = said.pop("datasets", {})
        return cls(json.dumps(said), datasets)

    @property
    def description(self) -> str:
        """What it shows, for who cannot see it."""
        return str(json.loads(self.layout)["description"])

    def to_dict(self, *, validate: bool = False) -> dict[str, Any]:
        """Return the chart as Vega-Lite's description, whose parts are the caller's own.

        Args:
            validate: of no use here: the layout was checked, or not, when it was made.
        """
        return {**json.loads(self.layout), "datasets": dict(self.datasets)}
