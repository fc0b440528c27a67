"""What becomes of a text in a column: its code, or the reason why it has none.

A category is found as it stands or, failing that, without the blanks around it, or as another way
to write the same point in time; a number is read exactly and put on the nearest step, or in a
measured column on the nearest number of its precision. A text is looked at once, however many
records hold it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, get_args

import numpy as np

from understudy.core.arrays import BoolArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.core.text_escape import same_letters
from understudy.table.cells import NOT_A_VALUE, NOT_APART, NOT_TEXT, WHY, moment_text
from understudy.table.column import Column
from understudy.table.domain import Verdict
from understudy.table.schema import Schema

Policy = Literal["refuse", "missing", "clip"]

_REASONS = len(Verdict)
_UNREADABLE = {
    NOT_TEXT: (0, Verdict.NOT_TEXT),
    NOT_APART: (0, Verdict.NOT_APART),
    NOT_A_VALUE: (0, Verdict.NOT_A_VALUE),
}


@dataclass(frozen=True)
class Outside:
    """How many records of a column lie outside its domain, by reason. Internal.

    Attributes:
        column: its name.
        unknown: not one of the categories.
        too_low, too_high: numbers or dates outside the bounds.
        not_of_kind: words, infinities and the like in a column of numbers, no dates in one of
            dates.
        missing: missing where that is not allowed.
        not_text: values that are not text in the declared encoding.
        not_apart: values of records with another number of cells than the header.
        not_a_value: bytes, lists, days beyond the calendar.
        rounded: numbers between two steps, or finer than the precision, put on the nearest; not an
            error.
    """

    column: str
    unknown: int = 0
    too_low: int = 0
    too_high: int = 0
    not_of_kind: int = 0
    missing: int = 0
    not_text: int = 0
    not_apart: int = 0
    not_a_value: int = 0
    rounded: int = 0

    @property
    def total(self) -> int:
        """How many records need a decision; those rounded do not."""
        numbers = self.too_low + self.too_high + self.not_of_kind
        unreadable = self.not_text + self.not_apart + self.not_a_value
        return self.unknown + numbers + self.missing + unreadable


class Fit:
    """What each of some texts comes to in a column.

    Attributes:
        column: the column.
        code: (texts,) the code of each; of a number outside the bounds, that of the nearer end.
        reason: (texts,) why it needs a decision, or that it does not.
        number: (texts,) of a measured column, the number of each, of one outside the bounds the
            nearer bound; not a number where there is none. None for other columns.
    """

    def __init__(
        self, column: Column, code: IntArray, reason: IntArray, number: FloatArray | None = None
    ) -> None:
        self.column, self.code, self.reason, self.number = column, code, reason, number

    def reasons(self, counts: IntArray) -> IntArray:
        """Return how many records there are by reason.

        Args:
            counts: (texts,) how many records hold each text.
        """
        found = np.zeros(_REASONS, dtype=np.int64)
        np.add.at(found, self.reason, counts)
        return found

    def tally(self, counts: IntArray) -> IntArray:
        """Return (cardinality,) records by code, those that need a decision left out."""
        fits = self.reason <= Verdict.ROUNDED
        tally = np.zeros(self.column.cardinality, dtype=np.int64)
        np.add.at(tally, self.code[fits], counts[fits])
        return tally

    def codes(self, policy: Policy) -> CodeArray:
        """Return (texts,) the code of each under a policy; 0 where the policy leaves it outside."""
        instead = (self.column.unknown_code or 0) if policy == "missing" else 0
        return np.where(_find_undecided(policy)[self.reason], instead, self.code).astype(np.uint16)

    def leaves_outside(self, policy: Policy) -> BoolArray:
        """Return (texts,) which of them a policy leaves outside."""
        return np.asarray(_find_undecided(policy)[self.reason] & (policy != "missing"), dtype=bool)

    def numbers(self, policy: Policy) -> FloatArray:
        """Return (texts,) the number of each in a measured column, as `codes`; not a number where
        it is missing or left outside."""
        assert self.number is not None
        return np.where(_find_undecided(policy)[self.reason], np.nan, self.number)


class Fitter:
    """Tells what texts come to in one column: those of a text file as they are spelt there, those
    of a typed file in the usual way."""

    def __init__(self, column: Column, *, typed: bool) -> None:
        self._column = column
        self._first_missing = column.domain.size if column.missing else 0
        verdict = Verdict.FITS if column.missing else Verdict.MISSING
        missing = (self._first_missing, int(verdict))
        domain = column.domain.typed if typed else column.domain
        self._read = domain.reader(column.missing_values, missing)
        self._ranged, declared = domain.ranged, column.domain.ranged
        self._which: dict[str, int] = {}
        self._which_number: dict[Decimal, int] = {}
        for place, code in enumerate(column.missing_codes[: column.missing_count]):
            for text in code.values:
                self._which[text] = place
                self._which.setdefault(moment_text(text), place)
                for number in () if declared is None else declared.numbers_meant((text,)):
                    self._which_number.setdefault(number, place)

    def fit(self, texts: Sequence[str]) -> Fit:
        """Return what each comes to."""
        found = [_UNREADABLE.get(text) or self._read(text) for text in texts]
        verdicts = np.array(found, dtype=np.int64).reshape(-1, 2)
        code, number = self._column.domain.code(verdicts[:, 0], self._first_missing)
        if self._column.missing_count > 1:
            code = self._tell_apart(texts, code, verdicts[:, 1])
        return Fit(self._column, code, verdicts[:, 1], number)

    def _tell_apart(self, texts: Sequence[str], code: IntArray, reason: IntArray) -> IntArray:
        """Return the codes with the own one for each text that stands for missing, in place of the
        first for missing."""
        missing = self._column.is_missing(code) & (reason <= Verdict.ROUNDED)
        which = [
            self._find_missing(text) if is_missing else 0
            for text, is_missing in zip(texts, missing.tolist(), strict=True)
        ]
        return code + np.array(which, dtype=np.int64)

    def _find_missing(self, text: str) -> int:
        """Return which code for missing a text stands for."""
        bare = text.strip()
        place = self._which.get(bare, self._which.get(moment_text(bare)))
        if place is None and self._ranged is not None:
            number = self._ranged.value_of(bare)
            assert number is not None
            return self._which_number[number]
        assert place is not None
        return place


def outside_of(column: Column, reasons: IntArray) -> Outside:
    """Return what lies outside, from the records by reason."""
    return Outside(
        column.name,
        unknown=int(reasons[Verdict.UNKNOWN]),
        too_low=int(reasons[Verdict.TOO_LOW]),
        too_high=int(reasons[Verdict.TOO_HIGH]),
        not_of_kind=int(reasons[Verdict.NOT_OF_KIND]),
        missing=int(reasons[Verdict.MISSING]),
        not_text=int(reasons[Verdict.NOT_TEXT]),
        not_apart=int(reasons[Verdict.NOT_APART]),
        not_a_value=int(reasons[Verdict.NOT_A_VALUE]),
        rounded=int(reasons[Verdict.ROUNDED]),
    )


def check_decided(column: Column, reasons: IntArray, policy: Policy) -> None:
    """Check that a policy leaves no record outside, given the records by reason.

    Raises:
        Refusal: it leaves some outside.
    """
    if policy != "missing" and reasons[_find_undecided(policy)].any():
        raise _refusal(column, outside_of(column, reasons), policy)


def _find_undecided(policy: Policy) -> BoolArray:
    """Return (reasons,) which of them leave a text without its own code."""
    without = np.arange(_REASONS) > Verdict.ROUNDED
    if policy == "clip":
        without[[Verdict.TOO_LOW, Verdict.TOO_HIGH]] = False
    return without


def check_present(present: Sequence[str], names: Sequence[str]) -> None:
    """Check that a table of these columns has every one of those of a schema.

    Raises:
        Refusal: it lacks one.
    """
    absent = [name for name in names if name not in present]
    if not absent:
        return
    alike = absent[0].casefold() in {name.casefold() for name in present}
    formed = same_letters(absent[0]) in map(same_letters, present)
    more = f" (nor {len(absent) - 1} more of the schema)" if len(absent) > 1 else ""
    raise Refusal(
        f"The table has no column “{absent[0]}”{more}.",
        "One differs only in capital letters: write the name the same way in both."
        if alike
        else "One is the same letters in another form of Unicode: write the name the same way in "
        "both."
        if formed
        else "Choose the table the schema describes, or take the column out of the schema.",
        field=absent[0],
    )


def check_policies(policies: Mapping[str, Policy], schema: Schema) -> None:
    """Check that each policy can be followed for its column.

    Raises:
        Refusal: one cannot.
    """
    for name, policy in policies.items():
        column = schema.column(name)
        if policy not in get_args(Policy):
            raise Refusal(
                f"The choice for values outside column “{name}” is unknown.",
                "Choose refuse, missing or clip.",
                field=name,
            )
        if policy == "missing" and column.unknown_code is None:
            raise Refusal(
                f"Column “{name}” has no code for values that are not known, so values outside it "
                "cannot be treated as missing."
                if column.missing
                else f"Column “{name}” does not allow missing values, so values outside it cannot "
                "be treated as missing.",
                "Allow missing values in the column, or choose otherwise.",
                field=name,
            )
        if policy == "clip" and not column.ordered:
            raise Refusal(
                f"Column “{name}” holds categories, which cannot be clipped.",
                "Choose refuse or missing.",
                field=name,
            )


def _refusal(column: Column, found: Outside, policy: Policy) -> Refusal:
    """Return what lies outside a column, by reason, and what can be done."""
    if policy == "clip":
        found = replace(found, too_low=0, too_high=0)
    return Refusal(
        f"Column “{column.name}” has values outside its domain: {list_misfits(column, found)}.",
        _remedy(column, found.too_low + found.too_high > 0),
        field=column.name,
    )


def list_misfits(column: Column, found: Outside) -> str:
    """Return how many records lie outside a column for each reason, in the words of its kind."""
    words = {
        Verdict.MISSING: "missing, which it does not allow",
        Verdict.NOT_TEXT: WHY[NOT_TEXT],
        Verdict.NOT_APART: WHY[NOT_APART],
        Verdict.NOT_A_VALUE: WHY[NOT_A_VALUE],
        **column.domain.outside_words,
    }
    reasons = (
        (verdict, getattr(found, verdict.name.lower()))
        for verdict in Verdict
        if verdict > Verdict.ROUNDED
    )
    return ", ".join(f"{count:,} {words[verdict]}" for verdict, count in reasons if count)


def _remedy(column: Column, can_clip: bool) -> str:
    options = ["Correct the column in the file or its domain in the schema"]
    if can_clip:
        options.append(f"clip the {column.domain.words.plural} to its bounds")
    if column.unknown_code is not None:
        options.append("treat what does not fit as missing")
    else:
        options.append("allow missing values in the column")
    return ", ".join(options[:-1]) + f", or {options[-1]}."
