"""Declaring that a column is modelled by its distance from another that it follows, and back; and
which columns a declared order suggests it for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from understudy.core.refusal import Refusal
from understudy.table.column import Column
from understudy.table.domain import range_of
from understudy.table.recodings.recoded_column import Follows, recode_columns
from understudy.table.rules.conditions import LinearTest
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema


def follow_columns(schema: Schema, follows: Sequence[Follows]) -> Schema:
    """Return the schema with columns modelled by their distance from others; a column that is so
    already is modelled anew.

    Args:
        schema: as it is.
        follows: which; the longest distance is as the rules of the schema say, if it is not given.

    Raises:
        Refusal: one cannot be, or two follow each other.
    """
    names = {each.column for each in follows}
    of_file = {each.name: each for each in schema.file_columns}
    kept = [
        Follows(each.name, each.after, schema.column(each.distance))
        for each in schema.recodings
        if each.name not in names
    ]
    limited = [
        each
        if each.distance is not None or each.most is not None
        else Follows(each.column, each.after, most=find_longest(schema, each.column, each.after))
        for each in follows
    ]
    columns, recodings = recode_columns(tuple(of_file.values()), (*kept, *limited))
    return schema.with_recodings(recodings, columns)


def drop_recodings(schema: Schema, names: Collection[str]) -> Schema:
    """Return the schema with some columns modelled as they are again.

    Args:
        schema: as it is.
        names: of the columns, or of their distances.
    """
    gone = [each for each in schema.recodings if not {each.name, each.distance}.isdisjoint(names)]
    columns: dict[str, Column] = {each.distance: each.column for each in gone}
    kept = [each for each in schema.recodings if each not in gone]
    return schema.with_recodings(kept, [columns.get(it.name, it) for it in schema.columns])


def read_follows(texts: Sequence[str]) -> tuple[Follows, ...]:
    """Return the columns to be modelled by their distance, as they are typed: “discharged=admitted”
    or, if no distance is longer, “discharged=admitted+365”.

    Raises:
        Refusal: a text names no two columns, or no number after the sign; of the field “follows”.
    """
    found = []
    for text in texts:
        column, _, rest = (part.strip() for part in text.partition("="))
        after, plus, most = (part.strip() for part in rest.rpartition("+"))
        after = after if plus else most
        try:
            longest = Decimal(most) if plus else None
        except InvalidOperation:
            after, longest = "", None
        if not (column and after) or (longest is not None and not longest.is_finite()):
            raise Refusal(
                f"“{text}” names no column and the one that it follows.",
                "Write the column, then = and its anchor, and if it is known the longest distance: "
                "discharged=admitted+365.",
                field="follows",
            )
        found.append(Follows(column, after, most=longest))
    return tuple(found)


def with_follows(schema: Schema, texts: Sequence[str]) -> Schema:
    """Return the schema with columns modelled by their distance, as they are typed.

    Raises:
        Refusal: as of `read_follows` and `follow_columns`; of the field “follows”.
    """
    if not texts:
        return schema
    try:
        return follow_columns(schema, read_follows(texts))
    except Refusal as refusal:
        raise Refusal(refusal.problem, refusal.remedy, field="follows") from None


# What rules say of two columns.


def find_longest(schema: Schema, column: str, after: str) -> Decimal | None:
    """Return the longest distance that a rule of the schema allows, in days or as a number; None if
    none says so."""
    limits = []
    for rule in schema.rules:
        bound = _read_bound(schema, rule, column, after)
        if bound is not None and bound > 0:
            limits.append(bound)
    if not limits:
        return None
    least = min(limits)
    return Decimal(least.numerator) / Decimal(least.denominator)


def list_orders(schema: Schema) -> tuple[Follows, ...]:
    """Return how columns that rules put in order could be modelled by their distance, each once;
    none that is so already."""
    known = {each.name for each in schema.recodings}
    found: list[Follows] = []
    for rule in schema.rules:
        follows = suggest_follows(schema, rule)
        if follows is not None and follows.column not in known:
            known.add(follows.column)
            found.append(follows)
    return tuple(found)


def suggest_follows(schema: Schema, rule: Rule) -> Follows | None:
    """Return how the later of two columns could be modelled that a rule puts in order; None if it
    does not, or they have no distance, or the longest possible one is longer than the range of the
    column itself: then the column is told better as it is (`benchmarks durations`)."""
    columns = {each.name: each for each in schema.file_columns}
    if len(rule.names) != 2 or not columns.keys() >= set(rule.names):
        return None
    for after, column in (rule.names, rule.names[::-1]):
        if _read_bound(schema, rule, after, column) == 0:
            follows = Follows(column, after, most=find_longest(schema, column, after))
            try:
                modelled, _ = recode_columns(tuple(columns.values()), [follows])
            except Refusal:
                return None
            distance = range_of(modelled[schema.of_file.index(column)].domain)
            own = range_of(columns[column].domain)
            # The range of a distance is rounded up to whole cells.
            longest = distance.maximum - distance.width
            return follows if longest < own.maximum - own.minimum else None
    return None


def _read_bound(schema: Schema, rule: Rule, column: str, after: str) -> Fraction | None:
    """Return the number that a rule says a column is at most beyond another, in days or as a
    number; None if that is not all that it says."""
    if set(rule.names) != {column, after}:
        return None
    test = rule.bind(schema.file_columns)
    if not isinstance(test, LinearTest) or test.exact or test.counts or len(test.terms) != 2:
        return None
    factors = {
        values.column.name: Fraction(factor * 10**values.decimals) for values, factor in test.terms
    }
    if factors[column] <= 0 or factors[column] != -factors[after]:
        return None
    ranged = schema.of_file.column(column).domain.ranged
    per_day = 0 if ranged is None else ranged.per_day
    return Fraction(-test.constant) / factors[column] / max(1, per_day)
