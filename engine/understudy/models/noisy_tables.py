"""Tables of counts as they were answered, with the law of their noise: what a model was learned
from, and what may be published as such, at no further cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from understudy.core.arrays import IntArray
from understudy.models.views import Marginal, View, shape
from understudy.privacy.noise import laplace_tail
from understudy.table.schema import Schema

Law = Literal["geometric", "gaussian"]

NAME: Final = "noisy-tables"
"""The name of the figures that a run releases."""

LAWS: Final[tuple[Law, ...]] = ("geometric", "gaussian")
FAILING: Final = 0.05
"""With what probability the true count of a cell is outside its interval, at most."""
_FAR: Final = 12.0


@dataclass(frozen=True, eq=False)
class NoisyTable:
    """Counts of a marginal with noise on every cell, as they were drawn.

    Attributes:
        marginal: what was counted.
        counts: (cells,) whole numbers; some may be below 0.
        law: of the noise on each: two-sided geometric, or discrete Gaussian.
        scale: of the noise; σ of a Gaussian.
    """

    marginal: Marginal
    counts: IntArray
    law: Law
    scale: float

    @property
    def within(self) -> int:
        """How far the true count of a cell is from its noisy one at most, except for `FAILING`."""
        return reach(self.law, self.scale)

    def as_figures(self, schema: Schema) -> dict[str, Any]:
        """Return the tables as figures, to be released."""
        levels = [each.level for each in self.marginal]
        return {
            "columns": [schema.names[each.attribute] for each in self.marginal],
            "buckets": [level > 0 for level in levels],
            # Said only where there is more than the buckets to be said.
            **({"levels": levels} if max(levels) > 1 else {}),
            "shape": list(shape(schema, self.marginal)),
            "noise": self.law,
            "noise_scale": self.scale,
            "within": self.within,
            "counts": self.counts.tolist(),
        }

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the tables as arrays, to be kept: the views, the counts, and the noise."""
        views = [(each.attribute, each.level) for each in self.marginal]
        noise = np.array([LAWS.index(self.law), self.scale], dtype=np.float64)
        return {"views": np.array(views, dtype=np.int64), "counts": self.counts, "noise": noise}

    @classmethod
    def of(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> NoisyTable:
        """Return what `arrays` was made of.

        Raises:
            KeyError, ValueError: these are no such arrays.
        """
        marginal = tuple(View(int(place), int(level)) for place, level in arrays["views"])
        law, scale = arrays["noise"].tolist()
        return cls(marginal, arrays["counts"].astype(np.int64), LAWS[int(law)], float(scale))


def reach(law: Law, scale: float) -> int:
    """Return the smallest w with Pr{|Z| > w} ≤ `FAILING` for the noise Z: exact, as the law is
    known."""
    if law == "geometric":
        found = max(0, math.floor(scale * math.log(1 / FAILING)) - 2)
        while 2 * laplace_tail(found + 1, scale) > FAILING:
            found += 1
        return found
    places = np.arange(math.ceil(_FAR * scale) + 1)
    weights = np.exp(-(places**2) / (2 * scale**2))
    weights[1:] *= 2
    within = np.cumsum(weights) / weights.sum()
    return int(np.argmax(within >= 1 - FAILING))


def table_figures(
    tables: Sequence[NoisyTable], schema: Schema, share: float = 1.0
) -> dict[str, Any]:
    """Return all tables, as a run releases them.

    Args:
        tables: what was counted.
        schema: the columns.
        share: the probability with which a record of the table was among those counted.
    """
    return {
        "about": "Counts of the records that the model was learned from, with noise on every cell. "
        "The last column varies fastest; values and buckets are in the order of the schema. The "
        "true count of a cell is within so much of the noisy one, except for a chance of 5 %.",
        "share": share,
        "tables": [each.as_figures(schema) for each in tables],
    }


def read_share(figures: Mapping[str, Any]) -> float:
    """Return with what probability a record of the table was among those counted; 1 where the
    figures do not say it, so that what is said of the table is of the records that were counted.

    Raises:
        TypeError, ValueError: it is no probability.
    """
    share = float(figures.get("share", 1.0))
    if not 0 < share <= 1:
        raise ValueError("a share of the records is above 0 and at most 1")
    return share


def read_tables(figures: Mapping[str, Any], schema: Schema) -> tuple[NoisyTable, ...]:
    """Return the tables that a run released.

    Raises:
        KeyError, TypeError, ValueError: they are no such tables.
    """
    return tuple(
        NoisyTable(
            _views(each, schema),
            np.array(each["counts"], dtype=np.int64),
            each["noise"],
            float(each["noise_scale"]),
        )
        for each in figures["tables"]
    )


def _views(figures: Mapping[str, Any], schema: Schema) -> Marginal:
    """Return what a released table counts."""
    levels = figures.get("levels", [int(bucketed) for bucketed in figures["buckets"]])
    names = zip(figures["columns"], levels, strict=True)
    return tuple(View(schema.names.index(name), level) for name, level in names)


def unlike(figures: Mapping[str, Any], schema: Schema, share: float | None = None) -> str | None:
    """Return what is wrong with released tables, in a few words; None where nothing is.

    Args:
        figures: as released.
        schema: the columns.
        share: with what probability a record was among those counted, by the plan; None where
            that is not known.

    Raises:
        KeyError, TypeError, ValueError: they are no such tables.
    """
    if share is not None and "share" in figures and figures["share"] != share:
        return "the share of the records that were counted"
    for number, each in enumerate(figures["tables"], 1):
        marginal = _views(each, schema)
        if each["buckets"] != [view.level > 0 for view in marginal]:
            return f"the levels of table {number}"
        sizes = shape(schema, marginal)
        if list(sizes) != each["shape"] or len(each["counts"]) != math.prod(sizes):
            return f"the cells of table {number}"
        if any(type(count) is not int for count in each["counts"]):
            return f"the counts of table {number}"
        if each["noise"] not in LAWS or not each["noise_scale"] > 0:
            return f"the noise of table {number}"
        if each["within"] != reach(each["noise"], each["noise_scale"]):
            return f"the interval of table {number}"
    return None
