"""Rules in plain words: “If age is under 16, then marital status is Single.”"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from understudy.core.text_escape import escape_invisible, shorten_text
from understudy.table.cells import parse_number
from understudy.table.column import ORIGINS, Column
from understudy.table.missing_codes import NOT_APPLICABLE
from understudy.table.rules.rule import Rule
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
)

_LONGEST: Final = 60
_NUMBERS: Final = {
    "==": "is", "!=": "is not", "<": "is under", "<=": "is at most", ">": "is over",
    ">=": "is at least",
}  # fmt: skip
_MOMENTS: Final = {
    "==": "is", "!=": "is not", "<": "is before", "<=": "is not after", ">": "is after",
    ">=": "is not before",
}  # fmt: skip
_SAME: Final = {"==": "is the same as", "!=": "is not the same as"}
_HOW_MANY: Final = {
    "==": "exactly {}", "<=": "at most {}", ">=": "at least {}", "<": "fewer than {}",
    ">": "more than {}", "!=": "not exactly {}",
}  # fmt: skip
_LATE: Final = "This was changed after it was seen how many they are."


def word_rule(
    tree: RulePart,
    columns: Sequence[Column],
    mark: Callable[[str], str] = lambda name: f"“{name}”",
    plain: Callable[[str], str] = lambda text: text,
) -> str:
    """Return a rule as a sentence.

    Args:
        tree: the rule, as the parser reads it.
        columns: of the schema, whose titles and labels are used where it has them.
        mark: sets what a column is called apart from other words.
        plain: writes the texts of values and labels.
    """
    said = _Writer({each.name: each for each in columns}, mark, plain).condition(tree)
    return f"{said[:1].upper()}{said[1:]}."


def word_policy(rule: Rule, columns: Sequence[Column]) -> str:
    """Return what becomes of records of the confidential table that break a rule, and whether that
    was decided late, in sentences."""
    late = f" {_LATE}" if rule.settled_late else ""
    if rule.instead is None:
        return f"Records of the confidential table that break it are left out.{late}"
    place, code = rule.instead.find_code(columns)
    column = columns[place]
    label = column.missing_labels[code - column.domain.size]
    return (
        f"In records of the confidential table that break it, “{column.title or column.name}” is "
        f"set to “{label}”.{late}"
    )


def word_source(rule: Rule) -> str:
    """Return where a rule is known from, a sentence; "" where nobody has said."""
    known = f"Known from {ORIGINS[rule.origin]}" if rule.origin else ""
    note = f"“{rule.note}”" if rule.note else ""
    return f"{': '.join(filter(None, (known, note)))}." if known or note else ""


@dataclass(frozen=True)
class RuleDescription:
    """A rule in words.

    Attributes:
        sentence: what it says.
        text: the same in the language of rules.
        name: what a person calls it; may be empty.
        source: where it is known from, a sentence; "" where nobody has said.
        policy: what becomes of records of the confidential table that break it, a sentence.
    """

    sentence: str
    text: str
    name: str
    source: str
    policy: str


def describe_rules(rules: Sequence[Rule], columns: Sequence[Column]) -> tuple[RuleDescription, ...]:
    """Return rules about some columns in words, in their order."""
    return tuple(
        RuleDescription(
            word_rule(rule.tree, columns),
            rule.text,
            rule.name,
            word_source(rule),
            word_policy(rule, columns),
        )
        for rule in rules
    )


@dataclass(frozen=True)
class _Writer:
    columns: Mapping[str, Column]
    mark: Callable[[str], str]
    plain: Callable[[str], str]

    def condition(self, part: RulePart, *, inner: bool = False) -> str:
        """Return a condition in words; in brackets, if it has parts and is itself a part."""
        match part:
            case ChoicePart():
                said = f"if {self.condition(part.condition)}, then {self.condition(part.then)}"
                if part.otherwise is not None:
                    said += f", and otherwise {self.condition(part.otherwise)}"
            case JunctionPart():
                joint = " and " if part.sign == "&" else " or "
                said = joint.join(self.condition(each, inner=True) for each in part.parts)
            case NegationPart():
                return self._negate(part.inner)
            case MissingPart():
                return f"{self._value(part.column)} is missing"
            case MembershipPart():
                return f"{self._value(part.item)} is {self._list(part, negated=False)}"
            case ComparisonPart():
                return self._compare(part)
            case ConstantPart():
                return "always" if part.value else "never"
            case _:
                return self._value(part)
        return f"({said})" if inner else said

    def _negate(self, part: RulePart) -> str:
        match part:
            case MissingPart():
                return f"{self._value(part.column)} is known"
            case MembershipPart():
                return f"{self._value(part.item)} is {self._list(part, negated=True)}"
            case ComparisonPart(sign="=="):
                return self._compare(replace(part, sign="!="))
        return f"it is not so that {self.condition(part, inner=True)}"

    def _compare(self, part: ComparisonPart) -> str:
        left, right, sign = part.left, part.right, part.sign
        if isinstance(left, ConstantPart) and not isinstance(right, ConstantPart):
            left, right, sign = right, left, MIRRORED[sign]
        if isinstance(left, CONDITIONS) and isinstance(right, CONDITIONS) and sign in ("==", "!="):
            joint = "exactly if" if sign == "==" else "exactly if it is not so that"
            return f"{self.condition(left, inner=True)} {joint} {self.condition(right, inner=True)}"
        counted = _list_truths(left)
        if counted and isinstance(right, ConstantPart) and isinstance(right.value, Decimal):
            how_many = _HOW_MANY[sign].format(right.value)
            listed = "; ".join(self.condition(each) for each in counted)
            return f"{how_many} of these {'holds' if right.value == 1 else 'hold'}: {listed}"
        if isinstance(right, ConstantPart):
            column = self._find_column(left)
            verb = (_MOMENTS if self._of_moments(left) else _NUMBERS)[sign]
            return f"{self._value(left)} {verb} {self._constant(right, column)}"
        verbs = _MOMENTS if self._of_moments(left) and self._of_moments(right) else _NUMBERS
        return f"{self._value(left)} {(verbs | _SAME)[sign]} {self._value(right)}"

    def _of_moments(self, part: RulePart) -> bool:
        """Return whether a part is a column of days or times."""
        column = self._find_column(part)
        ranged = None if column is None else column.domain.ranged
        return ranged is not None and ranged.axis == "moments"

    def _find_column(self, part: RulePart) -> Column | None:
        return self.columns.get(part.name) if isinstance(part, ColumnPart) else None

    def _value(self, part: RulePart) -> str:
        match part:
            case ColumnPart():
                column = self.columns.get(part.name)
                named = part.name if column is None else column.title or column.name
                return self.mark(named)
            case ConstantPart():
                return self._constant(part, None)
            case ArithmeticPart():
                sign = {"-": "−", "*": "×", "/": "÷"}.get(part.sign, part.sign)
                left = self._operand(part.left, bare="+-*/" if part.sign in "+-" else "*/")
                right = self._operand(part.right, bare={"+": "+-*/", "-": "*/"}.get(part.sign, ""))
                return f"{left} {sign} {right}"
        return f"(1 if {self.condition(part)})"

    def _operand(self, part: RulePart, bare: str) -> str:
        """Return a part of a sum; in brackets, unless its sign is one that needs none."""
        said = self._value(part)
        bracketed = isinstance(part, ArithmeticPart) and part.sign not in bare
        return f"({said})" if bracketed else said

    def _list(self, part: MembershipPart, *, negated: bool) -> str:
        column = self._find_column(part.item)
        listed = [self._constant(each, column) for each in part.options]
        if len(listed) == 1:
            return f"not {listed[0]}" if negated else listed[0]
        named = f"{', '.join(listed[:-1])} or {listed[-1]}"
        return f"none of {named}" if negated else named

    def _constant(self, part: ConstantPart, column: Column | None) -> str:
        if isinstance(part.value, bool):
            return "true" if part.value else "false"
        text = str(part.value)
        shown = _find_label(part.value, column) or text
        return self.plain(shorten_text(escape_invisible(shown), _LONGEST))


def _list_truths(part: RulePart) -> list[RulePart]:
    """Return the conditions that a sum counts; nothing if it is no such sum."""
    if isinstance(part, ArithmeticPart) and part.sign == "+":
        left, right = _list_truths(part.left), _list_truths(part.right)
        return [*left, *right] if left and right else []
    return [part] if isinstance(part, CONDITIONS) else []


def _find_label(value: Decimal | str, column: Column | None) -> str:
    """Return the label of a value of a column, or the meaning of its code for missing; "" where it
    has none of its own."""
    if column is None:
        return ""
    if column.domain.ranged is None:
        for text, label in zip(column.domain.texts, column.domain.labels_read, strict=True):
            if text == value or (isinstance(value, Decimal) and parse_number(text) == value):
                return label
    for code in column.missing_codes[: column.missing_count]:
        numbers = (parse_number(text) for text in code.values)
        if value in code.values or (isinstance(value, Decimal) and value in numbers):
            return code.label
        if isinstance(value, str) and value.casefold() in (code.label.casefold(), NOT_APPLICABLE):
            return code.label or value
    return ""
