"""The published numbers, each with its source, and set beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from understudy.evaluation.measure import MARGINALS, REALS, BreakdownEntry

NON_PRIVATE: Final = "non private"
OUTPUT: Final = "output perturbation"
OBJECTIVE: Final = "objective perturbation"

Quantity = tuple[str, str]
"""What was measured, and with which classifier."""


@dataclass(frozen=True)
class PublishedTable:
    """One printed table.

    Attributes:
        name: in the paper, such as “Table 3”.
        title: what it shows.
        source: where it stands.
        best: the row that other real records make, the best there can be.
        quantities: its columns.
        rows: by subject, a number for each column, in percent.
    """

    name: str
    title: str
    source: str
    best: str
    quantities: tuple[Quantity, ...]
    rows: Mapping[str, tuple[float, ...]]


CLASSIFICATION: Final = PublishedTable(
    name="Table 3",
    title="Classifiers trained on each table: how often they are right about income, and how "
    "often they agree with a classifier trained on the seeds",
    source="Table 3 of the paper, Table 8.3 of the dissertation",
    best=REALS,
    quantities=(
        ("accuracy", "classification tree"),
        ("accuracy", "random forest"),
        ("accuracy", "AdaBoost"),
        ("agreement", "classification tree"),
        ("agreement", "random forest"),
        ("agreement", "AdaBoost"),
    ),
    rows={
        REALS: (77.8, 80.4, 79.3, 80.2, 86.4, 92.4),
        MARGINALS: (57.9, 63.8, 69.2, 58.5, 65.4, 75.6),
        "ω = 11": (72.4, 75.3, 78.0, 73.9, 79.0, 83.0),
        "ω = 10": (72.3, 75.2, 78.1, 73.8, 78.9, 83.6),
        "ω = 9": (72.4, 75.2, 77.5, 73.9, 79.2, 82.4),
        "ω = 9-11": (72.3, 75.2, 78.1, 73.7, 79.0, 83.9),
        "ω = 5-11": (72.1, 75.2, 78.1, 73.6, 79.2, 83.3),
    },
)

LINEAR: Final = PublishedTable(
    name="Table 4",
    title="Linear classifiers: not private, made private in training at ε = 1, and trained on "
    "each table",
    source="Table 4 of the paper, Table 8.4 of the dissertation",
    best=NON_PRIVATE,
    quantities=(
        ("linear accuracy", "logistic regression"),
        ("linear accuracy", "linear SVM"),
    ),
    rows={
        NON_PRIVATE: (79.9, 78.5),
        OUTPUT: (69.7, 76.2),
        OBJECTIVE: (76.3, 78.2),
        MARGINALS: (68.9, 68.9),
        "ω = 11": (77.6, 77.2),
        "ω = 10": (77.7, 77.1),
        "ω = 9": (77.5, 77.1),
        "ω = 9-11": (77.5, 76.9),
        "ω = 5-11": (77.7, 77.3),
    },
)

DISTINGUISHING: Final = PublishedTable(
    name="Table 5",
    title="How often a classifier tells records of each table from real ones; 50 % is a guess",
    source="Table 5 of the paper, Table 8.5 of the dissertation",
    best=REALS,
    quantities=(
        ("distinguishing", "random forest"),
        ("distinguishing", "classification tree"),
    ),
    rows={
        REALS: (50.0, 50.0),
        MARGINALS: (79.8, 73.2),
        "ω = 11": (62.3, 58.9),
        "ω = 10": (61.8, 58.6),
        "ω = 9": (63.0, 59.8),
        "ω = 9-11": (60.1, 57.9),
        "ω = 5-11": (61.4, 58.4),
    },
)

TABLES: Final = (CLASSIFICATION, LINEAR, DISTINGUISHING)

CARDINALITIES: Final[Mapping[str, int]] = {
    "AGEP": 80,
    "COW": 8,
    "SCHL": 24,
    "MAR": 5,
    "OCCP": 25,
    "RELP": 18,
    "RAC1P": 5,
    "SEX": 2,
    "WKHP": 100,
    "WAOB": 8,
    "WAGP": 2,
}
"""Values of each column: Table 1 of the paper, Table 8.1 of the dissertation."""

RECORDS: Final = 1_494_974
POSSIBLE: Final = 540_587_520_000
UNIQUE: Final = 1_022_718
"""Clean records, possible records and records that occur once: Table 2, Table 8.2. The possible
ones are the product of the columns' values only with 79 for AGEP and 99 for WKHP."""

