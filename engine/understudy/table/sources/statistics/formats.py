"""Notes on columns whose display format differs from the number that is read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from understudy.table.declared_reading import Kind
from understudy.table.sources.statistics.times import clock_of

_ZEROS = {
    "stata": re.compile(r"%-?0\d+[.,]\d+[a-z]*"),
    "spss": re.compile(r"N\d+"),
    "sas": re.compile(r"(Z|SSN)\d*(\.\d*)?"),
}
_PLAIN = {
    "stata": re.compile(r"%[-~]?\d+[.,]\d+[a-zA-Z]*|%ty|%\d+[xXHL].*"),
    "spss": re.compile(
        r"(F|COMMA|DOT|DOLLAR|PCT|E|Z|CC[A-E]|IB|P|PIB|PIBHEX|PK|RB|RBHEX|AHEX|WKDAY|MONTH)\d*"
        r"(\.\d+)?"
    ),
    "sas": re.compile(
        r"((BEST|BESTX|BESTD|F|COMMAX?|DOLLARX?|EUROX?|PERCENTN?|NEGPAREN|NUMX|E|D|NLNUM|NLMNY)?\d*"
        r"(\.\d*)?)"
    ),
}
_FAMILY: Mapping[Kind, str] = {
    "stata": "stata",
    "spss": "spss",
    "spss-portable": "spss",
    "sas": "sas",
    "sas-transport": "sas",
}
_NAMED = 5


def format_notes(kind: Kind, formats: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return what a person should see about the formats of columns of numbers.

    Args:
        kind: which program's.
        formats: column of numbers → its format as the file names it.
    """
    family = _FAMILY[kind]
    zeros, strange = [], []
    for name, form in formats.items():
        if not form or clock_of(kind, form) is not None:
            continue
        if _ZEROS[family].fullmatch(form.upper() if family != "stata" else form):
            zeros.append(name)
        elif not _PLAIN[family].fullmatch(form.upper() if family != "stata" else form):
            strange.append(name)
    notes = []
    if zeros:
        notes.append(
            f"Numbers of {_listed(zeros)} are shown with zeros in front, which are no part of "
            "them. They were read without. Save them as text, if the zeros belong to the values."
        )
    if strange:
        notes.append(
            f"The formats of {_listed(strange)} are not known here. Their numbers were read as the "
            "file keeps them: weeks, months or quarters may be counted from a day of the program's."
        )
    return tuple(notes)


def _listed(names: Sequence[str]) -> str:
    first = ", ".join(f"“{name}”" for name in names[:_NAMED])
    return first if len(names) <= _NAMED else f"{first} and {len(names) - _NAMED} more columns"
