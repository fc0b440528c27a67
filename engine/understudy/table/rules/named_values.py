"""Rules on the columns of a schema: which columns, values and codes the parts of a rule name.

A text names a value of its column by the text in the file or by its label, and a code for missing
by its texts or its meaning. What names nothing is refused, with the nearest that there is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Final

import numpy as np

from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.domain import range_of
from understudy.table.rules.conditions import (
    NUMBER,
    TEXT,
    CodesView,
    CodeTest,
    ColumnValues,
    Condition,
    LinearTest,
    NotTrue,
    SameText,
    Together,
    agree,
    imply,
)
from understudy.table.rules.tree import (
    CONDITIONS,
    MIRRORED,
    ArithmeticPart,
    ChoicePart,
    ColumnPart,
    ComparisonPart,
    ConstantPart,
    JunctionPart,
    MembershipPart,
    MissingPart,
    NegationPart,
    RulePart,
    refuse_place,
)
from understudy.table.rules.value_names import (
    describe_values,
    find_missing_code,
    find_near,
    list_missing_names,
    list_some_values,
    show_part,
    word_steps,
)

_COMPARED: Final = (*CONDITIONS, ColumnPart)
_TRUTH_WORDS: Final = {
    True: frozenset(("true", "t", "yes", "y", "1")),
    False: frozenset(("false", "f", "no", "n", "0")),
}


SumParts = Mapping[str, tuple[str, str]]
"""The two columns whose sum a column is that a rule names and records do not hold. It is missing as
the second is, which is missing wherever the first is."""


def bind_rule(
    text: str, tree: RulePart, columns: Sequence[Column], sums: SumParts | None = None
) -> Condition:
    """Return the condition that a rule puts on records of some columns.

    Args:
        text: of the rule, for refusals.
        tree: of the rule.
        columns: of the records.
        sums: columns that rules may name too, as sums of two others.

    Raises:
        Refusal: it names no such column or no such value, or compares what cannot be compared.
    """
    return _Binder(text, columns, sums or {}).condition(tree)


@dataclass
class _Sum:
    """A sum of columns, of conditions and of numbers; with texts that still have to be read as
    moments."""

    columns: dict[int, Fraction] = field(default_factory=dict)
    counts: list[tuple[Condition, Fraction]] = field(default_factory=list)
    texts: list[tuple[ConstantPart, Fraction]] = field(default_factory=list)
    number: Fraction = Fraction(0)

    @property
    def plain(self) -> bool:
        """Whether it is a number alone."""
        return not (self.columns or self.counts or self.texts)

    def times(self, factor: Fraction) -> _Sum:
        """Return the sum, multiplied."""
        return _Sum(
            {place: factor * each for place, each in self.columns.items()},
            [(condition, factor * each) for condition, each in self.counts],
            [(text, factor * each) for text, each in self.texts],
            factor * self.number,
        )

    def plus(self, other: _Sum) -> _Sum:
        """Return both sums together; a column that cancels out still counts if it is missing."""
        columns = dict(self.columns)
        for place, factor in other.columns.items():
            columns[place] = columns.get(place, Fraction(0)) + factor
        return _Sum(
            columns,
            self.counts + other.counts,
            self.texts + other.texts,
            self.number + other.number,
        )


class _Binder:
    def __init__(self, text: str, columns: Sequence[Column], sums: SumParts) -> None:
        self._text, self._columns, self._sums = text, columns, sums
        self._places = {column.name: place for place, column in enumerate(columns)}
        self._values: dict[int, ColumnValues] = {}

    def _refusal(self, part: RulePart, problem: str, remedy: str) -> Refusal:
        return refuse_place(self._text, part.start, part.end, problem, remedy)

    def _values_of(self, part: ColumnPart) -> ColumnValues:
        """Return the values of a column that is named.

        Raises:
            Refusal: there is no such column.
        """
        place = self._places.get(part.name)
        if place is None:
            near = find_near(part.name, self._places)
            raise self._refusal(
                part,
                f"the schema has no column “{show_part(part.name)}”",
                f"Did you mean “{near}”?"
                if near
                else "Name a column of the schema, or take the rule out.",
            )
        return self._at(place)

    def _at(self, place: int) -> ColumnValues:
        if place not in self._values:
            self._values[place] = ColumnValues(place, self._columns[place])
        return self._values[place]

    def _missing_values_of(self, part: ColumnPart) -> ColumnValues:
        """Return the values of the column that says whether a named one is missing, and by which
        code.

        Raises:
            Refusal: there is no such column.
        """
        if part.name in self._sums:
            return self._at(self._places[self._sums[part.name][1]])
        return self._values_of(part)

    # Conditions.

    def condition(self, part: RulePart) -> Condition:
        """Return a part as a condition.

        Raises:
            Refusal: it is a number or a text, or names what there is not.
        """
        match part:
            case ComparisonPart():
                return self._comparison(part)
            case MembershipPart():
                return self._membership(part)
            case MissingPart():
                values = self._missing_values_of(part.column)
                codes = np.arange(values.column.cardinality)
                return CodeTest(
                    values.place, values.column.is_missing(codes), np.ones(len(codes), dtype=bool)
                )
            case NegationPart():
                return NotTrue(self.condition(part.inner))
            case JunctionPart():
                inner = tuple(self.condition(each) for each in part.parts)
                return Together(inner, every=part.sign == "&")
            case ChoicePart():
                return self._choice(part)
            case ColumnPart():
                return self._truth_test(part, part, True)
        raise self._refusal(
            part,
            "this is no condition that is true or false",
            "Compare it with something, as in a + b <= c.",
        )

    def _choice(self, part: ChoicePart) -> Condition:
        condition = self.condition(part.condition)
        then = imply(condition, self.condition(part.then))
        if part.otherwise is None:
            return then
        otherwise = Together((condition, self.condition(part.otherwise)), every=False)
        return Together((then, otherwise), every=True)

    def _comparison(self, part: ComparisonPart) -> Condition:
        left, right, sign = part.left, part.right, part.sign
        if isinstance(left, ConstantPart) and not isinstance(right, ConstantPart):
            left, right, sign = right, left, MIRRORED[sign]
        equal = sign in ("==", "!=")
        found: Condition | None = None
        if equal and isinstance(right, ConstantPart):
            found = self._equal_constant(left, right)
        elif equal and isinstance(left, _COMPARED):
            found = self._equal_parts(left, right)
        if found is not None:
            return NotTrue(found) if sign == "!=" else found
        return self._linear_comparison(part, left, right, sign)

    def _equal_constant(self, left: RulePart, right: ConstantPart) -> Condition | None:
        """Return that a part is equal to a constant; None for sums, which are compared as such."""
        if isinstance(left, ColumnPart):
            if isinstance(right.value, bool):
                return self._truth_test(left, right, right.value)
            if left.name in self._sums:
                return self._missing_test(self._missing_values_of(left), right)
            return self._value_test(self._values_of(left), right)
        if isinstance(right.value, bool) and isinstance(left, CONDITIONS):
            condition = self.condition(left)
            return condition if right.value else NotTrue(condition)
        return None

    def _equal_parts(self, left: RulePart, right: RulePart) -> Condition | None:
        """Return that two conditions agree, or that two columns hold the same text; None for what
        is compared as numbers."""
        if isinstance(left, ColumnPart) and isinstance(right, ColumnPart):
            if not self._sums.keys().isdisjoint((left.name, right.name)):
                return None
            values, others = self._values_of(left), self._values_of(right)
            listed = not (values.column.ordered or others.column.ordered)
            return _same_text(values, others) if listed else None
        sides = (left, right)
        if any(isinstance(each, CONDITIONS) for each in sides) and all(
            isinstance(each, _COMPARED) for each in sides
        ):
            return agree(self.condition(left), self.condition(right))
        return None

    def _truth_test(self, column: ColumnPart, part: RulePart, truth: bool) -> Condition:
        """Return that a column of two values says that something is true, or that it is false."""
        values = self._values_of(column)
        texts = values.column.domain.texts if not values.is_measured else ()
        bare = [text.strip().casefold() for text in texts]
        codes = [code for code, text in enumerate(bare) if text in _TRUTH_WORDS[truth]]
        others = [text for text in bare if text in _TRUTH_WORDS[not truth]]
        if len(texts) != 2 or len(codes) != 1 or len(others) != 1:
            raise self._refusal(
                part,
                f"“{show_part(column.name)}” does not hold true and false alone",
                f"Compare it with one of its values, as in {column.name} == …",
            )
        return self._test_codes(values, codes)

    def _membership(self, part: MembershipPart) -> Condition:
        if not isinstance(part.item, ColumnPart):
            raise self._refusal(
                part.item, "only a column can be in a list", "Name a column before %in%."
            )
        if part.item.name in self._sums:
            equal = (
                self._comparison(ComparisonPart(each.start, each.end, "==", part.item, each))
                for each in part.options
            )
            return Together(tuple(equal), every=False)
        values = self._values_of(part.item)
        tests = [
            self._truth_test(part.item, each, each.value)
            if isinstance(each.value, bool)
            else self._value_test(values, each)
            for each in part.options
        ]
        listed = Together(tuple(tests), every=False)
        if all(isinstance(each, CodeTest) for each in tests):
            truth = listed.judge(CodesView((values.place,), (values.column.cardinality,)))
            return CodeTest(values.place, truth.true, truth.known)
        return listed

    # Values of a column.

    def _value_test(self, values: ColumnValues, part: ConstantPart) -> Condition:
        """Return that a column has one value, or one code for missing.

        Raises:
            Refusal: it has no such value.
        """
        assert not isinstance(part.value, bool)
        text = part.value if isinstance(part.value, str) else None
        number = self._number_of(values, part.value)
        domain = values.column.domain
        if text is not None and not domain.ordered:
            codes = [code for code, each in enumerate(domain.texts) if each == text]
            codes = codes or [c for c, each in enumerate(domain.labels_read) if each == text]
            if codes:
                return self._test_codes(values, codes)
        elif number is not None and self._holds(values, number):
            if values.is_measured:
                return self._sum_test(
                    _Sum({values.place: Fraction(1)}, number=-Fraction(number)), True
                )
            assert values.listed_numbers is not None
            return self._test_codes(
                values, [c for c, each in enumerate(values.listed_numbers) if each == number]
            )
        missing = self._missing_test(values, part)
        if missing is not None:
            return missing
        raise self._unknown_value(values, part, number)

    def _missing_test(self, values: ColumnValues, part: ConstantPart) -> CodeTest | None:
        """Return that a column holds the code for missing that a constant names; None for none."""
        assert not isinstance(part.value, bool)
        missing = find_missing_code(values.column, part.value)
        if missing is None:
            return None
        true = np.arange(values.column.cardinality) == missing
        return CodeTest(values.place, true, np.ones(len(true), dtype=bool))

    def _number_of(self, values: ColumnValues, value: Decimal | str) -> Decimal | None:
        """Return the number that a constant names in a column; None for none."""
        if isinstance(value, Decimal):
            return value if values.unit == NUMBER else None
        ranged = values.column.domain.ranged
        if ranged is None:
            return None
        number = ranged.parse(value)
        return ranged.value_of(value) if number is None else number

    def _holds(self, values: ColumnValues, number: Decimal) -> bool:
        """Return whether a number is one of a column's."""
        if not values.is_measured:
            return number in (values.listed_numbers or ())
        ranged = range_of(values.column.domain)
        if not ranged.minimum <= number <= ranged.maximum:
            return False
        return values.lattice.number(values.lattice.place(number)) == number

    def _test_codes(self, values: ColumnValues, codes: Iterable[int]) -> CodeTest:
        """Return that a column has one of some codes of values; unknown where it is missing."""
        true = np.zeros(values.column.cardinality, dtype=bool)
        true[list(codes)] = True
        known = ~values.column.is_missing(np.arange(values.column.cardinality))
        return CodeTest(values.place, true, known)

    def _unknown_value(
        self, values: ColumnValues, part: ConstantPart, number: Decimal | None
    ) -> Refusal:
        """Return the refusal of a constant that is no value of a column, with the nearest."""
        column, domain = values.column, values.column.domain
        shown = show_part(str(part.value))
        ranged = domain.ranged
        if ranged is None:
            if values.unit == TEXT and isinstance(part.value, Decimal):
                return self._refusal(
                    part,
                    f"“{column.name}” holds texts, and {shown} is a number",
                    f"Put one of its values in quotation marks: {list_some_values(column)}.",
                )
            near = find_near(
                str(part.value), (*domain.texts, *domain.labels_read, *list_missing_names(column))
            )
            return self._refusal(
                part,
                f"“{shown}” is none of the values of “{column.name}”",
                f"Did you mean “{near}”?" if near else f"Choose one of {list_some_values(column)}.",
            )
        if number is None:
            return self._refusal(
                part,
                f"“{column.name}” holds {domain.words.plural}, and “{shown}” is none"
                if isinstance(part.value, str)
                else f"“{column.name}” holds {domain.words.plural}, and {shown} is a plain number",
                f"Write one such as {self._write_lowest(values)}, or the meaning of a code for "
                "missing.",
            )
        nearest = min(max(number, ranged.minimum), ranged.maximum)
        if values.is_measured:
            nearest = values.lattice.number(values.lattice.place(nearest))
        else:
            nearest = min(values.listed_numbers or (), key=lambda each: abs(each - number))
        return self._refusal(
            part,
            f"“{column.name}” never is {shown}: it goes from {ranged.show(ranged.minimum)} to "
            f"{ranged.show(ranged.maximum)} {word_steps(values)}",
            f"The nearest value is {self._write_constant(values, nearest)}.",
        )

    def _write_lowest(self, values: ColumnValues) -> str:
        return self._write_constant(values, range_of(values.column.domain).minimum)

    def _write_constant(self, values: ColumnValues, number: Decimal) -> str:
        text = range_of(values.column.domain).spell(number)
        return text if values.unit == NUMBER else f'"{text}"'

    # Sums.

    def _linear_comparison(
        self, part: ComparisonPart, left: RulePart, right: RulePart, sign: str
    ) -> Condition:
        total = self._sum(left).plus(self._sum(right).times(Fraction(-1)))
        self._drop_cancelled(total)
        self._settle_units(part, total)
        if not total.columns and not total.counts:
            raise self._refusal(
                part, "no column decides this", "Compare a column with something else."
            )
        match sign:
            case "==":
                return self._sum_test(total, True)
            case "!=":
                return NotTrue(self._sum_test(total, True))
            case "<=":
                return self._sum_test(total, False)
            case ">":
                return NotTrue(self._sum_test(total, False))
            case ">=":
                return self._sum_test(total.times(Fraction(-1)), False)
        return NotTrue(self._sum_test(total.times(Fraction(-1)), False))

    def _sum_test(self, total: _Sum, exact: bool) -> Condition:
        """Return that a sum is at most 0, or exactly 0; of one column whose values have codes, as
        a test of these."""
        factors = {
            place: factor / 10 ** self._at(place).decimals
            for place, factor in total.columns.items()
        }
        scale = lcm(
            total.number.denominator,
            *(each.denominator for each in factors.values()),
            *(each.denominator for _, each in total.counts),
        )
        test = LinearTest(
            tuple((self._at(place), int(factors[place] * scale)) for place in sorted(factors)),
            tuple((condition, int(factor * scale)) for condition, factor in total.counts),
            int(total.number * scale),
            exact,
        )
        if len(test.places) == 1 and not any(values.is_measured for values, _ in test.terms):
            (place,) = test.places
            size = self._columns[place].cardinality
            if _is_of_codes(test):
                truth = test.judge(CodesView((place,), (size,)))
                return CodeTest(place, truth.true, truth.known)
        return test

    def _drop_cancelled(self, total: _Sum) -> None:
        """Take out of a sum the columns that cancel out in it, where the sum still holds another
        that is missing whenever they are."""
        for first, second in self._sums.values():
            if total.columns.get(self._places[second]):
                for place in self._list_parts(first):
                    if total.columns.get(place) == 0:
                        del total.columns[place]

    def _list_parts(self, name: str) -> list[int]:
        """Return the columns that a column is a sum of, or itself."""
        if name in self._sums:
            return [place for part in self._sums[name] for place in self._list_parts(part)]
        return [self._places[name]]

    def _sum(self, part: RulePart) -> _Sum:
        """Return a part as a sum.

        Raises:
            Refusal: it is a product of columns, or holds what cannot be counted.
        """
        match part:
            case ConstantPart():
                if isinstance(part.value, str):
                    return _Sum(texts=[(part, Fraction(1))])
                return _Sum(
                    number=Fraction(int(part.value) if isinstance(part.value, bool) else part.value)
                )
            case ColumnPart() if part.name in self._sums:
                both = [
                    self._sum(ColumnPart(part.start, part.end, name))
                    for name in self._sums[part.name]
                ]
                return both[0].plus(both[1])
            case ColumnPart():
                values = self._values_of(part)
                if values.unit == TEXT:
                    raise self._refusal(
                        part,
                        f"“{values.column.name}” holds texts, which have no order and no sum",
                        "Compare it by == or %in% with its values: "
                        f"{list_some_values(values.column)}.",
                    )
                return _Sum({values.place: Fraction(1)})
            case ArithmeticPart():
                return self._arithmetic(part)
        return _Sum(counts=[(self.condition(part), Fraction(1))])

    def _arithmetic(self, part: ArithmeticPart) -> _Sum:
        left, right = self._sum(part.left), self._sum(part.right)
        match part.sign:
            case "+":
                return left.plus(right)
            case "-":
                return left.plus(right.times(Fraction(-1)))
            case "*" if left.plain:
                return right.times(left.number)
            case "*" if right.plain:
                return left.times(right.number)
            case "/" if right.plain and right.number:
                return left.times(1 / right.number)
        if part.sign == "*":
            raise self._refusal(
                part,
                "columns are multiplied with each other",
                "Multiply columns by numbers only; or derive a column and compare with that.",
            )
        raise self._refusal(
            part,
            "this divides by a column or by 0",
            "Multiply the other side instead: a <= 2 * b for a / b <= 2.",
        )

    def _settle_units(self, part: ComparisonPart, total: _Sum) -> None:
        """Check that the parts of a sum can be compared, and read its texts as moments.

        Raises:
            Refusal: they cannot, or a text is no moment.
        """
        columns = [self._at(place) for place in total.columns]
        moments = {values.unit: values for values in columns if values.unit != NUMBER}
        if len(moments) > 1:
            first, second = list(moments.values())[:2]
            raise self._refusal(
                part,
                f"{describe_values(first)}, and {describe_values(second)}",
                "Make them columns of one kind.",
            )
        values = next(iter(moments.values()), None)
        balance = sum(
            (total.columns[each.place] for each in columns if each.unit != NUMBER), Fraction(0)
        )
        for text, factor in total.texts:
            reader = values or next(iter(columns), None)
            total.number += factor * self._read_text(text, reader)
            balance += factor if values is not None else 0
        total.texts.clear()
        if values is not None and balance:
            raise self._refusal(
                part,
                f"{describe_values(values)}, which are compared with a number here",
                "Compare it with another such column, with one of its values in quotation marks, "
                "or the difference of two of them with a number.",
            )

    def _read_text(self, part: ConstantPart, values: ColumnValues | None) -> Fraction:
        """Return the number of a text in a sum, as a column of the sum reads it."""
        if values is None:
            raise self._refusal(
                part, "a text is compared with a number", "Write a number without quotation marks."
            )
        number = self._number_of(values, str(part.value))
        if number is None:
            raise self._refusal(
                part,
                f"{describe_values(values)}, and “{show_part(str(part.value))}” is none",
                f"Write one such as {self._write_lowest(values)}.",
            )
        return Fraction(number)


def _is_of_codes(test: LinearTest) -> bool:
    """Return whether a test asks for the codes of its columns alone."""
    return all(isinstance(condition, CodeTest) for condition, _ in test.counts)


def _same_text(left: ColumnValues, right: ColumnValues) -> SameText:
    """Return that two columns of texts hold the same."""
    numbers: dict[str, int] = {}
    keys = []
    for values in (left, right):
        texts = [numbers.setdefault(text, len(numbers)) for text in values.column.domain.texts]
        keys.append(np.array(texts + [-1] * values.column.missing_count, dtype=np.int64))
    return SameText(left.place, right.place, *keys)
