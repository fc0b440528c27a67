"""Two documents on all publications that methods follow: their errors, and how every number is
defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from understudy.mechanisms.errata import SOURCES, VERDICTS, Errata, Erratum
from understudy.studies.document import DocumentGrid, Section
from understudy.studies.reproduction import Definition, Document

_ERRATA_TITLE: Final = "Errors of the publications"
_ERRATA_WORDS: Final = (
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
    for each in sorted(found, key=_order_sources):
        by_source.setdefault(each.source, []).append(each)
    total = sum(len(each.errata) for several in by_source.values() for each in several)
    verdicts = DocumentGrid("", ("Verdict", "Meaning"), tuple(VERDICTS.items()), words=2)
    count = f"{total} statements of {len(by_source)} sources."
    head = Section(_ERRATA_TITLE, (*_ERRATA_WORDS, count), (verdicts,))
    sections = [
        _write_errata(each, source) for source, several in by_source.items() for each in several
    ]
    data = {
        "errata": [
            {"source": source, "part": each.part, **_erratum_dict(one)}
            for source, several in by_source.items()
            for each in several
            for one in each.errata
        ]
    }
    return Document((head, *sections), data)


def _order_sources(of: Errata) -> tuple[int, str]:
    """Return where the part of a source stands; sources of installed packages come last."""
    known = SOURCES.index(of.source) if of.source in SOURCES else len(SOURCES)
    return known, of.part


def _write_errata(of: Errata, source: str) -> Section:
    rows = tuple((one.number, one.verdict, one.figure, _write_ratio(one)) for one in of.errata)
    header = ("Place", "Verdict", "Checked by", "Times")
    words = (f"{source}.",) if of.part else ()
    told = tuple(
        f"{one.number}. Printed: {one.prints} Wrong: {one.wrong} Right: {one.instead}"
        for one in of.errata
    )
    return Section(of.part or source, words, (DocumentGrid("", header, rows, words=3),), told)


def _write_ratio(of: Erratum) -> str:
    """Write by how many times one figure exceeds the other, to three digits."""
    value = of.factor()
    if value is None:
        return "–"
    return f"{value:.3g}" if value < 1e6 else "over a million"


def _erratum_dict(of: Erratum) -> dict[str, Any]:
    return {
        "place": of.number,
        "prints": of.prints,
        "wrong": of.wrong,
        "instead": of.instead,
        "verdict": of.verdict,
        "figure": of.figure,
        "times": of.factor(),
    }


_DEFINITIONS_TITLE: Final = "How reproduced numbers are defined"
_DEFINITIONS_WORDS: Final = (
    "What each table and figure measures, by the text of its source and here, at the full size. "
    "Where the two are not the same, the last column says why, and whether both are printed. "
    "`--quick` does less of everything and judges no claim.",
)


def definitions_document(found: Mapping[str, Sequence[Definition]]) -> Document:
    """Return all definitions as a document.

    Args:
        found: by the title of the reproduction, in the order to be shown.
    """
    header = ("Number", "As published", "Ours", "Same?")
    sections = [
        Section(
            f"{title[0].upper()}{title[1:]}",
            (),
            (
                DocumentGrid(
                    "",
                    header,
                    tuple(
                        (each.of, each.published, each.ours, each.why or "yes") for each in several
                    ),
                    words=len(header),
                ),
            ),
        )
        for title, several in found.items()
    ]
    data = {
        "definitions": [
            {"reproduction": title, **asdict(each), "same": each.same}
            for title, several in found.items()
            for each in several
        ]
    }
    return Document((Section(_DEFINITIONS_TITLE, _DEFINITIONS_WORDS), *sections), data)