SEEDS: Final = 735_000
STRUCTURE: Final = 280_000
PARAMETERS: Final = 280_000
HELD_OUT: Final = 100_000
"""Records of each part, of which all but the first are said to be about so many (§8.2)."""

RUNS: Final = 5
TRAINING: Final = 100_000
DISTINGUISHED: Final = 50_000
MODELS: Final = 20
"""Runs of each classifier, records it was trained on at least, records of each of the two kinds
that a distinguisher was trained on, and private models that errors were averaged over (§8.3)."""

MODEL_EPSILON: Final = 1.0
DELTA: Final = 2.0**-30
K: Final = 50
EPSILON0: Final = 1.0
GAMMA: Final = 4.0
"""Learning and the privacy test (§8.2)."""

PASSING_GAMMA: Final = 2.0
PASSING_EXAMINED: Final = 100_000
"""Figure 6: `max_check_plausible`, after how many seeds the tool stops counting; `max_plausible` is
not said of it (§6.5 of the paper; the dissertation leaves both out)."""
PASSING_K: Final = 100
PASSING_OMEGA: Final = (5, 11)
PASSING_RATE: Final = 0.5
"""“More than half” of the candidates pass at k = 100 for ω ∈ [5–11] (text on Figure 6)."""

TIMED_EXAMINED: Final = 50_000
TIMED_PLAUSIBLE: Final = 100
"""Figure 5: `max_check_plausible` and `max_plausible`, the plausible seeds at which it stops."""
TIMED_OMEGA: Final = 9
TIMED_RECORDS: Final = 10_000
TIMED_SECONDS: Final = 600.0
"""10,000 records on one core in less than ten minutes at ω = 9, k = 50, γ = 4 (text on Figure 5):
17 records a second or more."""


Found = Mapping[Quantity, Mapping[str, BreakdownEntry]]
"""What was measured of each subject, by quantity; values between 0 and 1."""

_LEAST_GAP = 0.5


@dataclass(frozen=True)
class PublishedLine:
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
class PublishedColumn:
    """One column of a published table, with ours beside it."""

    quantity: Quantity
    lines: tuple[PublishedLine, ...]


@dataclass(frozen=True)
class Beside:
    """One published table with ours beside it."""

    table: PublishedTable
    columns: tuple[PublishedColumn, ...]


def set_beside(
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
            PublishedColumn(
                quantity, _lines(table.best, printed, found.get(quantity, {}), subjects)
            )
        )
    return Beside(table, tuple(columns))


def _lines(
    best: str,
    printed: Mapping[str, float],
    found: Mapping[str, BreakdownEntry],
    subjects: Sequence[str],
) -> tuple[PublishedLine, ...]:
    measured = {subject: 100 * part.value for subject, part in found.items()}
    apart = _apart(best, found)
    lines = []
    for subject in subjects:
        part = found.get(subject)
        interval = None if part is None else part.interval
        lines.append(
            PublishedLine(
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


def _apart(best: str, found: Mapping[str, BreakdownEntry]) -> bool:
    """Return whether both measured references are further apart than chance moves them, as far as
    that is known."""
    ends = [found[name].interval if name in found else None for name in (best, MARGINALS)]
    if ends[0] is None or ends[1] is None:
        return True
    return ends[0].high < ends[1].low or ends[1].high < ends[0].low


def gap(subject: str, best: str, values: Mapping[str, float]) -> float | None:
    """Return (value − marginals) / (real data − marginals), of values in percent.

    None for the two references themselves, where one of the three is missing, and where the
    references are less than half a percentage point apart.
    """
    if subject in (best, MARGINALS) or not {subject, best, MARGINALS} <= values.keys():
        return None
    whole = values[best] - values[MARGINALS]
    return (values[subject] - values[MARGINALS]) / whole if abs(whole) >= _LEAST_GAP else None
