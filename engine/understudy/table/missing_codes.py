"""Codes for missing: the texts that stand for each and its meaning, such as −8 for “not asked”.

They are declared, as the values of a column are. Each comes after these as a code of its own, with
a bucket of its own, so that nothing that counts codes has to know which of them stand for missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final

from pydantic import model_validator

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.checks import check_read, check_texts, first_repeat
from understudy.table.domain import Domain
from understudy.table.field_entry import read_list, read_text

MISSING_TOKENS: Final = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", ".")
MISSING_LABEL: Final = "missing"
NOT_APPLICABLE: Final = "not applicable"
_FIELD: Final = "missing_codes"


class MissingCode(Frozen, what="the code for missing"):
    """A code for missing.

    Attributes:
        values: the texts that stand for it in a file; the first is written.
        label: what it means, such as “refused”; may be empty. One that begins with “not applicable”
            says that there is no value, such as the wage of a child, and not that it is unknown.

    Raises:
        Refusal: there is no text, or one cannot be used.
    """

    values: tuple[str, ...] = ("",)
    label: str = ""

    @model_validator(mode="after")
    def _usable(self) -> MissingCode:
        if not self.values:
            raise Refusal("No text stands for missing.", "Name one; it may be empty.", field=_FIELD)
        check_texts([text for text in self.values if text], "missing value", _FIELD)
        if any(text != text.strip() for text in self.values):
            raise Refusal(
                "A text that stands for missing begins or ends with a blank.",
                "Remove the blank; blanks around it in the file are ignored.",
                field=_FIELD,
            )
        check_read(self.label, "meaning of a code for missing", _FIELD)
        if self.label != self.label.strip() or "\n" in self.label:
            raise Refusal(
                "The meaning of a code for missing begins or ends with a blank, or has two lines.",
                "Write it in one line, without blanks around it.",
                field=_FIELD,
            )
        if self.label == self.written:
            # A text that is repeated says nothing more.
            object.__setattr__(self, "label", "")
        return self

    @property
    def written(self) -> str:
        """The text that is written to a file."""
        return self.values[0]

    @property
    def meaning(self) -> str:
        """Its label, or else its text."""
        return self.label or self.written

    def label_among(self, codes: Sequence[MissingCode]) -> str:
        """Return what a person reads for it, among all codes for missing of its column."""
        told = self.meaning if self.not_applicable or len(codes) > 1 else self.label
        if self.not_applicable or told in ("", MISSING_LABEL):
            return told or MISSING_LABEL
        return f"{MISSING_LABEL}: {told}"

    @property
    def not_applicable(self) -> bool:
        """Whether it says that there is no value."""
        return self.meaning.casefold().startswith(NOT_APPLICABLE)


def unlabelled(values: Iterable[str]) -> tuple[MissingCode, ...]:
    """Return one code for missing without a meaning, for which all of some texts stand."""
    return (MissingCode(values=tuple(values)),)


def list_missing_texts(codes: Iterable[MissingCode]) -> tuple[str, ...]:
    """Return all texts that stand for missing."""
    return tuple(chain.from_iterable(code.values for code in codes))


def without_codes(codes: Sequence[MissingCode], domain: Domain) -> Domain:
    """Return what a column may contain without the numbers that stand for missing: if 99 does, it
    is no age, although ages reach from 0 to 119.

    Raises:
        Refusal: as of `Ranged.with_gaps`.
    """
    ranged = domain.ranged
    if ranged is None:
        return domain
    return ranged.with_gaps(ranged.numbers_meant(list_missing_texts(codes)))


def list_substance(codes: Sequence[MissingCode]) -> list[Any]:
    """Return what codes depend on, for the fingerprint of a schema: their texts, and which are not
    applicable."""
    if len(codes) == 1 and not (codes[0].label and codes[0].not_applicable):
        return list(codes[0].values)
    return [[code.not_applicable, *code.values] for code in codes]


def check_codes(codes: Sequence[MissingCode], domain: Domain) -> None:
    """Check that the codes for missing of a column can be told from each other and from its values.

    Raises:
        Refusal: there is none, a text stands for two of them or for a value, or two mean the same.
    """
    if not codes:
        raise Refusal("No text stands for missing.", "Name one; it may be empty.", field=_FIELD)
    if domain.ranged is None and any(map(domain.holds, list_missing_texts(codes))):
        raise Refusal(
            "A text stands both for missing and for a value.",
            "Take it out of one of the two lists.",
            field=_FIELD,
        )
    if first_repeat(chain.from_iterable(dict.fromkeys(code.values) for code in codes)):
        raise Refusal(
            "A text stands for two codes for missing.", "Name it at one of them.", field=_FIELD
        )
    if first_repeat(code.label_among(codes) for code in codes):
        raise Refusal(
            "Two codes for missing have the same meaning.",
            "Give each its own meaning, or make them one code with several texts.",
            field=_FIELD,
        )


# Codes for missing as texts with labels, in a Table Schema and in a codebook.


def label_missing(codes: Sequence[MissingCode]) -> list[tuple[str, str]]:
    """Return each text that stands for missing with the meaning of its code; all of them without
    one where there is a single code without a meaning."""
    plain = len(codes) == 1 and not codes[0].label
    return [(text, "" if plain else code.meaning) for code in codes for text in code.values]


def missing_of_labels(labels: Iterable[tuple[str, str]]) -> tuple[MissingCode, ...]:
    """Return the codes for missing of texts with labels, which may be empty: one for all texts of
    the same label, and one for all without.

    Raises:
        Refusal: as of `MissingCode`.
    """
    by_label: dict[str, list[str]] = {}
    for text, label in labels:
        by_label.setdefault(label.strip(), []).append(text)
    return tuple(MissingCode(values=tuple(texts), label=label) for label, texts in by_label.items())


def compose_missing(codes: Sequence[MissingCode]) -> list[object]:
    """Return the missing values of a Table Schema: texts, or where there are several codes or
    meanings, texts with labels."""
    labels = label_missing(codes)
    if not any(label for _, label in labels):
        return [text for text, _ in labels]
    return [{"value": text, "label": label} if label else {"value": text} for text, label in labels]


def parse_missing(values: object) -> tuple[MissingCode, ...]:
    """Return the codes for missing of the missing values of a Table Schema.

    Raises:
        Refusal: they are no list of texts, or a label is no text.
    """
    labels = []
    for entry in read_list(values, "Its missing values"):
        about = entry if isinstance(entry, dict) else {"value": entry}
        text = read_text(about.get("value"), "A missing value")
        labels.append((text, read_text(about.get("label", ""), "A label")))
    return missing_of_labels(labels)
