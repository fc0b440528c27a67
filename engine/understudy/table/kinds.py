"""The kinds of columns: one class each, registered here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, SerializeAsAny

from understudy.core.refusal import Refusal
from understudy.table.categories import Categories
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.domain import Domain, KindWords
from understudy.table.field_entry import FieldEntry
from understudy.table.grid import Grid
from understudy.table.times import DatesTimes, Times

KINDS: Final[list[type[Domain]]] = [Categories, Grid, Continuous, Dates, DatesTimes, Times]
"""In the order in which pages offer them; what a file says is offered to the last one first."""


def list_kinds() -> Mapping[str, KindWords]:
    """Return the words for every kind, by its name."""
    return {kind: words for each in KINDS for kind, words in each.kinds.items()}


def class_of_kind(kind: str) -> type[Domain]:
    """Return the class of a kind.

    Raises:
        Refusal: there is no such kind.
    """
    for each in KINDS:
        if kind in each.kinds:
            return each
    raise Refusal(
        f"“{kind}” is no kind of column.",
        f"Choose one of {', '.join(list_kinds())}.",
        field="kind",
    )


def list_spellings() -> dict[str, str]:
    """Return the kind that each word for one in a codebook names."""
    return {
        word.casefold(): kind
        for kind, words in list_kinds().items()
        for word in (*words.spellings, words.codebook)
    }


def list_settings() -> frozenset[str]:
    """Return the names of all settings that kinds have."""
    return frozenset(setting.name for kind in KINDS for setting in kind.settings)


def check_setting(kind: str | None, name: str, text: str) -> None:
    """Check that a text can be read as a setting of a kind; of any, if none is named.

    Raises:
        Refusal: it cannot.
    """
    refusals: list[Refusal] = []
    for cls in KINDS if kind is None else [class_of_kind(kind)]:
        for setting in cls.settings:
            if setting.name == name:
                try:
                    setting.read(text, name)
                except Refusal as refusal:
                    refusals.append(refusal)
                else:
                    return
    if refusals:
        raise refusals[0]


def extra_names() -> frozenset[str]:
    """Return what schema files may say of values beyond the words of the standard."""
    return frozenset[str]().union(*(each.extra_names for each in KINDS))


def claims_field(entry: FieldEntry) -> bool:
    """Return whether a field of a Table Schema says what its column may contain."""
    return any(each.claims(entry) for each in KINDS)


def domain_of_field(entry: FieldEntry) -> Domain:
    """Return what a field of a Table Schema says that its column may contain.

    Raises:
        Refusal: it says too little, or something unusable.
    """
    for each in reversed(KINDS):
        if each.claims(entry):
            return each.from_field(entry)
    raise Refusal(
        "It does not say what the column may contain.",
        "List its values under constraints.enum, or name its type, such as integer, and give "
        "constraints.minimum and constraints.maximum.",
    )


def recognise_domain(texts: Collection[str]) -> Domain | None:
    """Return the domain that only one kind has for some texts; None where several could."""
    for each in reversed(KINDS):
        domain = each.recognise(texts)
        if domain is not None:
            return domain
    return None


def convert_domain(domain: Domain, kind: str) -> Domain:
    """Return the values of a column as another kind.

    Raises:
        Refusal: they cannot be, or there is no such kind; of the field “kind”.
    """
    return domain if domain.kind == kind else class_of_kind(kind).convert(domain, kind)


def _read_domain(value: Any) -> Any:
    """Return the domain of settings as a file holds them, by their kind; a domain as it is."""
    if not isinstance(value, Mapping):
        return value
    kinds = [each for each in KINDS if value.get("kind") in each.kinds]
    if not kinds:
        raise Refusal(
            "What the column may contain is of no kind that exists.",
            f"Choose one of {', '.join(list_kinds())}.",
        )
    return kinds[0].model_validate(value)


AnyDomain = Annotated[SerializeAsAny[Domain], BeforeValidator(_read_domain)]
"""A domain of any kind, as a setting that is written to files and read again."""
