"""How every reproduced number is defined, in one document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Final

from understudy.studies.document import Grid, Section
from understudy.studies.reproduction import Definition, Document

_TITLE: Final = "How reproduced numbers are defined"
_WORDS: Final = (
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
                Grid(
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
    return Document((Section(_TITLE, _WORDS), *sections), data)
