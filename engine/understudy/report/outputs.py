"""The tables and figures that a run released: bound to the hashes that the run put down."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from understudy.core.refusal import Refusal
from understudy.mechanisms.statement import Released
from understudy.report.table import SyntheticTable
from understudy.runs.releasing import as_released


@final
@dataclass(frozen=True)
class ReleasedFigures:
    """Named JSON objects, as a run released them.

    Attributes:
        found: each by the name of its output.
        sha256: of the file of each.

    Raises:
        TypeError: something else is handed in.
        Refusal: one is not what its hash is of.
    """

    found: Mapping[str, Mapping[str, Any]]
    sha256: Mapping[str, str]

    def __post_init__(self) -> None:
        if any(type(each) is not dict for each in self.found.values()):
            raise TypeError("released figures have to be JSON objects")
        there = {name: _hash(each) for name, each in self.found.items()}
        if there != dict(self.sha256):
            raise Refusal(
                "The released figures are not those that the statement is about.",
                "Put back the files of the release, or choose another run.",
                field="outputs",
            )


@final
@dataclass(frozen=True, eq=False)
class ReleasedTables:
    """Tables, as a run released them.

    Attributes:
        found: each by the name of its output, in the order of the outputs.

    Raises:
        TypeError: something else is handed in.
    """

    found: Mapping[str, SyntheticTable]

    def __post_init__(self) -> None:
        if type(self.found) is not dict or any(
            type(name) is not str or type(each) is not SyntheticTable
            for name, each in self.found.items()
        ):
            raise TypeError("only released tables may be published")

    @property
    def neutralised(self) -> bool:
        """Whether some cell of some table could be taken for a formula."""
        return any(each.neutralised for each in self.found.values())


def read_released_figures(folder: Path, stated: Sequence[Released]) -> ReleasedFigures:
    """Return the figures of a release.

    Args:
        folder: of the release.
        stated: what its statement says of them.

    Raises:
        Refusal: a file is missing, is no JSON, or was changed since.
    """
    try:
        found = {
            each.output: json.loads((folder / f"{each.output}.json").read_text(encoding="utf-8"))
            for each in stated
        }
    except (OSError, ValueError):
        raise Refusal(
            "The released figures cannot be read.",
            "Put back the files of the release, or choose another run.",
            field="outputs",
        ) from None
    return ReleasedFigures(found, {each.output: each.sha256 for each in stated})


def _hash(figures: Mapping[str, Any]) -> str:
    """Of the file that a run writes."""
    return hashlib.sha256(as_released(figures).encode()).hexdigest()
