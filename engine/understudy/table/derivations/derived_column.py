"""A derived column: its name, how it is computed, and the column that comes of it; the order in
which columns that build on each other are computed, and a circle among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from pydantic import Field, model_validator

from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.table.column import Column
from understudy.table.derivations.derivation import Values
from understudy.table.derivations.registry import AnyDerivation
from understudy.table.domain import Domain
from understudy.table.missing_codes import MissingCode, compose_missing, parse_missing
from understudy.table.omissions import can_be_named

DERIVED_FIELD: Final = "derived"


class DerivedColumn(Frozen, what="a derived column"):
    """A column of the released table that is computed from others.

    Attributes:
        name: as in the header of the file.
        title: what a person reads; may be empty.
        formula: how it is computed.
        place: how many columns stand before it in the file, those left out included.
        missing_codes: what it holds where an input is missing: the code with the same meaning as
            the input's where it has one, or else the first.
        spelling: how text files write its numbers; "" as those that it is computed from.
        labels: of texts, each with what a person reads for it; none where the texts speak.

    Raises:
        Refusal: it has no name that a column can have, or is computed from itself.
    """

    name: str
    title: str = ""
    formula: AnyDerivation
    place: int = Field(default=0, ge=0)
    missing_codes: tuple[MissingCode, ...] = (MissingCode(),)
    spelling: str = ""
    labels: tuple[tuple[str, str], ...] = ()

    @model_validator(mode="after")
    def _usable(self) -> DerivedColumn:
        if not can_be_named(self.name):
            raise Refusal(
                "The name of a derived column is blank, begins or ends with a blank, or holds "
                "characters that are not seen.",
                "Name it as in the header of the file.",
                field=DERIVED_FIELD,
            )
        if self.name in self.formula.inputs:
            raise Refusal(
                f"Column “{self.name}” is derived from itself.",
                "Leave it out of its own formula.",
                field=self.name,
            )
        return self

    @property
    def sentence(self) -> str:
        """How it is computed, in words."""
        return f"Derived: {self.formula.words}."

    def at_place(self, place: int) -> DerivedColumn:
        """Return the same column with so many before it in the file."""
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return DerivedColumn(**{**kept, "place": place})

    def build_column(self, columns: Mapping[str, Column]) -> Column:
        """Return the column that comes of it, with every value that can come out.

        Args:
            columns: by name, those that it is computed from among them.

        Raises:
            Refusal: it is no function of such columns; of the column's own name.
        """
        inputs = [columns[name] for name in self.formula.inputs]
        try:
            column = Column(
                name=self.name,
                title=self.title,
                domain=self._dress(self.formula.domain(inputs)),
            )
            if not self.formula.may_be_missing(inputs):
                return column
            column = column.changed(missing=True, missing_codes=self.missing_codes)
            if column.domain.ranged is not None and column.domain.ranged.gaps:
                gap = column.domain.ranged.gap_words
                raise Refusal(
                    f"{gap} can come out of it as a number, and is a code for missing.",
                    "Give the derived column another text for missing, or none.",
                    field="missing_codes",
                )
            return column
        except Refusal as refusal:
            problem = refusal.problem
            if not problem.startswith(f"Column “{self.name}”"):
                problem = f"Column “{self.name}” cannot be derived: {problem}"
            raise Refusal(problem, refusal.remedy, field=self.name) from None

    def _dress(self, domain: Domain) -> Domain:
        """Return the domain with the declared spelling of its numbers, or labels of its texts."""
        if self.spelling and "spelling" in type(domain).model_fields:
            domain = domain.read({**domain.model_dump(), "spelling": self.spelling})
        if self.labels and not domain.ordered:
            labels = dict(self.labels)
            shown = [labels.get(text, "") for text in domain.texts]
            domain = type(domain).from_values(domain.texts, shown)
        return domain

    def compute(
        self, values: Sequence[Values], column: Column
    ) -> tuple[IntArray, FloatArray | None]:
        """Return (records,) the code of each record, and its number in a measured column.

        Args:
            values: of the columns that it is computed from, in the order of the formula.
            column: as `build_column` returned it.
        """
        none = self.formula.find_missing(values)
        places = np.where(none, 0, self.formula.compute(values, column.domain))
        codes, numbers = column.domain.code(places, column.domain.size)
        codes = np.where(none, column.domain.size + self._choose_missing(values, none), codes)
        return codes, None if numbers is None else np.where(none, np.nan, numbers)

    def _choose_missing(self, values: Sequence[Values], none: BoolArray) -> IntArray:
        """Return (records,) which code for missing stands where an input is missing: that of the
        first missing input, if it means the same there, or else the first."""
        own = {code.meaning: place for place, code in enumerate(self.missing_codes)}
        chosen = np.zeros(len(none), np.int64)
        for each in reversed(values):
            codes = each.column.missing_codes[: each.column.missing_count]
            if codes:
                alike = np.array([own.get(code.meaning, 0) for code in codes], np.int64)
                chosen = np.where(each.is_missing, alike[np.maximum(each.missing, 0)], chosen)
        return np.where(none, chosen, 0)

    def substance(self) -> list[object]:
        """Return what its values depend on beside its inputs, for the fingerprint of a schema."""
        missing = [[code.not_applicable, *code.values] for code in self.missing_codes]
        formula = self.formula.model_dump(mode="json")
        return [self.name, formula, missing, *([self.spelling] if self.spelling else [])]

    def as_dict(self) -> dict[str, Any]:
        """Return it as a schema file holds it."""
        told = {
            "name": self.name,
            "title": self.title,
            "place": self.place,
            "formula": _bare(self.formula.model_dump(mode="json")),
            "spelling": self.spelling,
            "labels": dict(self.labels),
        }
        return {
            **{name: value for name, value in told.items() if value not in ("", {})},
            "missingValues": compose_missing(self.missing_codes),
        }

    @classmethod
    def of_dict(cls, settings: Any) -> DerivedColumn:
        """Return the derived column that a schema file holds.

        Raises:
            Refusal: it holds none, or an unusable one.
        """
        if not isinstance(settings, dict):
            raise Refusal(
                "A derived column of the schema is no set of names and values.",
                "Write it in braces.",
                field=DERIVED_FIELD,
            )
        given = dict(settings)
        missing = parse_missing(given.pop("missingValues", [""]))
        labels = given.pop("labels", {})
        if not isinstance(labels, dict):
            raise Refusal(
                "The labels of a derived column are no set of texts and labels.",
                "Write them in braces.",
                field=DERIVED_FIELD,
            )
        return cls.read({**given, "missing_codes": missing, "labels": tuple(labels.items())})


def _bare(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a derivation that say something."""
    return {name: value for name, value in settings.items() if value not in ("", [], False)}


