"""A codebook: public descriptions of some columns, which override those of a schema.

A codebook may say as little as a title. What it leaves open stays as in the schema. A column whose
entry does not fit is reported and skipped; the others are still taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from understudy.core.refusal import Refusal
from understudy.table.authoring.number_ranges import with_usual_buckets
from understudy.table.buckets import Buckets
from understudy.table.categories import Categories
from understudy.table.cells import parse_number
from understudy.table.column import READ_OFF, Column, Origin, Role
from understudy.table.continuous import Continuous, usual_width
from understudy.table.domain import Domain
from understudy.table.grid import usual_step
from understudy.table.kinds import class_of_kind
from understudy.table.levels import Levels, fit_levels
from understudy.table.missing_codes import (
    MissingCode,
    label_missing,
    list_missing_texts,
    missing_of_labels,
)
from understudy.table.schema import Schema


@dataclass(frozen=True)
class Entry:
    """What a codebook says of one column; None and empty where it says nothing.

    Attributes:
        name: of the column.
        title: what a person reads.
        kind: the name of a kind of columns.
        values: each code and its label; the label is empty where there is none.
        settings: the bounds, the step, the precision and the unit of a range, as they are typed;
            see `domain.Setting`.
        missing: the codes for missing.
        required: whether every record has a value.
        buckets: the coarser values.
        levels: ever coarser groups or ranges of these.
        origin: where all of this is publicly known from; "" where the codebook has a place for it
            and leaves that empty.
        source: the same in somebody's own words.
        role: what the column is to the table.
    """

    name: str
    title: str = ""
    kind: str | None = None
    values: tuple[tuple[str, str], ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[MissingCode, ...] | None = None
    required: bool | None = None
    buckets: Buckets | None = None
    levels: Levels = ()
    origin: Origin | None = None
    source: str = ""
    role: Role | None = None


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
    codes = _missing_codes(entry, column)
    domain = _domain(entry, column, list_missing_texts(codes))
    beyond = [] if entry.missing else _list_labels_beyond(entry, domain, list_missing_texts(codes))
    allowed = bool(entry.missing) or (column is not None and column.missing)
    if beyond:
        codes = missing_of_labels([*(label_missing(codes) if allowed else ()), *beyond])
    required = entry.required
    if required is None:
        required = not (allowed or beyond)
    made = Column(
        name=entry.name,
        title=entry.title or (column.title if column else ""),
        domain=domain,
        missing=not required,
        missing_codes=codes,
        **_choose_origin(entry, column, domain),
        role=entry.role or (column.role if column else ""),
    )
    if column is not None and made.role == column.role and made.domain.numeric:
        made = made.changed(population=column.population)
    return _take_buckets(made, entry, column)


def _choose_origin(entry: Entry, column: Column | None, domain: Domain) -> dict[str, Any]:
    """Return where it is publicly known from what a column may contain: what a codebook says of
    that, or the codebook itself, if it says what the column may contain."""
    if entry.origin or entry.source:
        return {"origin": entry.origin or "custodian", "source": entry.source}
    if entry.origin is None and (entry.values or {"minimum", "maximum"} <= entry.settings.keys()):
        return {"origin": "codebook"}
    if column is None or (column.origin in READ_OFF and domain != column.domain):
        return {}
    return {"origin": column.origin, "source": column.source}


def entry_of(column: Column) -> Entry:
    """Return the description of a column as an entry of a codebook."""
    domain = column.domain
    entry = Entry(
        column.name,
        column.title,
        domain.kind,
        missing=column.missing_codes,
        required=not column.missing,
        origin=column.origin,
        source=column.source,
        role=column.role or None,
    )
    if not domain.ordered:
        labels = domain.given_labels or ("",) * domain.size
        return replace(entry, values=tuple(zip(domain.texts, labels, strict=True)))
    return replace(entry, settings=domain.setting_texts())


def _missing_codes(entry: Entry, column: Column | None) -> tuple[MissingCode, ...]:
    codes = entry.missing or (column.missing_codes if column is not None else (MissingCode(),))
    # A codebook often says among the values what a code for missing means.
    labels = dict(entry.values)
    return missing_of_labels(
        (text, labels.get(text, "") or label) for text, label in label_missing(codes)
    )


def _list_labels_beyond(
    entry: Entry, domain: Domain, known: Collection[str]
) -> list[tuple[str, str]]:
    """Return the labelled texts outside the range of a column, but those known: they are codes for
    missing, with their meanings."""
    if not domain.ordered:
        return []
    listed = [(text, label) for text, label in entry.values if label and text not in known]
    return [(text, label) for text, label in listed if not domain.holds(text)]


def _domain(entry: Entry, column: Column | None, tokens: tuple[str, ...]) -> Domain:
    """Return the domain of the column, from the codebook or else from the schema."""
    before = column.domain if column is not None else None
    # A codebook often lists the codes for missing among the others.
    values = [pair for pair in entry.values if pair[0] not in tokens]
    cls = None if entry.kind is None else class_of_kind(entry.kind)
    if values and (cls is None or cls.scale == "list"):
        return (cls or Categories).from_values(*zip(*values, strict=True))
    if cls is not None and entry.kind and not cls.numeric and cls.scale != "list":
        same = before is not None and before.kind == entry.kind
        return _read_typed_settings(cls, entry.kind, entry, before if same else None)
    if cls is None and before is not None and before.ordered and not before.numeric:
        return _read_typed_settings(type(before), before.kind, entry, before)
    measured = before is not None and before.measured and "unit" in entry.settings
    bounded = entry.settings.keys() - {"unit", "zone", "weekdays"}
    if (cls is None or cls.scale != "list") and (entry.kind or bounded or measured):
        return _read_range(entry, before)
    if before is None or (entry.kind is not None and before.kind != entry.kind):
        raise Refusal(
            "The codebook does not say what it may contain.",
            "List its values, or give a smallest and a largest one.",
        )
    return before


def _read_typed_settings(
    cls: type[Domain], kind: str, entry: Entry, before: Domain | None
) -> Domain:
    """Return the domain that a codebook describes by the settings of its kind."""
    known = {each.name for each in cls.settings}
    typed = {name: text for name, text in entry.settings.items() if name in known}
    texts = {**({} if before is None else before.setting_texts()), **typed}
    _check_ends("minimum" in texts and "maximum" in texts)
    return cls.from_texts(kind, texts)


def _check_ends(known: bool) -> None:
    if not known:
        raise Refusal(
            "The codebook does not say between which values it lies.",
            "Give its smallest and its largest value.",
        )


def _read_range(entry: Entry, before: Domain | None) -> Domain:
    """Return the range of numbers of a codebook; continuous where it or the column so far has a
    precision."""
    given = {
        name: number_or_refuse(text, name)
        for name, text in entry.settings.items()
        if name not in ("unit", "spelling", "zone", "weekdays")
    }
    so_far = before.ranged if before is not None and before.numeric else None
    if so_far is not None:
        bounds = {"minimum": so_far.minimum, "maximum": so_far.maximum, "step": so_far.width}
        given = {**bounds, **given}
    low, high, step = (given.get(name) for name in ("minimum", "maximum", "step"))
    _check_ends(low is not None and high is not None)
    assert low is not None
    assert high is not None
    was = so_far if so_far is not None and so_far.measured else None
    precision = given.get("precision", None if was is None else was.resolution)
    if precision is not None and entry.kind in (None, "numbers", "continuous"):
        width = usual_width(low, high, precision) if step is None else step
        unit = entry.settings.get("unit", "" if was is None else was.units)
        made: Domain = Continuous(
            minimum=low, maximum=high, precision=precision, step=width, unit=unit
        )
    else:
        made = _grid(entry, low, high, step, so_far)
    before_spelt = {} if so_far is None else so_far.setting_texts()
    spelling = entry.settings.get("spelling", before_spelt.get("spelling", ""))
    texts = {**made.setting_texts(), "spelling": spelling}
    return type(made).from_texts(made.kind, texts) if spelling else made


def _grid(
    entry: Entry, low: Decimal, high: Decimal, step: Decimal | None, before: Domain | None
) -> Domain:
    whole = all(number == number.to_integral_value() for number in (low, high, step or Decimal(1)))
    kind = entry.kind or ("integers" if whole else "numbers")
    if entry.kind is None and whole and before is not None and not before.measured:
        kind = before.kind
    if kind == "continuous":
        # Without a precision, a range of numbers in steps is all that is said.
        kind = "numbers"
    if step is None:
        step = usual_step(low, high, kind == "integers")
    bounds = {"minimum": low, "maximum": high, "step": step}
    return class_of_kind(kind).read({"kind": kind, **bounds})


def _take_buckets(made: Column, entry: Entry, before: Column | None) -> Column:
    """Return the column with the codebook's buckets and levels, else those it had, else round
    buckets."""
    if entry.buckets is not None:
        return made.changed(buckets=entry.buckets, levels=entry.levels)
    domain = made.domain
    if before is None:
        return with_usual_buckets(made)
    try:
        levels = fit_levels(domain, before.buckets, (before.domain, before.buckets, before.levels))
        return made.changed(buckets=before.buckets, levels=levels)
    except Refusal:
        return with_usual_buckets(made)


def _differences(before: Column | None, after: Column) -> tuple[str, ...]:
    """Return what changed, in words a custodian reads."""
    if before is None:
        return ("everything: the column was not used before",)
    found = []
    if before.title != after.title:
        found.append("its title")
    if before.domain != after.domain:
        found.append(_of_domain(before.domain, after.domain))
    if before.missing != after.missing or before.missing_codes != after.missing_codes:
        found.append("what stands for missing")
    if before.buckets != after.buckets:
        found.append("its buckets")
    if before.levels != after.levels:
        found.append("the levels above its buckets")
    if (before.origin, before.source) != (after.origin, after.source):
        found.append("where it is known from")
    if before.role != after.role:
        found.append("its role")
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
