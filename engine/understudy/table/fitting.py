"""What becomes of a text in a column: its code, or the reason why it has none.

A category is found as it stands or, failing that, without the blanks around it, or as another way
to write the same point in time; a number is read exactly and put on the nearest step, or in a
continuous column on the nearest number of its precision. A text is looked at once, however many
records hold it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from understudy.core.refusal import Refusal
from understudy.core.visible import same_letters
from understudy.table.cells import moment_text
from understudy.table.domain import Categories, Continuous, Grid
from understudy.table.lattice import Numbers
from understudy.table.number_texts import parse_number
from understudy.table.schema import Column, Schema
from understudy.table.unreadable import NOT_A_VALUE, NOT_APART, NOT_TEXT, WHY

Policy = Literal["refuse", "missing", "clip"]

(
    _FINE,
    _ROUNDED,
    _UNKNOWN,
    _TOO_LOW,
    _TOO_HIGH,
    _NOT_A_NUMBER,
    _MISSING,
    _NOT_TEXT,
    _NOT_APART,
    _NOT_A_VALUE,
    _REASONS,
) = range(11)
_UNREADABLE = {
    NOT_TEXT: (0, _NOT_TEXT),
    NOT_APART: (0, _NOT_APART),
    NOT_A_VALUE: (0, _NOT_A_VALUE),
}

_NO_PLACE = -1

Whole = npt.NDArray[np.int64]
Reader = Callable[[str], tuple[int, int]]


@dataclass(frozen=True)
class Outside:
    """How many records of a column lie outside its domain, by reason. Internal.

    Attributes:
        column: its name.
        unknown: not one of the categories.
        too_low, too_high: numbers outside the bounds.
        not_a_number: words, infinities and the like in a column of numbers.
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
    not_a_number: int = 0
    missing: int = 0
    not_text: int = 0
    not_apart: int = 0
    not_a_value: int = 0
    rounded: int = 0

    @property
    def total(self) -> int:
        """How many records need a decision; those rounded do not."""
        numbers = self.too_low + self.too_high + self.not_a_number
        unreadable = self.not_text + self.not_apart + self.not_a_value
        return self.unknown + numbers + self.missing + unreadable


class Fit:
    """What each of some texts comes to in a column.

    Attributes:
        column: the column.
        code: (texts,) the code of each; of a number outside the bounds, that of the nearer end.
        reason: (texts,) why it needs a decision, or that it does not.
        number: (texts,) of a continuous column, the number of each, of one outside the bounds the
            nearer bound; not a number where there is none. None for other columns.
    """

    def __init__(
        self, column: Column, code: Whole, reason: Whole, number: Numbers | None = None
    ) -> None:
        self.column, self.code, self.reason, self.number = column, code, reason, number

    def reasons(self, counts: Whole) -> Whole:
        """Return how many records there are by reason.

        Args:
            counts: (texts,) how many records hold each text.
        """
        found = np.zeros(_REASONS, dtype=np.int64)
        np.add.at(found, self.reason, counts)
        return found

    def tally(self, counts: Whole) -> Whole:
        """(cardinality,) records by code, those that need a decision left out."""
        fits = self.reason <= _ROUNDED
        tally = np.zeros(self.column.cardinality, dtype=np.int64)
        np.add.at(tally, self.code[fits], counts[fits])
        return tally

    def codes(self, policy: Policy) -> npt.NDArray[np.uint16]:
        """(texts,) the code of each under a policy; 0 where the policy leaves it outside."""
        instead = self.column.cardinality - 1 if policy == "missing" else 0
        return np.where(_decided(policy)[self.reason], instead, self.code).astype(np.uint16)

    def numbers(self, policy: Policy) -> Numbers:
        """(texts,) the number of each in a continuous column, as `codes`; not a number where it is
        missing or left outside."""
        assert self.number is not None
        return np.where(_decided(policy)[self.reason], np.nan, self.number)


class Fitter:
    """Tells what texts come to in one column."""

    def __init__(self, column: Column) -> None:
        self._column = column
        self._read = _reader(column)

    def fit(self, texts: Sequence[str]) -> Fit:
        """Return what each comes to."""
        found = [_UNREADABLE.get(text) or self._read(text) for text in texts]
        verdicts = np.array(found, dtype=np.int64).reshape(-1, 2)
        if isinstance(self._column.domain, Continuous):
            return _measured(self._column, self._column.domain, verdicts)
        return Fit(self._column, verdicts[:, 0], verdicts[:, 1])


def _measured(column: Column, domain: Continuous, verdicts: Whole) -> Fit:
    """Return what the texts of a continuous column come to.

    Args:
        column: the column.
        domain: its domain.
        verdicts: (texts, 2) the place of each one's number, −1 where it has none, and the reason.
    """
    place, reason = verdicts[:, 0], verdicts[:, 1]
    none = place < 0
    code = domain.lattice.cells_of(np.where(none, 0, place))
    missing = 0 if column.missing_code is None else column.missing_code
    number = np.where(none, np.nan, domain.lattice.numbers(place))
    return Fit(column, np.where(none, missing, code), reason, number)


