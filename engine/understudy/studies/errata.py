"""The errors of all publications that methods follow, in one document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from understudy.mechanisms.errata import SOURCES, VERDICTS, Errata, Erratum
from understudy.studies.document import Grid, Section
from understudy.studies.reproduction import Document

_TITLE: Final = "Errors of the publications"
_WORDS: Final = (
    "Statements of the publications that do not hold as printed. Each is given with what is right "
    "and how it was checked: where it is mathematics, both figures are computed whenever this "
    "list is made, and the last column is by how many times one exceeds the other, always above 1. "
    "The rest was checked by reading. The program follows what stands under “Right”.",
    "The texts were read as extracted from files, so that what only a damaged formula says is left "
    "out.",
)


def errata_document(found: Iterable[Errata]) -> Document:
    """Return every error by its source, each figure computed.

    Args:
        found: in any order.
    """
    by_source: dict[str, list[Errata]] = {}
    for each in sorted(found, key=_place):
        by_source.setdefault(each.source, []).append(each)
    total = sum(len(each.errata) for several in by_source.values() for each in several)
    verdicts = Grid("", ("Verdict", "Meaning"), tuple(VERDICTS.items()), words=2)
    head = Section(_TITLE, (*_WORDS, f"{total} statements of {len(by_source)} sources."),
                   (verdicts,))  # fmt: skip
    sections = [_section(each, source) for source, several in by_source.items() for each in several]
    data = {
        "errata": [
            {"source": source, "part": each.part, **_plain(one)}
            for source, several in by_source.items()
            for each in several
            for one in each.errata
        ]
    }
    return Document((head, *sections), data)


def _place(of: Errata) -> tuple[int, str]:
    """Return where the part of a source stands; sources of installed packages come last."""
    known = SOURCES.index(of.source) if of.source in SOURCES else len(SOURCES)
    return known, of.part


def _section(of: Errata, source: str) -> Section:
    rows = tuple((one.number, one.verdict, one.figure, _write_ratio(one)) for one in of.errata)
    header = ("Place", "Verdict", "Checked by", "Times")
    words = (f"{source}.",) if of.part else ()
    told = tuple(
        f"{one.number}. Printed: {one.prints} Wrong: {one.wrong} Right: {one.instead}"
        for one in of.errata
    )
    return Section(of.part or source, words, (Grid("", header, rows, words=3),), told)


def _write_ratio(of: Erratum) -> str:
    """Write by how many times one figure exceeds the other, to three digits."""
    value = of.factor()
    if value is None:
        return "–"
    return f"{value:.3g}" if value < 1e6 else "over a million"


def _plain(of: Erratum) -> dict[str, Any]:
    return {
        "place": of.number,
        "prints": of.prints,
        "wrong": of.wrong,
        "instead": of.instead,
        "verdict": of.verdict,
        "figure": of.figure,
        "times": of.factor(),
    }
