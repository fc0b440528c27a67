"""A column: its name, what it may contain and from where that is known, its codes for missing, and
its buckets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.buckets import Assignment, Buckets, EachValue, assign
from understudy.table.cells import without_trailing_zeros
from understudy.table.checks import check_decimal, check_read, name_problem
from understudy.table.domain import exact_text, range_of
from understudy.table.kinds import AnyDomain
from understudy.table.levels import Levels, assign_levels, fit_levels
from understudy.table.missing_codes import (
    MISSING_LABEL,
    MissingCode,
    check_codes,
    list_missing_texts,
    list_substance,
    without_codes,
)

# Where it is publicly known from what a column may contain, as its custodian says.

Origin = Literal[
    "",
    "questionnaire",
    "codebook",
    "classification",
    "law",
    "design",
    "custodian",
    "labels",
    "bounds",
    "table",
]
"""The kind of source; "" where nobody has said."""

ORIGINS: Final[Mapping[Origin, str]] = {
    "questionnaire": "a questionnaire or form",
    "codebook": "a published codebook",
    "classification": "a published classification",
    "law": "a law or regulation",
    "design": "the design of the data",
    "custodian": "the custodian’s words",
    "labels": "labels in the file",
    "bounds": "bounds that everybody knows by what a column is called",
    "table": "the table itself, each confirmed by name",
    "": "not said",
}
"""Each kind as a reader reads it."""
EVERY_ORIGIN: Final = tuple(each for each in get_args(Origin) if each)
KNOWN: Final[tuple[Origin, ...]] = ("questionnaire", "codebook", "classification", "law", "design")
"""The kinds that a custodian may choose for many columns."""
READ_OFF: Final[frozenset[Origin]] = frozenset({"labels", "bounds", "table"})
"""The kinds that say how a suggestion came about, and hold for it alone."""


Role = Literal["", "weight", "other weight", "target", "geography"]
"""What a column is to the table; "" for one among others."""

ROLES: Final[Mapping[Role, str]] = {
    "weight": "a survey weight",
    "other weight": "a survey weight that is not used",
    "target": "what is studied",
    "geography": "a place or an area",
    "": "no role of its own",
}
"""Each as a reader reads it."""


def origin_read(text: str) -> Origin | None:
    """Return the kind of source that a text names, as it stands in files or as a reader reads it;
    None where it names none."""
    said = text.strip().casefold()
    return next((each for each in EVERY_ORIGIN if said in (each, ORIGINS[each])), None)


def describe_origin(origin: Origin, source: str) -> str:
    """Return where something is known from, as a reader reads it; "" where nobody has said.

    Args:
        origin: the kind of source.
        source: the same in the custodian's own words.
    """
    if not origin or origin == "custodian":
        return source
    return f"{ORIGINS[origin]}: {source}" if source else ORIGINS[origin]


def origins_said(origins: Iterable[Origin]) -> str:
    """Return how many lists and ranges came from where, in a sentence; "" where nobody has said it
    of any."""
    found = Counter(origins)
    if not any(found[each] for each in EVERY_ORIGIN):
        return ""
    told = [f"{found[each]:,} from {ORIGINS[each]}" for each in EVERY_ORIGIN if found[each]]
    if found[""]:
        told.append(f"{found['']:,} not said")
    columns = count(sum(found.values()), "column")
    return f"Where it is known what the {columns} may contain: {', '.join(told)}."


class Column(Frozen, what="the column"):
    """What is publicly known of one column. Codes are 0 … cardinality − 1, those for missing the
    last.

    Attributes:
        name: as in the header of the file.
        title: what a person reads; may be empty.
        domain: what the column may contain.
        missing: whether a value may be missing.
        missing_codes: the codes for missing, each with its texts and its meaning; if no value may
            be missing, its texts name the values that count as missing all the same.
        buckets: the coarser values taken as a parent.
        levels: ever coarser groups or ranges of the buckets, the finest first; see
            `understudy.table.levels`.
        origin: where it is publicly known from what it may contain.
        source: the same in the custodian's own words; "" without any.
        role: what it is to the table, as its custodian says.
        population: of a survey weight, the public number that all weights of the population add up
            to; None where none is public.

    Raises:
        Refusal: a part is unusable, the buckets do not fit the domain or a level what is below it,
            its codes for missing cannot be told from each other and from its values, or words on
            its source stand without one, or it without them.
    """

    name: str
    title: str = ""
    domain: AnyDomain
    missing: bool = False
    missing_codes: tuple[MissingCode, ...] = (MissingCode(),)
    buckets: Buckets = EachValue()
    levels: Levels = ()
    origin: Origin = ""
    source: str = ""
    role: Role = ""
    population: Decimal | None = None

    @model_validator(mode="after")
    def _usable(self) -> Column:
        _check_name(self.name)
        try:
            check_read(self.title, "title", "title")
            check_read(self.source, "source", "origin")
            self._check_source()
            object.__setattr__(self, "domain", without_codes(self.missing_codes, self.domain))
            check_codes(self.missing_codes, self.domain)
            self._check_population()
            _ = self._above
        except Refusal as refusal:
            raise Refusal(
                f"Column “{self.name}”: {refusal.problem}", refusal.remedy, field=refusal.field
            ) from None
        return self

    def _check_source(self) -> None:
        """Check that words on the source and its kind go together.

        Raises:
            Refusal: they do not.
        """
        if bool(self.source) > bool(self.origin) or (self.origin == "custodian") > bool(
            self.source
        ):
            raise Refusal(
                "Where it is known from is said by halves.",
                "Say the kind of source, or what it is in your own words.",
                field="origin",
            )

    def _check_population(self) -> None:
        """Check that what weights add up to is said of a survey weight, and is a number above 0.

        Raises:
            Refusal: it is not.
        """
        if self.population is None:
            return
        if self.role != "weight" or not self.domain.numeric:
            raise Refusal(
                "What it adds up to over the population is said of no survey weight.",
                "Say that it is a survey weight, or leave the number out.",
                field="population",
            )
        check_decimal(self.population, "population")
        if self.population <= 0:
            raise Refusal(
                f"Weights that add up to {self.population:f} are none.",
                "Name a number above 0, such as the number of people in the population.",
                field="population",
            )

    @cached_property
    def _assignment(self) -> Assignment:
        return assign(self.domain, self.buckets)

    @cached_property
    def _above(self) -> tuple[Assignment, ...]:
        return assign_levels(self.domain, self.buckets, self.levels)

    @property
    def known_from(self) -> str:
        """Where it is publicly known from what it may contain, as a reader reads it; "" where
        nobody has said."""
        return describe_origin(self.origin, self.source)

    @property
    def cardinality(self) -> int:
        """How many codes there are, those for missing included."""
        return self.domain.size + self.missing_count

    @property
    def missing_count(self) -> int:
        """How many of the codes are for missing; they are the last ones."""
        return len(self.missing_codes) if self.missing else 0

    @property
    def missing_values(self) -> tuple[str, ...]:
        """All texts that stand for missing in a file."""
        return list_missing_texts(self.missing_codes)

    @property
    def missing_texts(self) -> tuple[str, ...]:
        """The text of each code for missing that is written to a file."""
        return tuple(code.written for code in self.missing_codes[: self.missing_count])

    @cached_property
    def missing_labels(self) -> tuple[str, ...]:
        """What a person reads for each code for missing."""
        allowed = self.missing_codes[: self.missing_count]
        return tuple(code.label_among(allowed) for code in allowed)

    @property
    def has_plain_missing(self) -> bool:
        """Whether it has a single code for missing, without a meaning."""
        return self.missing_codes[1:] == () and self.missing_codes[0].label_among(()) == (
            MISSING_LABEL
        )

    @property
    def unknown_code(self) -> int | None:
        """The code of a value that is not known: the first for missing that does not say “not
        applicable”. None where there is none."""
        allowed = enumerate(self.missing_codes[: self.missing_count], self.domain.size)
        return next((code for code, each in allowed if not each.not_applicable), None)

    def is_missing(self, codes: npt.NDArray[np.integer]) -> BoolArray:
        """Return which of some codes are for missing."""
        missing: BoolArray = codes >= self.domain.size
        return missing

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Code → text written to a file; of a measured column, code → its cell in a phrase."""
        return self.domain.texts + self.missing_texts

    @property
    def listed_texts(self) -> tuple[str, ...]:
        """The texts written to a file that can be listed: all but the numbers of a measured
        column, of which there may be too many."""
        return self.domain.listed_texts + self.missing_texts

    @cached_property
    def most_bytes(self) -> int:
        """The size of the longest text that is written to a file."""
        missing = (len(text.encode()) for text in self.missing_texts)
        return max(self.domain.most_bytes, *missing, 0)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Code → what a person reads."""
        return self.domain.labels_read + self.missing_labels

    @property
    def ordered(self) -> bool:
        """Whether the values have an order and distances, as numbers and dates do."""
        return self.domain.ordered

    @property
    def measured(self) -> bool:
        """Whether records hold numbers in this column and not only codes."""
        return self.domain.measured

    @property
    def even_weights(self) -> FloatArray:
        """Code → what it gets of values that are spread evenly, in proportion."""
        return np.concatenate([self.domain.even_weights, np.ones(self.missing_count)])

    @cached_property
    def bucket_map(self) -> IntArray:
        """Code → bucket, shape (cardinality,), read-only. Each code for missing is a
        bucket of its own."""
        assignment = self._assignment
        mapping = self._append_missing(assignment)
        mapping.flags.writeable = False
        return mapping

    @property
    def bucket_count(self) -> int:
        """How many buckets there are, those of missing included."""
        return len(self.bucket_labels)

    @cached_property
    def bucket_labels(self) -> tuple[str, ...]:
        """Bucket → what a person reads."""
        return self._assignment.labels + self.missing_labels

    def _append_missing(self, assignment: Assignment) -> IntArray:
        """Return the values of an assignment with one more for each code for missing."""
        beyond = range(len(assignment.labels), len(assignment.labels) + self.missing_count)
        return np.array((*assignment.buckets, *beyond), dtype=np.int64)

    @cached_property
    def _maps(self) -> tuple[IntArray, ...]:
        """Of each level, code → value at it: in full, through the buckets, and further up."""
        found = [np.arange(self.cardinality, dtype=np.int64), self.bucket_map]
        for each in self._above:
            found.append(self._append_missing(each)[found[-1]])
        for mapping in found:
            mapping.flags.writeable = False
        return tuple(found)

    @property
    def coarsest(self) -> int:
        """The number of the coarsest level: 0 is in full, 1 through the buckets, 2 and more
        through further levels."""
        return 1 + len(self.levels)

    def level_map(self, level: int) -> IntArray:
        """Code → value at a level, shape (cardinality,), read-only. Each code for missing is one
        of its own."""
        return self._maps[level]

    def level_size(self, level: int) -> int:
        """Return how many values there are at a level, missing included."""
        if level == 0:
            return self.cardinality
        return len(self.level_labels(level))

    def level_labels(self, level: int) -> tuple[str, ...]:
        """Return value at a level → what a person reads."""
        if level < 2:
            return self.bucket_labels if level else self.labels
        return self._above[level - 2].labels + self.missing_labels

    def name_level(self, level: int) -> str:
        """Return what the parts of a level of ordered values are, in a few words, such as “cells of
        1 month”, “years” or “12 ranges”."""
        ranged = range_of(self.domain)
        if not level:
            return f"cells of {ranged.step_words}" if ranged.measured else "single values"
        groups = self.level_map(level)[: self.domain.size]
        cuts = tuple(ranged.numbers[place] for place in np.flatnonzero(np.diff(groups)) + 1)
        named = (title.lower() for title, each in ranged.cut_presets().items() if each == cuts)
        return next(named, f"{len(cuts) + 1:,} ranges")

    def fold(self, fine: int, coarse: int) -> IntArray:
        """Return value at one level → value at another that is no finer."""
        folded = np.empty(self.level_size(fine), dtype=np.int64)
        folded[self.level_map(fine)] = self.level_map(coarse)
        return folded

    @property
    def gap_note(self) -> str:
        """What a person should know of numbers between its bounds that stand for missing, in a
        sentence; "" if there are none."""
        ranged = self.domain.ranged
        if ranged is None or not ranged.gaps:
            return ""
        several = len(ranged.gaps) > 1
        stand = "stand for missing, so they are" if several else "stands for missing, so it is"
        values = "values" if several else "a value"
        return f"{ranged.gap_words} {stand} read as that and never released as {values}."

    def substance(self) -> dict[str, Any]:
        """Return what its codes and buckets depend on, and what its weights add up to, for the
        fingerprint of a schema."""
        substance: dict[str, Any] = {
            "name": self.name,
            "domain": self.domain.substance(),
            "missing": list_substance(self.missing_codes) if self.missing else None,
            "buckets": self.bucket_map.tolist(),
        }
        if self.population is not None:
            substance["population"] = f"{without_trailing_zeros(self.population):f}"
        if self.domain.ranged is not None and self.domain.ranged.gaps:
            substance["gaps"] = [exact_text(gap) for gap in self.domain.ranged.gaps]
        above = [self.level_map(level).tolist() for level in range(2, self.coarsest + 1)]
        return {**substance, "levels": above} if above else substance

    def with_buckets(self, buckets: Buckets) -> Column:
        """Return the same column in other buckets, with its levels above them as far as they still
        fit.

        Raises:
            Refusal: they do not fit the domain.
        """
        levels = fit_levels(self.domain, buckets, (self.domain, self.buckets, self.levels))
        return self.changed(buckets=buckets, levels=levels)

    def changed(self, **settings: Any) -> Column:
        """Return the same column with some settings changed.

        Raises:
            Refusal: as on construction.
        """
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return Column(**{**kept, **settings})


def _check_name(name: str) -> None:
    if not name.strip():
        raise Refusal("A column has no name.", "Give every column a name.", field="name")
    wrong = name_problem(name) if name == name.strip() else "begins or ends with a blank"
    if wrong is not None:
        raise Refusal(
            f"The name of a column {wrong}.",
            "Rename the column in the file and in the schema.",
            field="name",
        )


def summarise_column(column: Column) -> tuple[str, str, str, str]:
    """Return what a column is in words: its name, its kind, what it may contain, and how many
    buckets and levels above them there are."""
    domain, ranged = column.domain, column.domain.ranged
    if ranged is None:
        contents = f"{domain.size:,} values"
    else:
        span = f"{ranged.show(ranged.minimum)} to {ranged.show(ranged.maximum)}"
        contents = f"{span} by {ranged.step_words}"
        contents += f", without {ranged.gap_words}" if ranged.gaps else ""
    if ranged is not None and ranged.measured:
        unit = f" {ranged.units}" if ranged.units else ""
        contents += f", {ranged.kept_words}{unit}"
    several = f" or one of {column.missing_count} codes for missing"
    missing = several if column.missing_count > 1 else " or missing" if column.missing else ""
    buckets = ", then ".join(f"{size:,}" for size in (column.bucket_count, *level_sizes(column)))
    return column.name, domain.kind, contents + missing, buckets


def level_sizes(column: Column) -> list[int]:
    """Return how many values there are at each level above the buckets."""
    return [column.level_size(level) for level in range(2, column.coarsest + 1)]