def outside_of(column: Column, reasons: Whole) -> Outside:
    """Return what lies outside, from the records by reason."""
    return Outside(
        column.name,
        unknown=int(reasons[_UNKNOWN]),
        too_low=int(reasons[_TOO_LOW]),
        too_high=int(reasons[_TOO_HIGH]),
        not_a_number=int(reasons[_NOT_A_NUMBER]),
        missing=int(reasons[_MISSING]),
        not_text=int(reasons[_NOT_TEXT]),
        not_apart=int(reasons[_NOT_APART]),
        not_a_value=int(reasons[_NOT_A_VALUE]),
        rounded=int(reasons[_ROUNDED]),
    )


def check_decided(column: Column, reasons: Whole, policy: Policy) -> None:
    """Check that a policy leaves no record outside, given the records by reason.

    Raises:
        Refusal: it leaves some outside.
    """
    if policy != "missing" and reasons[_decided(policy)].any():
        raise _refusal(column, outside_of(column, reasons), policy)


def _decided(policy: Policy) -> npt.NDArray[np.bool_]:
    """(reasons,) which of them leave a text without its own code."""
    without = np.arange(_REASONS) > _ROUNDED
    if policy == "clip":
        without[[_TOO_LOW, _TOO_HIGH]] = False
    return without


def _reader(column: Column) -> Reader:
    if isinstance(column.domain, Categories):
        return _category_reader(column)
    if isinstance(column.domain, Continuous):
        return _measurement_reader(column, column.domain)
    return _number_reader(column, column.domain)


def _category_reader(column: Column) -> Reader:
    """(code, reason) of a text of a column of categories.

    Where neither the text nor the text without blanks is listed, one that names the same point in
    time is: “2020-01-01 00:00:00” in a schema is the day that a column of days or of points in
    time reads as.
    """
    known = {text: (code, _FINE) for code, text in enumerate(column.domain.texts)}
    for text in column.missing_values:
        known.setdefault(text, _missing(column))
    for text, verdict in tuple(known.items()):
        known.setdefault(moment_text(text), verdict)

    def read(text: str) -> tuple[int, int]:
        bare = text.strip()
        found = known.get(text) or known.get(bare) or known.get(moment_text(bare))
        return found or (0, _UNKNOWN)

    return read


def _number_reader(column: Column, grid: Grid) -> Reader:
    """(code, reason) of a text of a column of numbers; outside the bounds, the end's code."""
    known = {text: (code, _FINE) for code, text in enumerate(grid.texts)}
    known |= dict.fromkeys(column.missing_values, _missing(column))

    def read(text: str) -> tuple[int, int]:
        verdict = known.get(text) or known.get(text.strip())
        if verdict is not None:
            return verdict
        number = parse_number(text)
        return (0, _NOT_A_NUMBER) if number is None else _on_grid(number, grid)

    return read


def _measurement_reader(column: Column, domain: Continuous) -> Reader:
    """(place, reason) of a text of a continuous column; outside the bounds, the bound's place, and
    −1 where there is no number."""
    lattice, highest = domain.lattice, domain.lattice.count - 1
    standing = dict.fromkeys(column.missing_values, (_NO_PLACE, _missing(column)[1]))

    def read(text: str) -> tuple[int, int]:
        verdict = standing.get(text.strip())
        if verdict is not None:
            return verdict
        number = parse_number(text)
        if number is None:
            return _NO_PLACE, _NOT_A_NUMBER
        if number < domain.minimum:
            return 0, _TOO_LOW
        if number > domain.maximum:
            return highest, _TOO_HIGH
        place = lattice.place(number)
        return place, _FINE if lattice.number(place) == number else _ROUNDED

    return read


def _on_grid(number: Decimal, grid: Grid) -> tuple[int, int]:
    """(code, reason) of a number: the nearest value, a half going up."""
    if number < grid.minimum:
        return 0, _TOO_LOW
    if number > grid.maximum:
        return grid.size - 1, _TOO_HIGH
    steps = ((number - grid.minimum) / grid.step).to_integral_value(ROUND_HALF_UP)
    code = min(int(steps), grid.size - 1)
    return code, _FINE if grid.numbers[code] == number else _ROUNDED


def _missing(column: Column) -> tuple[int, int]:
    """(code, reason) of a text that stands for missing."""
    return (0, _MISSING) if column.missing_code is None else (column.missing_code, _FINE)


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
        if policy == "missing" and not column.missing:
            raise Refusal(
                f"Column “{name}” does not allow missing values, so values outside it cannot be "
                "treated as missing.",
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
    low, high = (0, 0) if policy == "clip" else (found.too_low, found.too_high)
    reasons = (
        (found.unknown, "not among its categories"),
        (low, "below its minimum"),
        (high, "above its maximum"),
        (found.not_a_number, "not numbers"),
        (found.missing, "missing, which it does not allow"),
        (found.not_text, WHY[NOT_TEXT]),
        (found.not_apart, WHY[NOT_APART]),
        (found.not_a_value, WHY[NOT_A_VALUE]),
    )
    counted = ", ".join(f"{count:,} {reason}" for count, reason in reasons if count)
    return Refusal(
        f"Column “{column.name}” has values outside its domain: {counted}.",
        _remedy(column, low + high > 0),
        field=column.name,
    )


def _remedy(column: Column, can_clip: bool) -> str:
    options = ["Correct the column in the file or its domain in the schema"]
    if can_clip:
        options.append("clip the numbers to its bounds")
    if column.missing:
        options.append("treat what does not fit as missing")
    else:
        options.append("allow missing values in the column")
    return ", ".join(options[:-1]) + f", or {options[-1]}."
