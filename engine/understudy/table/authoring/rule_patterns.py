"""Patterns of rules that a form fills in: each is written as a text in the language of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, Literal

from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.column import Column, Origin
from understudy.table.missing_codes import NOT_APPLICABLE
from understudy.table.rules.conditions import NUMBER, TEXT, ColumnValues
from understudy.table.rules.rule import Rule, SetMissing
from understudy.table.rules.tree import (
    ChoicePart,
    ColumnPart,
    ComparisonPart,
    ConstantPart,
    JunctionPart,
    MembershipPart,
    MissingPart,
    NegationPart,
    RulePart,
    quote_column,
    quote_constant,
)

Relation = Literal["is", "is not", "<", "<=", ">", ">=", "missing", "known"]

RELATIONS: Final[Mapping[Relation, str]] = {
    "is": "is",
    "is not": "is not",
    "<": "is under",
    "<=": "is at most",
    ">": "is over",
    ">=": "is at least",
    "missing": "is missing",
    "known": "is known",
}
OF_MOMENTS: Final[Mapping[Relation, str]] = {
    "<": "is before",
    "<=": "is not after",
    ">": "is after",
    ">=": "is not before",
}
"""What the same relations are called between days and times."""


def list_relations(column: Column) -> Mapping[Relation, str]:
    """Return what can be said of a column in a condition, each with its words."""
    moments = ColumnValues(0, column).unit not in (TEXT, NUMBER)
    found = {**RELATIONS, **OF_MOMENTS} if moments else RELATIONS
    ordered = column.domain.ordered
    without = set[Relation]() if column.missing else {"missing", "known"}
    if not ordered:
        without |= {"<", "<=", ">", ">="}
    return {each: words for each, words in found.items() if each not in without}


def list_values(column: Column) -> Mapping[str, str]:
    """Return what a column may be said to be, each with what a reader calls it: every category,
    and the codes for missing that have a meaning. Numbers and days are typed, so that only their
    codes are listed."""
    domain = column.domain
    listed = () if domain.ordered else zip(domain.texts, domain.labels_read, strict=True)
    codes = zip(column.missing_codes[: column.missing_count], column.missing_labels, strict=True)
    return {
        **{text: label if label == text else f"{text} · {label}" for text, label in listed},
        **{code.label: label for code, label in codes if code.label},
    }


class Clause(Frozen, what="a condition of a rule"):
    """What a condition says of one column.

    Attributes:
        column: its name; "" as long as none is chosen.
        relation: how it is compared.
        values: the texts that it is compared with; several only of “is” and “is not”.
    """

    column: str = ""
    relation: Relation = "is"
    values: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is chosen yet."""
        return not self.column and not self.values

    def write(self, columns: Mapping[str, Column]) -> str:
        """Return it in the language of rules.

        Raises:
            Refusal: something is still to be chosen, or the column has no such value.
        """
        if not self.column:
            raise _incomplete("which column is meant")
        column = columns[self.column]
        name = quote_column(self.column)
        if self.relation == "missing":
            return f"is.na({name})"
        if self.relation == "known":
            return f"!is.na({name})"
        if not self.values:
            raise _incomplete(f"with what “{column.title or column.name}” is compared")
        constants = [_write_value(column, each) for each in self.values]
        if len(constants) > 1:
            listed = f"{name} %in% c({', '.join(constants)})"
            return f"!({listed})" if self.relation == "is not" else listed
        sign = {"is": "==", "is not": "!="}.get(self.relation, self.relation)
        return f"{name} {sign} {constants[0]}"


def _write_value(column: Column, value: str) -> str:
    """Return a value of a column as a constant of a rule."""
    ranged = column.domain.ranged
    if ranged is None or ranged.axis == "moments" or value in list_values(column):
        return quote_constant(value)
    number = ranged.parse(value)
    if number is None:
        raise Refusal(
            f"“{value}” is no value of “{column.title or column.name}”.",
            f"Write {column.domain.words.plural}, such as {ranged.end_texts[0]}.",
            field="rules",
        )
    return format(number, "f")


def _incomplete(what: str) -> Refusal:
    return Refusal(f"It is still to be said {what}.", "Choose it in the form.", field="rules")


def write_all(clauses: Sequence[Clause], columns: Mapping[str, Column]) -> str:
    """Return conditions with “and” between them, in the language of rules.

    Raises:
        Refusal: as of `Clause.write`.
    """
    written = [each.write(columns) for each in clauses]
    return written[0] if len(written) == 1 else " & ".join(written)


