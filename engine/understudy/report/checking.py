"""A packet while it is checked: its files, and what earlier checks found for later ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from understudy import __version__
from understudy.core.refusal import Refusal
from understudy.mechanisms.outputs import is_name
from understudy.mechanisms.statement import released_of
from understudy.report import files
from understudy.report.bundle import Bundle
from understudy.report.documents import json_text
from understudy.report.files import Names
from understudy.report.versions import Versions


class Missing(Exception):
    """An earlier check found that something which this one needs is damaged."""


class Elsewhere(Exception):
    """A check can be made only by the version of the program that made the packet."""


@dataclass
class Checking:
    """The checks of one packet under way.

    Attributes:
        bundle: its files.
        found: what the checks so far made sure of, by name.
    """

    bundle: Bundle
    found: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def names(self) -> Names:
        """What the files are called, as far as the guarantee names outputs: as a demonstration's,
        where such a file is there. Whether these are its outputs is for later checks."""
        stained = any(name.startswith(files.STAINED) for name in self.bundle.names)
        try:
            found = released_of(json.loads(self.bundle.read(files.STATEMENT)))
            names = [each.output for each in found]
            if not names or not all(map(is_name, names)):
                return Names(stained)
        except (Refusal, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return Names(stained)
        tables = tuple(each.output for each in found if each.rows is not None)
        apart = (each for each in tables if f"{each}-{files.DICTIONARY}" in self.bundle.names)
        return Names(stained, tables, len(tables) < len(found), tuple(apart))

    def need(self, what: str) -> Any:
        """Return what an earlier check found.

        Raises:
            Missing: it did not.
        """
        if what not in self.found:
            raise Missing
        return self.found[what]

    def json(self, name: str) -> Any:
        """Return what a file of JSON says, which has to be all that stands in it.

        Raises:
            Refusal: it is missing, or holds what nobody reads: a name twice, blanks, more digits
                than a figure has.
            ValueError: it is no JSON.
        """
        text = self.bundle.read(name).decode("utf-8")
        found = json.loads(text, parse_constant=_no_constant)
        if json_text(found) != text:
            raise check_failure(f"{name} is written otherwise than Understudy writes it.")
        return found

    @property
    def same_version(self) -> bool:
        """Whether the packet says that this version of the program made it; also where it does
        not say."""
        versions: Versions | None = self.found.get("versions")
        return versions is None or versions.understudy == __version__

    def failed_here(self, said: str) -> Exception:
        """Return what to raise where words differ: a failure, if they would be this version's
        own."""
        return check_failure(said) if self.same_version else Elsewhere()


Make = Callable[[Checking], str]
"""One check: what it found, in a sentence. It raises a Refusal where it fails."""


def check_failure(said: str) -> Refusal:
    """Return the refusal by which a check fails."""
    return Refusal(said, "Get the packet again from whoever made it.")


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