def order_derivations(
    derived: Sequence[DerivedColumn], names: Sequence[str]
) -> tuple[DerivedColumn, ...]:
    """Return derived columns in an order in which each comes after those that it is computed from.

    Args:
        derived: in any order.
        names: of the columns that are not derived.

    Raises:
        Refusal: one is computed from a column that there is not, or they go round in a circle,
            which is named.
    """
    by_name = {each.name: each for each in derived}
    for each in derived:
        unknown = next((it for it in each.formula.inputs if it not in {*names, *by_name}), None)
        if unknown is not None:
            raise Refusal(
                f"Column “{each.name}” is derived from “{unknown}”, which is no column of the "
                "schema.",
                "Use that column too, or take the derivation out.",
                field=each.name,
            )
    ordered: dict[str, DerivedColumn] = {}
    while len(ordered) < len(derived):
        ready = [
            each
            for each in derived
            if each.name not in ordered
            and all(name in ordered or name not in by_name for name in each.formula.inputs)
        ]
        if not ready:
            _refuse_circle([each for each in derived if each.name not in ordered])
        ordered |= {each.name: each for each in ready}
    return tuple(ordered.values())


def _refuse_circle(stuck: Sequence[DerivedColumn]) -> None:
    """Refuse columns each of which is computed from another of them.

    Raises:
        Refusal: always; it names a circle.
    """
    by_name = {each.name: each for each in stuck}
    path = [stuck[0].name]
    while path.count(path[-1]) < 2:
        path.append(next(name for name in by_name[path[-1]].formula.inputs if name in by_name))
    circle = path[path.index(path[-1]) :]
    raise Refusal(
        "Derived columns go round in a circle: " + " from ".join(f"“{it}”" for it in circle) + ".",
        "Take one of these derivations out: one of the columns has to be in the model.",
        field=circle[0],
    )


@dataclass(frozen=True)
class DerivationMismatch:
    """How the records of a table differ from a derivation. Internal.

    Attributes:
        column: the name of the derived column.
        records: how many records hold something else than is derived.
        looked_at: of how many.
    """

    column: str
    records: int
    looked_at: int
