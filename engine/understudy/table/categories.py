"""A kind of column: a list of categories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from understudy.core.refusal import Refusal
from understudy.table.cells import moment_text
from understudy.table.checks import MOST_CATEGORIES, check_read, check_texts, first_repeat
from understudy.table.domain import Domain, KindWords, Reader, Verdict
from understudy.table.field_entry import FieldEntry, read_list, read_text


class Categories(Domain, what="the categories"):
    """Texts that stand for themselves; the order given is the order of the codes.

    Attributes:
        values: each text as it stands in a file, 1 … `MOST_CATEGORIES`, all different.
        labels: what a person reads in place of each value; empty when the values speak.
    """

    kind: Literal["categories"] = "categories"
    values: tuple[str, ...]
    labels: tuple[str, ...] = ()

    kinds: ClassVar[Mapping[str, KindWords]] = {
        "categories": KindWords(
            "Categories",
            "text",
            "string",
            "categories",
            (
                "text",
                "character",
                "categorical",
                "category",
                "categories",
                "factor",
                "nominal",
                "ordinal",
                "boolean",
                "any",
            ),
        )
    }

    @model_validator(mode="after")
    def _usable(self) -> Categories:
        _check_size(len(self.values))
        check_texts(self.values, "category", "values")
        repeated = first_repeat(self.values)
        if repeated is not None:
            raise Refusal(
                f"Categories {repeated[0] + 1} and {repeated[1] + 1} of the list are the same.",
                "List each category once.",
                field="values",
            )
        if self.labels and len(self.labels) != len(self.values):
            raise Refusal(
                f"There are {len(self.labels)} labels for {len(self.values)} categories.",
                "Give every category a label, or none.",
                field="labels",
            )
        for place, label in enumerate(self.labels, 1):
            check_read(label, f"label at place {place} of the list", "labels")
        return self

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.values)

    @property
    def texts(self) -> tuple[str, ...]:
        """Code → text in a file."""
        return self.values

    @property
    def given_labels(self) -> tuple[str, ...]:
        """Code → what a person reads, where that is declared; else empty."""
        return self.labels

    def substance(self) -> list[object]:
        """Return what codes and texts depend on; labels do not count."""
        return [self.kind, *self.values]

    def to_field(self) -> FieldEntry:
        """Return what a field of a Table Schema says of it."""
        settings: dict[str, Any] = {}
        if self.labels:
            pairs = zip(self.values, self.labels, strict=True)
            settings["categories"] = [{"value": value, "label": label} for value, label in pairs]
        return FieldEntry("string", {"enum": list(self.values)}, settings=settings)

    @classmethod
    def claims(cls, entry: FieldEntry) -> bool:
        """Return whether a field lists its values, or holds truth values."""
        return entry.listed or entry.type == "boolean"

    @classmethod
    def from_field(cls, entry: FieldEntry) -> Self:
        """Return the categories that a field lists.

        Raises:
            Refusal: they are no list of texts, or unusable.
        """
        if not entry.listed:
            return cls(values=("false", "true"))
        entries = read_list(entry.settings.get("categories", []), "Its categories")
        listed = [_read_category(each) for each in entries]
        values = [value for value, _ in listed]
        if "enum" in entry.constraints:
            enum = read_list(entry.constraints["enum"], "Its values")
            values = [read_text(value, "A value") for value in enum]
        by_value = dict(listed)
        labels = [by_value.get(value, value) for value in values]
        return cls(values=tuple(values), labels=tuple(labels) if labels != values else ())

    @classmethod
    def convert(cls, domain: Domain, kind: str) -> Categories:
        """Return every value of a range, as a list of categories.

        Raises:
            Refusal: records hold numbers in it, or it is too long to list.
        """
        if domain.measured:
            raise Refusal(
                f"Its {domain.words.plural} are not listed.",
                "Make it one of numbers in steps first, or list the categories yourself.",
                field="kind",
            )
        if domain.size > MOST_CATEGORIES:
            raise Refusal(
                f"Its range holds {domain.size:,} values; a list can have {MOST_CATEGORIES:,}.",
                "Narrow the range or enlarge the step first.",
                field="kind",
            )
        return Categories(values=domain.texts, labels=domain.given_labels)

    @classmethod
    def from_values(cls, values: Sequence[str], labels: Sequence[str]) -> Domain:
        """Return the categories of a list.

        Raises:
            Refusal: they are unusable.
        """
        codes = tuple(values)
        shown = tuple(label or code for code, label in zip(codes, labels, strict=True))
        return cls(values=codes, labels=shown if shown != codes else ())

    def with_value(self, value: str, label: str) -> Domain:
        """Return the categories with one more, at the end; unchanged if it is one of them.

        Raises:
            Refusal: it is unusable.
        """
        if value in self.values:
            return self
        labels = self.labels
        if labels or label:
            labels = (*(labels or self.values), label or value)
        return Categories(values=(*self.values, value), labels=labels)

    def reader(self, missing_values: Sequence[str], missing: tuple[int, int]) -> Reader:
        """Return what turns a text into its code and a verdict.

        A category is found as it stands or, failing that, without the blanks around it. If neither
        is listed, one that names the same point in time is: “2020-01-01 00:00:00” in a schema is
        the day that a column of days or of points in time reads as.
        """
        known = {text: (code, int(Verdict.FITS)) for code, text in enumerate(self.values)}
        for text in missing_values:
            known.setdefault(text, missing)
        for text, verdict in tuple(known.items()):
            known.setdefault(moment_text(text), verdict)

        def read(text: str) -> tuple[int, int]:
            bare = text.strip()
            code = known.get(text) or known.get(bare) or known.get(moment_text(bare))
            return code or (0, Verdict.UNKNOWN)

        return read


def _read_category(entry: object) -> tuple[str, str]:
    """Return the value and the label of an entry of a list of categories."""
    if isinstance(entry, dict):
        value = read_text(entry.get("value"), "A category")
        return value, read_text(entry.get("label", value), "A label")
    text = read_text(entry, "A category")
    return text, text


def _check_size(size: int) -> None:
    if size == 0:
        raise Refusal("The list of categories is empty.", "List what may occur.", field="values")
    if size > MOST_CATEGORIES:
        raise Refusal(
            f"There are {size:,} categories; at most {MOST_CATEGORIES:,} can be used.",
            "Group the values in the file first, or leave the column out.",
            field="values",
        )
