"""A published evaluation that can be run again, its result, and the list of all of them.

The folder of a method here has a tuple `REPRODUCTIONS`. An installed package names each of its own
under the entry points “understudy.reproductions”.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

import understudy.studies
from understudy.mechanisms import companions
from understudy.mechanisms.fields import FieldTable

if TYPE_CHECKING:
    from understudy.mechanisms.errata import Errata
    from understudy.studies.document import Picture, Section
    from understudy.table.fit import Policy
    from understudy.table.records import Records
    from understudy.table.schema import Schema


Told = Callable[[str], None]
"""Called before each stage with what is done next; it may raise to stop."""

Read = Callable[[Path, "Schema", "Mapping[str, Policy]"], "Records"]
"""Reads a table file by its schema; values outside of it as the policies of their columns say."""


@dataclass(frozen=True)
class ReproductionRequest:
    """What a reproduction is asked for.

    Attributes:
        quick: whether it is to be done at a smaller size, in minutes.
        seed: start of all random numbers; None for the reproduction's usual one.
        settings: what was given of its fields, by their names.
        command: what was typed, to have it again.
        date: the day, as 2026-11-23.
        read: reads a table file, for a reproduction that takes one.
    """

    quick: bool
    seed: int | None
    settings: Mapping[str, Any]
    command: str
    date: str
    read: Read


@dataclass(frozen=True)
class Document:
    """What came of a reproduction.

    Attributes:
        sections: to be read, the first of them saying of what it is and how it came about.
        data: the same as plain values, every number unrounded.
        pictures: the figures, if any.
        internal: whether it was computed from confidential records without noise; the sections
            have to say so themselves.
    """

    sections: tuple[Section, ...]
    data: Mapping[str, Any]
    pictures: tuple[Picture, ...] = field(default=())
    internal: bool = False


@dataclass(frozen=True)
class Definition:
    """How one table, figure or claim comes about.

    Attributes:
        of: its name in the source, such as “Figure 6”.
        published: what is measured, on what, by the text.
        ours: the same here.
        why: where the two differ, the reason; "" where they are the same.
    """

    of: str
    published: str
    ours: str
    why: str = ""

    @property
    def same(self) -> bool:
        """Whether nothing but the records differs."""
        return not self.why


class Reproduction(Protocol):
    """A published evaluation that can be run again.

    The module that names it is imported for every command: what `run` needs is imported there.
    """

    @property
    def name(self) -> str:
        """What is typed for it; one word."""

    @property
    def title(self) -> str:
        """What is run again and on what, in a sentence without its full stop."""

    @property
    def fields(self) -> FieldTable:
        """What else can be given for it, as options of the command line; mostly nothing."""

    @property
    def draws(self) -> bool:
        """Whether it draws figures."""

    def check(self, asked: ReproductionRequest) -> None:
        """Check what can be checked at once.

        Raises:
            Refusal: something that is given is wrong or missing.
        """

    def run(self, asked: ReproductionRequest, told: Told) -> Document:
        """Run it.

        Raises:
            Refusal: what is asked for cannot be done.
        """

    def errata(self) -> tuple[Errata, ...]:
        """Return the errors of the publication; nothing if none was found."""

    def definitions(self) -> tuple[Definition, ...]:
        """Return how every number is defined, as published and here."""


GROUP: Final = "understudy.reproductions"


@cache
def reproductions() -> Mapping[str, Reproduction]:
    """Return every reproduction by its name, this program's first."""
    found: dict[str, Reproduction] = {}
    for brought in companions.load_from_folders(understudy.studies, "REPRODUCTIONS"):
        for each in brought:
            assert each.name not in found, f"two reproductions are called {each.name}"
            found[each.name] = each
    for name, each in companions.load_installed(GROUP):
        found.setdefault(name, each)
    return MappingProxyType(found)