def write_if(
    conditions: Sequence[Clause], then: Sequence[Clause], columns: Mapping[str, Column]
) -> str:
    """Return the rule that some conditions imply others.

    Raises:
        Refusal: as of `Clause.write`.
    """
    return f"if ({write_all(conditions, columns)}) {write_all(then, columns)}"


def write_order(names: Sequence[str], *, strict: bool) -> str:
    """Return the rule that columns rise from one to the next.

    Args:
        names: of the columns, the lowest first.
        strict: whether no two may be the same.

    Raises:
        Refusal: fewer than two columns are named, or one twice.
    """
    if len(names) < 2:
        raise _incomplete("which columns are in order; choose two or more, the earliest first")
    _check_different(names)
    sign = "<" if strict else "<="
    return " & ".join(
        f"{quote_column(low)} {sign} {quote_column(high)}" for low, high in pairwise(names)
    )


def write_sum(parts: Sequence[str], total: str, *, exact: bool) -> str:
    """Return the rule that columns together are not above another, or exactly it.

    Args:
        parts: the columns that are added up.
        total: the column, or a number.
        exact: whether they come to exactly that.

    Raises:
        Refusal: nothing is added up, or nothing is named that it is compared with.
    """
    if len(parts) < 2:
        raise _incomplete("which columns are added up; choose two or more")
    if not total:
        raise _incomplete("what they are not above")
    _check_different((*parts, total))
    whole = " + ".join(map(quote_column, parts))
    return f"{whole} {'==' if exact else '<='} {quote_column(total)}"


def write_not_asked(
    name: str, code: str, conditions: Sequence[Clause], columns: Mapping[str, Column]
) -> str:
    """Return the rule that a column has no value exactly under some conditions.

    Args:
        name: of the column.
        code: the meaning of the code that says so; "" for any code for missing.
        conditions: when it is so.
        columns: by name.

    Raises:
        Refusal: no column is named, or as of `Clause.write`.
    """
    if not name:
        raise _incomplete("which column has no value then")
    quoted = quote_column(name)
    none = f"{quoted} == {quote_constant(code)}" if code else f"is.na({quoted})"
    return f"({none}) == ({write_all(conditions, columns)})"


def list_not_asked_codes(column: Column) -> Mapping[str, str]:
    """Return the codes of a column that may say that it has no value, each with its words; those
    that say “not applicable” first. Nothing if the column is never missing."""
    if not column.missing:
        return {}
    named = [each.label for each in column.missing_codes[: column.missing_count] if each.label]
    named.sort(key=lambda label: not label.casefold().startswith(NOT_APPLICABLE))
    return {**{label: label for label in named}, "": "missing, whatever the code"}


def write_count(
    clauses: Sequence[Clause], most: int, columns: Mapping[str, Column], *, exact: bool
) -> str:
    """Return the rule that so many of some conditions hold.

    Args:
        clauses: the conditions.
        most: how many hold at most.
        columns: by name.
        exact: whether exactly as many hold.

    Raises:
        Refusal: fewer than two conditions are given, or as of `Clause.write`.
    """
    if len(clauses) < 2:
        raise _incomplete("of which columns; choose two or more")
    counted = " + ".join(f"({each.write(columns)})" for each in clauses)
    return f"{counted} {'==' if exact else '<='} {most}"


