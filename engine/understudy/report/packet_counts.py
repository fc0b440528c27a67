"""The noisy tables of a packet, the files that follow from them, and how a packet is read for
them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from understudy.core.refusal import Refusal
from understudy.inference.documents import (
    ColumnInterval,
    answer_columns,
    intervals_csv,
    relations_csv,
)
from understudy.inference.questions import LEVEL, IntervalAnswer, ReleasedCounts
from understudy.inference.relations import CountedPairs
from understudy.models.noisy_tables import NAME
from understudy.report import files
from understudy.report.bundle import open_bundle
from understudy.report.files import INTERVALS, RELATIONS, Names
from understudy.table.schema import Schema

_UNREADABLE: Final = (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError)


@dataclass(frozen=True, eq=False)
class PacketCounts:
    """The noisy tables of a packet, with what follows from them.

    Attributes:
        counts: the tables, which answer questions.
        stained: whether the packet is a demonstration.
    """

    counts: ReleasedCounts
    stained: bool = False

    @cached_property
    def relations(self) -> CountedPairs:
        """Which columns were counted together."""
        return CountedPairs.of(self.counts.schema, self.counts.tables)

    @cached_property
    def column_intervals(self) -> tuple[ColumnInterval, ...]:
        """The intervals of each column by itself; of a wide table they take seconds."""
        return tuple(answer_columns(self.counts))

    @property
    def column_answers(self) -> tuple[IntervalAnswer, ...]:
        """The same, without the questions."""
        return tuple(each.answer for each in self.column_intervals)

    def make_documents(self) -> dict[str, str]:
        """Return the files of a packet that follow from them, by name."""
        return {
            INTERVALS: intervals_csv(self.column_intervals),
            RELATIONS: relations_csv(self.relations),
        }


def find_counts(
    figures: Mapping[str, Mapping[str, Any]], schema: Schema, *, stained: bool = False
) -> PacketCounts | None:
    """Return the noisy tables among released figures; None if there are none."""
    if NAME not in figures:
        return None
    return PacketCounts(ReleasedCounts.of(figures[NAME], schema), stained)


def read_packet_counts(path: Path, level: float = LEVEL) -> PacketCounts:
    """Return the noisy tables that a packet holds.

    Args:
        path: its folder, or its zip file.
        level: with what probability each interval is to hold what it is about.

    Raises:
        Refusal: there is no packet, it holds no noisy tables, or they cannot be read.
    """
    if not 0.5 <= level < 1:
        raise Refusal(
            "Intervals hold what they are about with a probability from 0.5 to below 1.",
            "Choose such a level, such as 0.95.",
            field="level",
        )
    with open_bundle(path) as bundle:
        found = [
            (name, stained)
            for stained in (False, True)
            for name in (Names(stained, figures=True).outputs,)
            if name in bundle.names
        ]
        if not found:
            raise _refuse_missing()
        try:
            ((name, stained),) = found
            figures = json.loads(bundle.read(name))
            if NAME not in figures:
                raise _refuse_missing()
            schema = Schema.from_json(bundle.read(files.SCHEMA).decode())
            return PacketCounts(ReleasedCounts.of(figures[NAME], schema, level), stained)
        except Refusal:
            raise
        except _UNREADABLE:
            raise Refusal(
                "The noisy tables of the packet cannot be read.",
                "Check it with “understudy verify”.",
                field="packet",
            ) from None


def _refuse_missing() -> Refusal:
    return Refusal(
        "This packet holds no noisy tables, from which intervals are made.",
        "Ask whoever made it for a run that releases them (“--noisy-tables”, which costs nothing "
        "further).",
        field="packet",
    )
