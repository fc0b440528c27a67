"""Editing a schema: one setting of one column, or of many at once.

A change is a function from a column to a column. Where it cannot be made to one of many columns,
that column stays as it was and its refusal is collected; the others change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.table.authoring.cuts import separating_cuts
from understudy.table.authoring.number_ranges import usual_buckets
from understudy.table.authoring.partial_groups import Grouping
from understudy.table.authoring.recoding_edits import drop_recodings
from understudy.table.buckets import Buckets, ByCuts, ByGroups, ByWidth, EachValue
from understudy.table.cells import round_number_from, without_trailing_zeros
from understudy.table.checks import MOST_DECIMALS, count_decimals
from understudy.table.column import READ_OFF, Column, Origin, Role
from understudy.table.continuous import Continuous
from understudy.table.domain import Domain, range_of
from understudy.table.encoding import choices
from understudy.table.fit import Policy
from understudy.table.kinds import convert_domain
from understudy.table.levels import REST, fit_levels, levels_above, places_of
from understudy.table.missing_codes import (
    MISSING_TOKENS,
    MissingCode,
    label_missing,
    missing_of_labels,
    unlabelled,
)
from understudy.table.omissions import Omission, Why, can_be_named, omit
from understudy.table.schema import Schema

Change = Callable[[Column], Column]


@dataclass(frozen=True)
class Edited:
    """The result of a change to many columns.

    Attributes:
        schema: afterwards.
        changed: the columns that changed.
        refused: by column, why it did not change.
    """

    schema: Schema
    changed: tuple[str, ...]
    refused: Mapping[str, Refusal]


def edit_columns(schema: Schema, names: Collection[str], change: Change) -> Edited:
    """Make the same change to several columns. A declaration holds only while its content is
    unchanged.

    Raises:
        Refusal: a name is none of the schema's.
    """
    for name in names:
        schema.index(name)
    columns, refused = list(schema.columns), {}
    for place, column in enumerate(columns):
        if column.name in names:
            try:
                columns[place] = change(column)
            except Refusal as refusal:
                refused[column.name] = refusal
    pairs = zip(schema.columns, columns, strict=True)
    changed = tuple(after.name for before, after in pairs if after != before)
    if not changed:
        return Edited(schema, (), refused)
    return Edited(schema.with_columns(columns), changed, refused)


def with_settings(column: Column, **settings: Any) -> Column:
    """Return the column with some settings changed, and its buckets and levels fitted to the new
    domain.

    Raises:
        Refusal: the settings make no column.
    """
    domain = settings.get("domain", column.domain)
    if column.origin in READ_OFF and not _is_part(domain, column.domain):
        settings = {"origin": "", "source": "", **settings}
    buckets = settings.get("buckets", fit_buckets(domain, column.buckets))
    levels = fit_levels(domain, buckets, (column.domain, column.buckets, column.levels))
    return column.changed(**{"buckets": buckets, "levels": levels, **settings})


def _is_part(after: Domain, before: Domain) -> bool:
    """Return whether a column may contain nothing that it might not contain before, numbers that
    stand for missing aside."""
    if after.ranged is not None and before.ranged is not None:
        return after.ranged.with_gaps(()) == before.ranged.with_gaps(())
    return not (after.ordered or before.ordered) and {*after.texts} <= {*before.texts}


def fit_buckets(domain: Domain, buckets: Buckets) -> Buckets:
    """Return the buckets closest to the given ones that fit a domain."""
    ranged = domain.ranged
    match buckets:
        case ByWidth() if ranged is not None:
            fits = buckets.width >= ranged.width and ranged.fits_width(buckets.width)
            return buckets if fits else EachValue()
        case ByCuts() if ranged is not None:
            cuts = separating_cuts(ranged, buckets.cuts)
            return ByCuts(cuts=cuts) if cuts else EachValue()
        case ByGroups() if ranged is None:
            return _fit_groups(domain, buckets)
        case _:
            return EachValue()


def without_level(column: Column, place: int) -> Column:
    """Return the column without one of the levels above its buckets, counted from 0; those above
    it then stand on what is below."""
    domain, buckets = column.domain, column.buckets
    if not isinstance(buckets, ByGroups):
        return column.changed(levels=column.levels[:place] + column.levels[place + 1 :])
    where = list(places_of(domain, buckets, column.levels))
    del where[place]
    return column.changed(levels=levels_above(domain, buckets, where))


def _fit_groups(domain: Domain, buckets: ByGroups) -> Buckets:
    """Return the groups without removed categories, and with a group for new ones."""
    groups = Grouping(tuple((each.label, each.values) for each in buckets.groups), buckets.rest)
    kept = groups.within(set(domain.texts))
    full = tuple((label, values) for label, values in kept.groups if values)
    if not full:
        return EachValue()
    rest = kept.rest
    if rest is None and Grouping(full).list_ungrouped(domain.texts):
        used = {label for label, _ in full}
        names = (REST, *(f"{REST} {number}" for number in range(2, len(full) + 3)))
        rest = next(name for name in names if name not in used)
    return Grouping(full, rest).buckets()


def with_kind(column: Column, kind: str) -> Column:
    """Return the column as one of another kind, such as categories or whole numbers.

    Raises:
        Refusal: its categories are no numbers, its range is too long to list or too short to be
            continuous, or it has decimals that whole numbers cannot have.
    """
    if kind == column.domain.kind:
        return column
    return with_settings(column, domain=convert_domain(column.domain, kind))


def allow_missing(column: Column, codes: Sequence[MissingCode] | None = None) -> Column:
    """Return the column with missing allowed.

    Args:
        column: as it is.
        codes: its codes for missing; those it has, or the usual texts that are no value of it, if
            none are given.

    Raises:
        Refusal: a text of one is a value of the column.
    """
    if codes is None and column.missing:
        return column
    codes = unlabelled(usual_tokens(column)) if codes is None else codes
    return column.changed(missing=True, missing_codes=tuple(codes))


def give_meanings(column: Column, named: Sequence[MissingCode]) -> Column:
    """Return the column with the meanings of those codes for missing that it has; a listed value
    that is one of them becomes a code for missing.

    Args:
        column: as it is.
        named: codes with their meanings.

    Raises:
        Refusal: nothing else is listed in the column, or two codes would mean the same.
    """
    labels = {text: code.label for code in named for text in code.values}
    domain, listed = column.domain, [] if column.domain.ordered else [*labels]
    moved = [text for text in listed if domain.holds(text)]
    if moved:
        given = domain.given_labels or ("",) * domain.size
        kept = [pair for pair in zip(domain.texts, given, strict=True) if pair[0] not in moved]
        domain = type(domain).from_values(*(zip(*kept, strict=True) if kept else ((), ())))
    before = label_missing(column.missing_codes) if column.missing else []
    known = [(text, labels.get(text) or label) for text, label in before]
    codes = missing_of_labels([*known, *((text, labels[text]) for text in moved)])
    if not codes:
        return column
    return with_settings(column, domain=domain, missing=True, missing_codes=codes)


def usual_tokens(column: Column) -> tuple[str, ...]:
    """Return the usual texts for missing that are no value of a column."""
    return tuple(each for each in MISSING_TOKENS if not column.domain.holds(each)) or ("",)


def forbid_missing(column: Column) -> Column:
    """Return the column with every record holding a value."""
    return column.changed(missing=False)


def with_range(column: Column, /, **texts: str) -> Column:
    """Return the column of numbers or dates with some settings changed, such as its bounds.

    Args:
        column: as it is.
        texts: by the name of the setting, as it is typed.

    Raises:
        Refusal: it holds categories, a text is none that its kind reads, the settings make no
            range, or the kind has no such setting.
    """
    domain = column.domain
    if not domain.ordered:
        raise Refusal(
            "It holds categories, which have no smallest and largest.",
            "Make it one of numbers first.",
            field="kind",
        )
    unknown = sorted(texts.keys() - {setting.name for setting in domain.settings})
    if unknown:
        raise Refusal(
            f"A column of {domain.words.plural} has no {unknown[0]}.",
            "Make it one of another kind first, such as continuous numbers.",
            field="kind",
        )
    changed = type(domain).from_texts(domain.kind, {**domain.setting_texts(), **texts})
    return with_settings(column, domain=changed)


def with_category(column: Column, value: str, label: str = "") -> Column:
    """Return the column with one category more, at the end; unchanged where it has it.

    Raises:
        Refusal: it holds numbers, or the category is blank or stands for missing.
    """
    return with_settings(column, domain=column.domain.with_value(value, label))


def with_origin(column: Column, origin: Origin, source: str = "") -> Column:
    """Return the column with where it is publicly known from what it may contain.

    Args:
        column: as it is.
        origin: the kind of source.
        source: the same in the custodian's own words.

    Raises:
        Refusal: a word of these cannot be shown, or the two are said by halves.
    """
    return column.changed(origin=origin, source=source)


def without_columns(schema: Schema, names: Collection[str], why: Why = "choice") -> Schema:
    """Return the schema without some columns, which it then names as left out.

    Args:
        schema: with them.
        names: of the columns.
        why: the reason.

    Raises:
        Refusal: fewer than two would remain.
    """
    distances = {each.distance: each.name for each in schema.recodings}
    schema = drop_recodings(schema, names)
    names = {distances.get(name, name) for name in names}
    rest = tuple(column for column in schema.columns if column.name not in names)
    omissions = omit(schema.omissions, schema.order, names, why)
    derived = [each for each in schema.derived if each.name not in names]
    return schema.with_derived(derived).with_columns(rest).with_omissions(omissions)


def with_why(schema: Schema, names: Collection[str], why: Why) -> Schema:
    """Return the schema with another kind of reason for leaving out some columns.

    Raises:
        Refusal: one is not left out, or has a name that no column can have.
    """
    _check_left_out(schema, names)
    return schema.with_omissions(
        [
            Omission(name=each.name, place=each.place, why=why, empty=each.empty)
            if each.name in names
            else each
            for each in schema.omissions
        ]
    )


def with_role(column: Column, role: Role) -> Column:
    """Return the column with what it is to the table; a survey weight in many steps as continuous
    numbers in few cells, as in hundreds of steps noise outweighs it and adds to its total."""
    if role != "weight":
        return column.changed(role=role, population=None)
    return _measure_weights(column.changed(role=role))


_WEIGHT_CELLS: Final = 40
"""So many cells at most, and 16 at least."""
_FEW_STEPS: Final = 50


def _measure_weights(column: Column) -> Column:
    domain = column.domain
    if not domain.numeric or domain.measured or domain.size <= _FEW_STEPS:
        return column
    grid = range_of(domain)
    low, high = grid.numbers[0], grid.numbers[-1]
    decimals = max(map(count_decimals, (grid.width, low)))
    # Released weights with decimals have two digits more than the steps had.
    digits = max(decimals, 2 - grid.width.adjusted()) if decimals else 0
    precision = Decimal(1).scaleb(-min(digits, MOST_DECIMALS))
    steps = math.ceil(round_number_from((high - low) / _WEIGHT_CELLS) / precision)
    cells = Continuous.read(
        {
            "minimum": low,
            "maximum": high,
            "precision": precision,
            "step": without_trailing_zeros(steps * precision),
            "spelling": domain.setting_texts().get("spelling", ""),
        }
    )
    return with_settings(column, domain=cells, buckets=usual_buckets(cells))


def with_population(column: Column, population: Decimal | None) -> Column:
    """Return a survey weight with the public number that all weights of the population add up to;
    None for no such number.

    Raises:
        Refusal: it is no survey weight, or the number is none above 0.
    """
    return column.changed(population=population)


def name_omissions(schema: Schema, order: Sequence[str]) -> Schema:
    """Return the schema with all columns of the file that it neither uses nor derives named as left
    out, and with those that it derives where they stand in the file.

    Args:
        schema: as it is.
        order: every name in the file.
    """
    known = {each.name: each for each in schema.omissions}
    derived = {each.name for each in schema.derived}
    reasons: dict[str, Why] = {each.name: each.why for each in schema.omissions}
    if schema.people is not None:
        reasons[schema.people.person] = "people"
    omissions = [
        Omission(
            name=name,
            place=place,
            why=reasons.get(name, "choice"),
            empty=name in known and known[name].empty,
        )
        for place, name in enumerate(order)
        if name not in (*schema.of_file.names, *derived) and can_be_named(name)
    ]
    omissions += [each for each in schema.omissions if each.name not in order]
    schema = schema.with_omissions(omissions)
    if not any(name in order for name in derived):
        return schema
    return schema.with_derived(
        [
            each.at_place(order.index(each.name)) if each.name in order else each
            for each in schema.derived
        ]
    )


def keep_empty(schema: Schema, names: Collection[str], *, empty: bool = True) -> Schema:
    """Return the schema with some columns that are left out kept as empty ones, or not.

    Raises:
        Refusal: one is not left out, or has a name that no column can have.
    """
    _check_left_out(schema, names)
    return schema.with_omissions(
        [
            Omission(name=each.name, place=each.place, why=each.why, empty=empty)
            if each.name in names
            else each
            for each in schema.omissions
        ]
    )


def _check_left_out(schema: Schema, names: Collection[str]) -> None:
    """Check that a schema leaves out some columns.

    Raises:
        Refusal: it does not name one of them as left out.
    """
    known = {each.name for each in schema.omissions}
    unknown = next((name for name in names if name not in known), None)
    if unknown is not None:
        raise Refusal(
            f"The schema does not leave out a column “{unknown}”.",
            "Leave it out first.",
            field="left_out",
        )


def with_columns(schema: Schema, columns: Collection[Column], order: Sequence[str]) -> Schema:
    """Return the schema with columns put in, in the order of the file.

    Args:
        schema: without them.
        columns: what comes back.
        order: every name in the file.
    """
    known = {
        **dict(zip(schema.of_file.names, schema.columns, strict=True)),
        **{each.name: each for each in columns},
    }
    return schema.with_columns([known[name] for name in order if name in known])


def only_columns(
    schema: Schema, columns: Collection[Column], names: Collection[str], order: Sequence[str]
) -> Schema:
    """Return the schema of some columns alone; it names all others that it had as left out.

    Args:
        schema: as it is.
        columns: what comes back.
        names: of the columns to use.
        order: every name in the file.

    Raises:
        Refusal: they are fewer than two, or more than can be used together.
    """
    of_file = dict(zip(schema.of_file.names, schema.columns, strict=True))
    known = {**of_file, **{each.name: each for each in columns}}
    used = {name for name, each in known.items() if name in names or each.name in names}
    kept = [known[name] for name in order if name in used]
    dropped = [name for name in of_file if name not in used]
    omissions = omit(schema.omissions, schema.order, dropped, "choice")
    return schema.with_columns(kept).with_omissions(
        [each for each in omissions if each.name not in used]
    )


def with_policy(
    schema: Schema, policies: Mapping[str, Policy], names: Collection[str], policy: Policy
) -> tuple[dict[str, Policy], dict[str, Refusal]]:
    """Set the policy for values outside the domain of several columns.

    Returns:
        The policies afterwards, and by column why its policy stayed as it was.
    """
    after, refused = dict(policies), {}
    for column in schema.file_columns:
        if column.name not in names:
            continue
        if policy in choices(column):
            after[column.name] = policy
        else:
            refused[column.name] = _unsuitable(policy)
    return after, refused


def _unsuitable(policy: Policy) -> Refusal:
    if policy == "clip":
        return Refusal(
            "It holds categories, which have no nearest allowed value.",
            "Treat them as missing, or list them.",
            field="policies",
        )
    return Refusal(
        "It does not allow missing values.", "Allow missing values first.", field="policies"
    )
