"""Published numbers beside ours: the ratio, and how much of the way to real data each goes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from understudy.evaluation.measure import MARGINALS, Part
from understudy.studies.seedbased.published import PublishedTable, Quantity

Found = Mapping[Quantity, Mapping[str, Part]]
"""What was measured of each subject, by quantity; values between 0 and 1."""

_LEAST_GAP = 0.5


@dataclass(frozen=True)
class Line:
    """One subject, published and here, in percent.

    Attributes:
        subject: the table, or the way of training.
        published: what was printed; None where nothing was.
        ours: what was measured here; None where nothing could be.
        low, high: where ours lies, at 95 %; None where that is not known.
        gap_published, gap_ours: how much of the way from the marginals (0) to real data (1)
            it goes; None for these two, and where they are too close to tell.
    """

    subject: str
    published: float | None
    ours: float | None
    low: float | None
    high: float | None
    gap_published: float | None
    gap_ours: float | None

    @property
    def ratio(self) -> float | None:
        """Ours as a multiple of the published number."""
        if self.ours is None or not self.published:
            return None
        return self.ours / self.published


@dataclass(frozen=True)
class Column:
    """One column of a published table, with ours beside it."""

    quantity: Quantity
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Beside:
    """One published table with ours beside it."""

    table: PublishedTable
    columns: tuple[Column, ...]


def beside(
    table: PublishedTable, found: Found, subjects: Sequence[str], *, with_published: bool
) -> Beside:
    """Return a published table with what was found here.

    Args:
        table: the published one.
        found: ours.
        subjects: the rows, in their order.
        with_published: whether the published numbers are shown; those of another kind of table
            are left out.
    """
    columns = []
    for at, quantity in enumerate(table.quantities):
        printed = (
            {subject: row[at] for subject, row in table.rows.items()} if with_published else {}
        )
        columns.append(
            Column(quantity, _lines(table.best, printed, found.get(quantity, {}), subjects))
        )
    return Beside(table, tuple(columns))


def _lines(
    best: str, printed: Mapping[str, float], found: Mapping[str, Part], subjects: Sequence[str]
) -> tuple[Line, ...]:
    measured = {subject: 100 * part.value for subject, part in found.items()}
    apart = _apart(best, found)
    lines = []
    for subject in subjects:
        part = found.get(subject)
        interval = None if part is None else part.interval
        lines.append(
            Line(
                subject,
                printed.get(subject),
                measured.get(subject),
                None if interval is None else 100 * interval.low,
                None if interval is None else 100 * interval.high,
                gap(subject, best, printed),
                gap(subject, best, measured) if apart else None,
            )
        )
    return tuple(lines)


def _apart(best: str, found: Mapping[str, Part]) -> bool:
    """Return whether both measured references are further apart than chance moves them, as far as
    that is known."""
    ends = [found[name].interval if name in found else None for name in (best, MARGINALS)]
    if ends[0] is None or ends[1] is None:
        return True
    return ends[0].high < ends[1].low or ends[1].high < ends[0].low


def gap(subject: str, best: str, values: Mapping[str, float]) -> float | None:
    """(value − marginals) / (real data − marginals), of values in percent.

    None for the two references themselves, where one of the three is missing, and where the
    references are less than half a percentage point apart.
    """
    if subject in (best, MARGINALS) or not {subject, best, MARGINALS} <= values.keys():
        return None
    whole = values[best] - values[MARGINALS]
    return (values[subject] - values[MARGINALS]) / whole if abs(whole) >= _LEAST_GAP else None
