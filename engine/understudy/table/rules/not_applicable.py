"""Codes for “not applicable”, and the rules that say exactly when a value is not applicable.

Without such a rule a released row may have the code where it makes no sense, and a value where
there can be none: the code is then only one more way to be missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, Protocol

from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.rules.language import split_choice
from understudy.table.rules.rule import HasColumns, Rule
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
    list_columns,
    quote_column,
    quote_constant,
)
from understudy.table.rules.value_names import find_missing_code

Key = tuple[Any, ...]
"""A part of a rule without its place in the text, so that equal ones are equal."""


class HasDeclaredRules(HasColumns, Protocol):
    """What has the columns and the rules of a schema."""

    @property
    def declared_rules(self) -> tuple[Rule, ...]:
        """The rules, those set aside among them."""
        ...

    @property
    def file_columns(self) -> tuple[Column, ...]:
        """The columns as the file has them."""
        ...


@dataclass(frozen=True)
class OpenCode:
    """A code for “not applicable” of which no rule says exactly when it stands.

    Attributes:
        column: that has it.
        meaning: what it is called.
    """

    column: Column
    meaning: str

    @property
    def condition(self) -> str:
        """That a record has it, as a rule says it."""
        return f"{quote_column(self.column.name)} == {quote_constant(self.meaning)}"

    @property
    def sentence(self) -> str:
        """That no rule says when it stands."""
        return (
            f"No rule says exactly when “{self.column.title or self.column.name}” is "
            f"“{self.meaning}”, so that released rows may have it where it makes no sense."
        )

    def write_rule(self, condition: str) -> str:
        """Return the rule that it stands exactly under a condition."""
        return f"({self.condition}) == ({condition})"

    def refuse(self) -> Refusal:
        """Return the refusal to declare a schema while this is open."""
        return Refusal(
            f"No rule says exactly when column “{self.column.name}” is “{self.meaning}”.",
            f"Add one, such as {self.write_rule('age < 16')}, or give the code another meaning, "
            "such as “missing”.",
            field=self.column.name,
        )


def list_open_codes(schema: HasDeclaredRules) -> tuple[OpenCode, ...]:
    """Return the codes for “not applicable” of which no rule says exactly when they stand."""
    found = []
    for column in schema.file_columns:
        wanted = _list_codes(column)
        if not wanted:
            continue
        trees = [rule.tree for rule in schema.declared_rules if column.name in rule.names]
        settled = _list_settled(trees, column)
        found += [
            OpenCode(column, column.missing_codes[code - column.domain.size].meaning)
            for code in sorted(wanted - settled)
        ]
    return tuple(found)


@dataclass(frozen=True)
class ExactRule:
    """A rule that says exactly when a code stands, made from a declared one that says it by halves.

    Attributes:
        half: the declared rule, which it can take the place of.
        text: of the rule.
    """

    half: Rule
    text: str


def suggest_exact_rules(schema: HasDeclaredRules, code: OpenCode) -> tuple[ExactRule, ...]:
    """Return rules that say exactly when a code stands, from those declared that say only when it
    has to, or only when it may. No record is looked at."""
    found = []
    for rule in schema.declared_rules:
        tree, parts = rule.tree, split_choice(rule.text)
        if parts is None or not isinstance(tree, ChoicePart) or tree.otherwise is not None:
            continue
        for atom, text, other in (
            (tree.then, parts[0], tree.condition),
            (tree.condition, parts[1], tree.then),
        ):
            said = _read_atom(atom, code.column)
            alone = _is_about_others(other, code.column)
            if said is not None and said.holds and alone and said.codes <= _list_codes(code.column):
                found.append(ExactRule(rule, code.write_rule(text.strip())))
    return tuple(found)


def _list_codes(column: Column) -> frozenset[int]:
    """Return the codes of a column that say “not applicable”."""
    allowed = enumerate(column.missing_codes[: column.missing_count], column.domain.size)
    return frozenset(code for code, each in allowed if each.not_applicable)


@dataclass(frozen=True)
class _Atom:
    """That a column has one of some codes for missing, or none of them.

    Attributes:
        codes: which.
        holds: whether it has one.
    """

    codes: frozenset[int]
    holds: bool


def _read_atom(part: RulePart, column: Column) -> _Atom | None:
    """Return what a part of a rule says of the codes for missing of a column; None if it says
    something else."""
    match part:
        case NegationPart():
            inner = _read_atom(part.inner, column)
            return None if inner is None else _Atom(inner.codes, not inner.holds)
        case MissingPart() if part.column.name == column.name:
            codes = range(column.domain.size, column.cardinality)
            return _Atom(frozenset(codes), holds=True)
        case MembershipPart(item=ColumnPart() as named) if named.name == column.name:
            return _name_codes(part.options, column, holds=True)
        case ComparisonPart(
            sign="==" | "!=", left=ColumnPart() as named, right=ConstantPart() as to
        ):
            pass
        case ComparisonPart(
            sign="==" | "!=", left=ConstantPart() as to, right=ColumnPart() as named
        ):
            pass
        case _:
            return None
    return (
        _name_codes((to,), column, holds=part.sign == "==") if named.name == column.name else None
    )


def _name_codes(constants: Sequence[ConstantPart], column: Column, *, holds: bool) -> _Atom | None:
    codes = [
        None if isinstance(each.value, bool) else find_missing_code(column, each.value)
        for each in constants
    ]
    known = frozenset(code for code in codes if code is not None)
    return None if None in codes else _Atom(known, holds)


def _is_about_others(part: RulePart, column: Column) -> bool:
    """Return whether a part of a rule does not speak of a column."""
    return all(each.name != column.name for each in list_columns(part))


def _list_settled(trees: Sequence[RulePart], column: Column) -> frozenset[int]:
    """Return the codes of a column of which rules say exactly when they stand."""
    wanted = _list_codes(column)
    parts = list(chain.from_iterable(map(_list_conjuncts, trees)))
    exact = [atom for part in parts for atom in _list_exact(part, column)]
    implied = {pair for part in parts for pair in _list_implications(part, column)}
    for part in parts:
        if isinstance(part, ChoicePart) and part.otherwise is None:
            for atom, other in ((part.then, part.condition), (part.condition, part.then)):
                said = _read_atom(atom, column)
                keys = _key(atom, column), _key(other, column)
                both = {keys, keys[::-1]} <= implied
                if said is not None and both and _is_about_others(other, column):
                    exact.append(said)
    return frozenset(code for atom in exact if atom.codes <= wanted for code in atom.codes)


def _list_conjuncts(part: RulePart) -> Iterator[RulePart]:
    if isinstance(part, JunctionPart) and part.sign == "&":
        for each in part.parts:
            yield from _list_conjuncts(each)
    else:
        yield part


def _list_exact(part: RulePart, column: Column) -> Iterator[_Atom]:
    """Yield what one rule says to stand exactly under a condition on other columns."""
    match part:
        case ComparisonPart(sign="==" | "!="):
            for atom, other in ((part.left, part.right), (part.right, part.left)):
                said = _read_atom(atom, column)
                if said is not None and _is_about_others(other, column):
                    yield said
        case ChoicePart(otherwise=RulePart() as otherwise):
            then, instead = _read_atom(part.then, column), _read_atom(otherwise, column)
            if (
                then
                and instead
                and then.codes == instead.codes
                and then.holds is not instead.holds
                and _is_about_others(part.condition, column)
            ):
                yield then
            said = _read_atom(part.condition, column)
            turned = _key(part.then, column) == _negate(_key(otherwise, column))
            if said is not None and turned and _is_about_others(part.then, column):
                yield said


def _list_implications(part: RulePart, column: Column) -> Iterator[tuple[Key, Key]]:
    """Yield what follows from what by a rule that has no “otherwise”, either way round."""
    if isinstance(part, ChoicePart) and part.otherwise is None:
        condition, then = _key(part.condition, column), _key(part.then, column)
        yield condition, then
        yield _negate(then), _negate(condition)


def _negate(key: Key) -> Key:
    return key[1] if key[0] == "!" else ("!", key)


def _key(part: RulePart, column: Column) -> Key:
    """Return a part without its place, and with codes of a column whatever they are called; what
    is not so stands under “!”."""
    said = _read_atom(part, column)
    if said is not None:
        key = ("codes", *sorted(said.codes))
        return key if said.holds else _negate(key)
    match part:
        case NegationPart():
            return _negate(_key(part.inner, column))
        case ComparisonPart(sign="!="):
            return "!", _key(replace(part, sign="=="), column)
        case MembershipPart(options=[single]):
            return _key(ComparisonPart(part.start, part.end, "==", part.item, single), column)
    inner = (each.name for each in fields(part) if each.name not in ("start", "end"))
    return type(part).__name__, *(_bare(getattr(part, name), column) for name in inner)


def _bare(value: Any, column: Column) -> Any:
    """Return what stands in a part of a rule, without its place."""
    if isinstance(value, tuple):
        return tuple(_bare(each, column) for each in value)
    return _key(value, column) if isinstance(value, RulePart) else value
