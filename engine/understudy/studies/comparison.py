"""Published numbers and sentences beside ours, whether they hold here, and why they differ if they
do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from understudy.studies.document import DocumentGrid, Section
from understudy.studies.reproduction import Document, ReproductionRequest

_TITLE: Final = "What the text says, and whether it holds here"


@dataclass(frozen=True)
class StudyClaim:
    """A sentence of the published text, held against what was found.

    Attributes:
        said: the sentence, in our words.
        source: where it stands.
        ours: what was found, in words.
        holds: whether it holds here; None where that could not be found out.
        rule: by what it is decided, where the sentence itself leaves that open.
        because: why it does not hold, or what has to be known where it does; may be empty.
    """

    said: str
    source: str
    ours: str
    holds: bool | None
    rule: str = ""
    because: str = ""

    @property
    def verdict(self) -> str:
        """Whether the claim is reproduced, in words."""
        return {True: "reproduced", False: "not reproduced", None: "not found out"}[self.holds]

    @property
    def paragraph(self) -> str:
        """The claim, its rule, our figures and the verdict as a paragraph."""
        rule = f" (Decided as: {self.rule}.)" if self.rule else ""
        ours = f" Here: {self.ours}" if self.ours else ""
        because = f": {self.because}" if self.because else ""
        return f"{self.source}: {self.said}{rule}{ours} {self.verdict.capitalize()}{because}."


def claims_section(claims: Sequence[StudyClaim], *, judged: bool) -> Section:
    """Return every claim with its verdict, to be read.

    Args:
        claims: in their order.
        judged: whether the evaluation was run at a size at which they can be judged; if not, that
            is all that is said of them.
    """
    if not judged:
        return Section(
            _TITLE,
            (
                f"The text makes {len(claims)} claims about its numbers. This run is smaller than "
                "the published one and judges none of them; the full one does.",
            ),
        )
    held = sum(each.holds is True for each in claims)
    counted = f"{held} of {len(claims)} claims are reproduced."
    return Section(_TITLE, (counted, *(each.paragraph for each in claims)))


def claims_data(claims: Sequence[StudyClaim], *, judged: bool) -> list[dict[str, Any]]:
    """Return the claims as plain values; none if nothing is judged."""
    return [{**asdict(each), "verdict": each.verdict} for each in claims] if judged else []


MISSING = "–"


@dataclass(frozen=True)
class ComparisonEntry:
    """One number, published and here.

    Attributes:
        of: the cells that say which number it is, such as a method and a size.
        published: as it was printed; None where it was not.
        ours: what was found here; None where it could not be.
        low, high: the interval in which ours lies, where one is known.
        note: why the two differ, or what is wrong with the printed one; may be empty.
    """

    of: tuple[str, ...]
    published: float | None
    ours: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the published one; None where one is missing."""
        if self.ours is None or self.published is None:
            return None
        return self.ours - self.published


@dataclass(frozen=True)
class Comparison:
    """One published table, or the numbers of one figure or passage, with ours beside them.

    Attributes:
        name: in the publication, such as “Table 2”.
        title: what it shows.
        source: where it stands.
        header: what the cells of `Entry.of` are.
        entries: the numbers.
        digits: after the decimal point, as printed.
        words: what has to be said of the whole, such as what differs in how it came about.
    """

    name: str
    title: str
    source: str
    header: tuple[str, ...]
    entries: tuple[ComparisonEntry, ...]
    digits: int = 2
    words: tuple[str, ...] = ()

    def section(self) -> Section:
        """To be read. Columns that would be empty are left out."""
        intervals = any(each.low is not None for each in self.entries)
        notes = any(each.note for each in self.entries)
        header = (
            *self.header,
            "Published",
            "Ours",
            "Difference",
            *(("Interval of ours",) if intervals else ()),
            *(("Note",) if notes else ()),
        )
        rows = tuple(self._row(each, intervals, notes) for each in self.entries)
        said = (f"{self.title}. Published: {self.source}.", *self.words)
        grid = DocumentGrid("", header, rows, words=len(self.header))
        return Section(self.name, said, (grid,) if rows else ())

    def _row(self, each: ComparisonEntry, intervals: bool, notes: bool) -> tuple[str, ...]:
        return (
            *each.of,
            self._show_value(each.published),
            self._show_value(each.ours),
            self._show_value(each.difference, signed=True),
            *((self._between(each),) if intervals else ()),
            *((each.note,) if notes else ()),
        )

    def _show_value(self, value: float | None, *, signed: bool = False) -> str:
        if value is None:
            return MISSING
        # What rounds to zero has no sign.
        rounded = round(value, self.digits) + 0.0
        form = f"+,.{self.digits}f" if signed and rounded else f",.{self.digits}f"
        return f"{rounded:{form}}".replace("-", "−")

    def _between(self, each: ComparisonEntry) -> str:
        if each.low is None or each.high is None:
            return MISSING
        return f"{self._show_value(each.low)} to {self._show_value(each.high)}"

    def as_dict(self) -> dict[str, Any]:
        """As plain values, unrounded."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "entries": [
                {
                    **dict(zip(self.header, each.of, strict=True)),
                    "published": each.published,
                    "ours": each.ours,
                    "difference": each.difference,
                    "low": each.low,
                    "high": each.high,
                    "note": each.note,
                }
                for each in self.entries
            ],
            "words": list(self.words),
        }


class Numbers:
    """The numbers of several comparisons, found by their names."""

    def __init__(self, comparisons: Iterable[Comparison]) -> None:
        self._found: dict[tuple[str, ...], float | None] = {}
        for each in comparisons:
            for entry in each.entries:
                key = (each.name, *entry.of)
                before = self._found.get(key, entry.ours)
                assert before is entry.ours or before == entry.ours, f"{key} is there twice"
                self._found[key] = entry.ours

    def ours(self, name: str, *of: str) -> float | None:
        """Return one of our numbers; None if it was not measured."""
        return self._found.get((name, *of))

    def all_of(self, name: str, *of: str | None) -> list[tuple[tuple[str, ...], float]]:
        """Return our measured numbers by their cells; None stands for any cell."""
        return [
            (cells, value)
            for (found, *rest), value in self._found.items()
            if found == name and value is not None
            for cells in (tuple(rest),)
            if all(want in (None, cell) for want, cell in zip(of, cells, strict=False))
        ]


def document_of(
    title: str,
    words: Sequence[str],
    asked: ReproductionRequest,
    comparisons: Sequence[Comparison],
    claims: Sequence[StudyClaim] = (),
    *,
    judged: bool = True,
) -> Document:
    """Return a document of published numbers beside ours.

    Args:
        title: of the whole.
        words: of what it is, on what it was run, and what was done less of than was published.
        asked: as it was asked for.
        comparisons: the numbers, in their order.
        claims: what the text says of them.
        judged: whether they were measured at the size at which claims can be judged.
    """
    made = DocumentGrid("", ("", ""), (("Date", asked.date), ("Command", asked.command)), words=2)
    return Document(
        (
            Section(title, tuple(words), (made,)),
            *(each.section() for each in comparisons),
            *((claims_section(claims, judged=judged),) if claims else ()),
        ),
        {
            "title": title,
            "words": list(words),
            "date": asked.date,
            "command": asked.command,
            "tables": [each.as_dict() for each in comparisons],
            "claims": claims_data(claims, judged=judged),
        },
    )