def _check_different(names: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise Refusal("A column is named twice.", "Name each once.", field="rules")


Pattern = Literal["if", "order", "sum", "not asked", "count", "text"]

PATTERNS: Final[Mapping[Pattern, str]] = {
    "if": "If … then …",
    "order": "In order",
    "sum": "Sum of parts",
    "not asked": "Not asked under …",
    "count": "At most one of",
    "text": "In the rule language",
}
"""What each pattern is called."""


class RuleDraft(Frozen, what="a rule that is being written"):
    """A rule as a form has it, complete or not.

    Attributes:
        pattern: how it is given.
        conditions: what has to hold, of “if”, “not asked” and “count”.
        then: what follows, of “if”.
        names: the columns in order, or those that are added up.
        name: the column that a sum is compared with, or that is not asked.
        code: the meaning of the code that says that it is not asked; "" for any.
        exact: whether order is strict, a sum is exact, or exactly so many of the conditions hold.
        most: how many of the conditions hold at most.
        text: the rule in its language.
        origin, note, called: as of `Rule`: where it is known from, why it holds, and its name.
        instead, instead_code: the column of records that break it that is set to a code for
            missing, and which; "" to leave them out.
        replaced: the text of the rule that it takes the place of; "" for a new one.
    """

    pattern: Pattern = "if"
    conditions: tuple[Clause, ...] = (Clause(),)
    then: tuple[Clause, ...] = (Clause(),)
    names: tuple[str, ...] = ()
    name: str = ""
    code: str = ""
    exact: bool = False
    most: int = 1
    text: str = ""
    origin: Origin = ""
    note: str = ""
    called: str = ""
    instead: str = ""
    instead_code: str = ""
    replaced: str = ""

    @property
    def is_begun(self) -> bool:
        """Whether anything is given, so that it must not be lost."""
        given = (self.names, self.name, self.text.strip(), self.note.strip(), self.replaced)
        clauses = (*self.conditions, *self.then)
        return any(given) or not all(clause.empty for clause in clauses)

    def change(self, **given: Any) -> RuleDraft:
        """Return it with some of its settings changed."""
        return self.model_copy(update=given)

    @classmethod
    def of(cls, rule: Rule) -> RuleDraft:
        """Return the form of a rule: by its pattern if it has one, and else by its text."""
        draft = cls(
            origin=rule.origin,
            note=rule.note,
            called=rule.name,
            instead="" if rule.instead is None else rule.instead.column,
            instead_code="" if rule.instead is None else rule.instead.code,
            replaced=rule.text,
        )
        tree = rule.tree
        if isinstance(tree, ChoicePart) and tree.otherwise is None:
            conditions, then = _read_all(tree.condition), _read_all(tree.then)
            if conditions and then:
                return draft.change(conditions=conditions, then=then)
        if (
            isinstance(tree, ComparisonPart)
            and tree.sign in ("<", "<=")
            and isinstance(tree.left, ColumnPart)
            and isinstance(tree.right, ColumnPart)
        ):
            names = (tree.left.name, tree.right.name)
            return draft.change(pattern="order", names=names, exact=tree.sign == "<")
        return draft.change(pattern="text", text=rule.text)

    def write(self, columns: Mapping[str, Column]) -> str:
        """Return the rule in its language.

        Raises:
            Refusal: something is still to be given, or a column has no such value.
        """
        match self.pattern:
            case "if":
                return write_if(self.conditions, self.then, columns)
            case "order":
                return write_order(self.names, strict=self.exact)
            case "sum":
                return write_sum(self.names, self.name, exact=self.exact)
            case "not asked":
                return write_not_asked(self.name, self.code, self.conditions, columns)
            case "count":
                return write_count(self.conditions, self.most, columns, exact=self.exact)
        if not self.text.strip():
            raise _incomplete("what the rule is")
        return self.text

    def finish(self, columns: Sequence[Column]) -> Rule:
        """Return the rule.

        Raises:
            Refusal: as of `write`, it is not said where the rule is known from, or it names what
                is not there.
        """
        text = self.write({column.name: column for column in columns})
        if not (self.origin or self.note.strip()):
            raise _incomplete("where the rule is known from")
        instead = None
        if self.instead:
            instead = SetMissing(column=self.instead, code=self.instead_code)
        rule = Rule(
            text=text,
            name=self.called.strip(),
            origin=self.origin,
            note=self.note.strip(),
            instead=instead,
        )
        rule.bind(columns)
        return rule


_SIGNS: Final[Mapping[str, Relation]] = {
    "==": "is",
    "!=": "is not",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
}


def _read_all(part: RulePart) -> tuple[Clause, ...]:
    """Return conditions with “and” between them as a form has them; none if it cannot have them."""
    parts = part.parts if isinstance(part, JunctionPart) and part.sign == "&" else (part,)
    clauses = [_read_clause(each) for each in parts]
    return tuple(each for each in clauses if each is not None) if None not in clauses else ()


def _read_clause(part: RulePart) -> Clause | None:
    match part:
        case ComparisonPart(left=ColumnPart() as column, right=ConstantPart() as constant):
            if not isinstance(constant.value, bool):
                return Clause(
                    column=column.name, relation=_SIGNS[part.sign], values=(str(constant.value),)
                )
        case MembershipPart(item=ColumnPart() as column):
            return Clause(
                column=column.name,
                relation="is",
                values=tuple(str(each.value) for each in part.options),
            )
        case MissingPart():
            return Clause(column=part.column.name, relation="missing")
        case NegationPart(inner=MissingPart() as missing):
            return Clause(column=missing.column.name, relation="known")
        case NegationPart(inner=MembershipPart(item=ColumnPart() as column) as member):
            return Clause(
                column=column.name,
                relation="is not",
                values=tuple(str(each.value) for each in member.options),
            )
    return None
