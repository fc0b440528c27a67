"""A codebook: public descriptions of some columns, which override those of a schema.

A codebook may say as little as a title. What it leaves open stays as in the schema. A column whose
entry does not fit is reported and skipped; the others are still taken.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from understudy.core.refusal import Refusal
from understudy.table.authoring.suggestion import usual_buckets
from understudy.table.buckets import Buckets, ByGroups
from understudy.table.cells import parse_number
from understudy.table.column import Column, Origin
from understudy.table.continuous import Continuous, usual_width
from understudy.table.domain import Domain, Ranged, range_of
from understudy.table.grid import usual_step
from understudy.table.kinds import class_of_kind
from understudy.table.levels import fit_levels
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Entry:
    """What a codebook says of one column; None and empty where it says nothing.

    Attributes:
        name: of the column.
        title: what a person reads.
        kind: categories, whole numbers, numbers with decimals or continuous ones.
        values: each code and its label; the label is empty where there is none.
        minimum, maximum, step: of a range of numbers.
        precision, unit: of a continuous range.
        missing: the texts that stand for missing.
        required: whether every record has a value.
        buckets: the coarser values.
        levels: ever coarser groups of these, where they are groups.
        origin: where all of this is publicly known from.
    """

    name: str
    title: str = ""
    kind: str | None = None
    values: tuple[tuple[str, str], ...] = ()
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    step: Decimal | None = None
    precision: Decimal | None = None
    unit: str | None = None
    missing: tuple[str, ...] | None = None
    required: bool | None = None
    buckets: Buckets | None = None
    levels: tuple[ByGroups, ...] = ()
    origin: Origin | None = None


@dataclass(frozen=True)
class Merged:
    """A schema after merging a codebook.

    Attributes:
        schema: the columns as they are now described, not declared unless nothing changed.
        taken: per column of the codebook that was used, what was taken from it.
        unfit: per column that could not be used, why not.
        unknown: columns of the codebook that the table does not have.
        silent: columns of the schema that the codebook says nothing about.
    """

    schema: Schema
    taken: dict[str, tuple[str, ...]]
    unfit: dict[str, str]
    unknown: tuple[str, ...]
    silent: tuple[str, ...]


def merge_codebook(
    schema: Schema,
    entries: Sequence[Entry],
    *,
    names: Sequence[str] = (),
    leave_out: Collection[str] = (),
) -> Merged:
    """Return a schema whose descriptions are replaced by those of a codebook.

    Args:
        schema: what the columns may contain so far.
        entries: the codebook; the last of several about one column counts.
        names: the columns of the table in their order. One that the schema leaves out is taken in
            where the codebook says all there is to say.
        leave_out: columns not to take in.

    Raises:
        Refusal: not one column of the codebook is among them; `field` is "codebook".
    """
    known = names or schema.names
    about = {entry.name: entry for entry in entries}
    unknown = tuple(name for name in about if name not in known and name not in schema.names)
    if len(unknown) == len(about):
        raise Refusal(
            "No column of the codebook is in the table.",
            "Write the names of the columns as the first row of the table has them.",
            field="codebook",
        )
    columns = {column.name: column for column in schema.columns}
    taken: dict[str, tuple[str, ...]] = {}
    unfit: dict[str, str] = {}
    for name, entry in about.items():
        if name in unknown or name in leave_out:
            continue
        try:
            after = with_entry(entry, columns.get(name))
        except Refusal as refusal:
            unfit[name] = f"{refusal.problem} {refusal.remedy}"
        else:
            taken[name] = _differences(columns.get(name), after)
            columns[name] = after
    order = [name for name in known if name in columns]
    order += [name for name in columns if name not in order]
    return Merged(
        schema.with_columns([columns[name] for name in order]),
        taken,
        unfit,
        unknown,
        tuple(name for name in schema.names if name not in about),
    )


def with_entry(entry: Entry, column: Column | None) -> Column:
    """Return a column as a codebook describes it; what it leaves open stays.

    Args:
        entry: what the codebook says.
        column: as it is so far; None where nothing is known.

    Raises:
        Refusal: the codebook leaves open what the column may contain and nothing else says it, or
            what it says cannot be used.
    """
    tokens = _tokens(entry, column)
    domain = _domain(entry, column, tokens)
    required = entry.required
    if required is None:
        required = not (bool(entry.missing) or (column is not None and column.missing))
    made = Column(
        name=entry.name,
        title=entry.title or (column.title if column else ""),
        domain=domain,
        missing=not required,
        missing_values=tokens,
        origin=entry.origin or (column.origin if column else ""),
    )
    return _bucketed(made, entry, column)


def entry_of(column: Column) -> Entry:
    """Return the description of a column as an entry of a codebook."""
    domain, ranged = column.domain, column.domain.ranged
    entry = Entry(
        column.name,
        column.title,
        domain.kind,
        missing=column.missing_values,
        required=not column.missing,
        origin=column.origin or None,
    )
    if ranged is None:
        labels = domain.given_labels or ("",) * domain.size
        return replace(entry, values=tuple(zip(domain.texts, labels, strict=True)))
    return replace(
        entry,
        minimum=ranged.minimum,
        maximum=ranged.maximum,
        step=ranged.step,
        precision=ranged.resolution if ranged.measured else None,
        unit=ranged.units if ranged.measured else None,
    )


def _tokens(entry: Entry, column: Column | None) -> tuple[str, ...]:
    if entry.missing:
        return entry.missing
    return column.missing_values if column is not None else ("",)


def _domain(entry: Entry, column: Column | None, tokens: tuple[str, ...]) -> Domain:
    """Return the domain of the column, from the codebook or else from the schema."""
    before = column.domain if column is not None else None
    # A codebook often lists the codes for missing among the others.
    values = [pair for pair in entry.values if pair[0] not in tokens]
    scale = None if entry.kind is None else class_of_kind(entry.kind).scale
    if values and scale in (None, "list"):
        return class_of_kind(entry.kind or "categories").from_values(*zip(*values, strict=True))
    measured = before is not None and before.measured and entry.unit is not None
    ranged = scale != "list" and (entry.kind or _bounded(entry) or measured)
    if ranged:
        return _ranged(entry, None if before is None else before.ranged)
    if before is None or (entry.kind is not None and before.kind != entry.kind):
        raise Refusal(
            "The codebook does not say what it may contain.",
            "List its values, or give a smallest and a largest one.",
        )
    return before


def _bounded(entry: Entry) -> bool:
    numbers = (entry.minimum, entry.maximum, entry.step, entry.precision)
    return any(number is not None for number in numbers)


def _ranged(entry: Entry, before: Ranged | None) -> Ranged:
    """Return the range of a codebook; continuous where it or the column so far has a precision."""
    low, high, step = entry.minimum, entry.maximum, entry.step
    if before is not None:
        low = before.minimum if low is None else low
        high = before.maximum if high is None else high
        step = before.step if step is None else step
    if low is None or high is None:
        raise Refusal(
            "The codebook does not say between which numbers it lies.",
            "Give its smallest and its largest value.",
        )
    was = before if before is not None and before.measured else None
    precision = was.resolution if entry.precision is None and was is not None else entry.precision
    if precision is not None and entry.kind in (None, "numbers", "continuous"):
        width = usual_width(low, high, precision) if step is None else step
        unit = was.units if entry.unit is None and was is not None else entry.unit or ""
        return Continuous(minimum=low, maximum=high, precision=precision, step=width, unit=unit)
    return _grid(entry, low, high, step, before)


def _grid(
    entry: Entry, low: Decimal, high: Decimal, step: Decimal | None, before: Ranged | None
) -> Ranged:
    whole = all(number == number.to_integral_value() for number in (low, high, step or Decimal(1)))
    kind = entry.kind or ("integers" if whole else "numbers")
    if entry.kind is None and whole and before is not None and not before.measured:
        kind = before.kind
    if kind == "continuous":
        # Without a precision, a range of numbers in steps is all that is said.
        kind = "numbers"
    if step is None:
        step = usual_step(low, high, kind == "integers")
    cls = class_of_kind(kind)
    bounds = {"minimum": low, "maximum": high, "step": step}
    return range_of(cls.read({"kind": kind, **bounds}))


def _bucketed(made: Column, entry: Entry, before: Column | None) -> Column:
    """Return the column with the codebook's buckets and levels, else those it had, else round
    buckets."""
    if entry.buckets is not None:
        return made.changed(buckets=entry.buckets, levels=entry.levels)
    domain = made.domain
    usual = usual_buckets(domain)
    if before is None:
        return made.with_buckets(usual)
    try:
        levels = fit_levels(domain, before.buckets, (before.domain, before.buckets, before.levels))
        return made.changed(buckets=before.buckets, levels=levels)
    except Refusal:
        return made.with_buckets(usual)


def _differences(before: Column | None, after: Column) -> tuple[str, ...]:
    """Return what changed, in words a custodian reads."""
    if before is None:
        return ("everything: the column was not used before",)
    found = []
    if before.title != after.title:
        found.append("its title")
    if before.domain != after.domain:
        found.append(_of_domain(before.domain, after.domain))
    if before.missing != after.missing or before.missing_values != after.missing_values:
        found.append("what stands for missing")
    if before.buckets != after.buckets:
        found.append("its buckets")
    if before.levels != after.levels:
        found.append("the levels above its buckets")
    if before.origin != after.origin:
        found.append("where it is known from")
    return tuple(found)


def _of_domain(before: Domain, after: Domain) -> str:
    if after.ordered:
        return "its range"
    if before.kind == after.kind and before.texts == after.texts:
        return "the labels of its values"
    return f"its {after.size:,} values"


def number_or_refuse(text: str, what: str) -> Decimal:
    """Return a number as a codebook writes it.

    Raises:
        Refusal: it is none.
    """
    number = parse_number(text)
    if number is None:
        raise Refusal(f"Its {what} is not a number.", "Write a plain number, such as 0 or 99.5.")
    return number
