"""The evaluation of one run, as a value and as a file. Internal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np

from understudy.core.files import make_private, write_internal_json
from understudy.core.numerals import count, percent
from understudy.core.refusal import Refusal
from understudy.evaluation.measure import (
    FEWEST,
    BreakdownEntry,
    Finding,
    Interval,
    Measure,
    Role,
    Study,
    StudyOf,
    SubjectResult,
    sample_of,
)
from understudy.table.records import Records
from understudy.table.schema import Schema

# Released tables of other columns than the confidential table's: their shared columns, one by one.
#
# A column is shared where the confidential table has one of the same name and the same values. What
# such a table says of its other columns, and of columns together, is not measured: nothing real
# stands beside it.


@dataclass(frozen=True)
class SharedColumn:
    """A column that the confidential table has too.

    Attributes:
        name: of it.
        distance: total variation from the held-out records, in [0, 1].
        real: the same of as many other real records; None where there are none.
    """

    name: str
    distance: float
    real: float | None


@dataclass(frozen=True)
class OtherTable:
    """A released table of other columns, as far as it is measured. Internal.

    Attributes:
        name: of its output.
        records: how many it has.
        shared: the columns that are measured.
        unmeasured: the names of the others.
    """

    name: str
    records: int
    shared: tuple[SharedColumn, ...]
    unmeasured: tuple[str, ...]

    @property
    def said(self) -> str:
        """What was found and what was not, in sentences."""
        found = [f"Table “{self.name}”, {count(self.records, 'record')} of other columns."]
        if self.shared:
            columns = "; ".join(_describe_column(each) for each in self.shared)
            found.append(f"Distances of single columns from held-out records: {columns}.")
        elif self.records < FEWEST:
            found.append(f"It has fewer than {FEWEST} records, too few to measure.")
        if self.unmeasured and self.records >= FEWEST:
            names = ", ".join(self.unmeasured)
            found.append(f"Not in the confidential table, so not measured: {names}.")
        found.append("What it says of columns together is not measured.")
        return " ".join(found)


def other_table(name: str, table: Records, study: Study) -> OtherTable:
    """Measure a released table of other columns.

    Args:
        name: of its output.
        table: its records.
        study: what the tables of the confidential columns are measured with.
    """
    own, real = study.held_out, study.of("reals")
    if len(table) < FEWEST or len(own) < FEWEST:
        return OtherTable(name, len(table), (), table.schema.names)
    shared = _match_columns(table.schema, own.schema)
    reals = None
    if real is not None:
        reals = sample_of(real.records, len(table), study.random(f"others {name}"))
    columns = tuple(
        SharedColumn(
            column,
            _distance(table, place, own, there),
            None if reals is None else _distance(reals, there, own, there),
        )
        for column, (place, there) in shared.items()
    )
    unmeasured = tuple(each for each in table.schema.names if each not in shared)
    return OtherTable(name, len(table), columns, unmeasured)


def _match_columns(schema: Schema, own: Schema) -> dict[str, tuple[int, int]]:
    """Return the place of each shared column in both."""
    found = {}
    for place, column in enumerate(schema.columns):
        there = own.names.index(column.name) if column.name in own.names else None
        if there is not None and own.columns[there].texts == column.texts:
            found[column.name] = (place, there)
    return found


def _distance(table: Records, place: int, own: Records, there: int) -> float:
    ours, theirs = table.counts(place) / len(table), own.counts(there) / len(own)
    return float(np.abs(ours - theirs).sum() / 2)


def _describe_column(column: SharedColumn) -> str:
    real = "" if column.real is None else f", as many other real records {percent(column.real)}"
    return f"{column.name} {percent(column.distance)}{real}"


AnyStudy = TypeVar("AnyStudy", bound=StudyOf[Any, Any])

_FILE = "evaluation.json"


@dataclass(frozen=True)
class MeasuredTable:
    """A table that was measured, without its records.

    Attributes:
        name, role: as of `Table`.
        records: how many of its records, or of its people, were looked at.
    """

    name: str
    role: Role
    records: int


@dataclass(frozen=True)
class Evaluation:
    """The findings of all measures. Internal.

    Attributes:
        tables: what was measured.
        held_out: how many held-out records, or people, it was compared with.
        target: the column that was predicted; "" for none.
        findings: in the order of the measures.
        others: released tables of other columns, as far as they are measured.
        unseen: how many released tables were not looked at, as there are many.
        caveats, apart: as of `Study`.
    """

    tables: tuple[MeasuredTable, ...]
    held_out: int
    target: str
    findings: tuple[Finding, ...]
    others: tuple[OtherTable, ...] = ()
    unseen: int = 0
    caveats: tuple[str, ...] = ()
    apart: bool = True

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader has to know, and what there is to say of released tables that the measures
        are not about."""
        found = [*self.caveats, *(each.said for each in self.others)]
        if self.unseen:
            found.append(
                f"{count(self.unseen, 'further released table')} not looked at: the first ones "
                "stand for all."
            )
        return tuple(found)

    @classmethod
    def of(cls, study: StudyOf[Any, Any], findings: Sequence[Finding]) -> Evaluation:
        """Return the evaluation with these findings."""
        tables = tuple(MeasuredTable(each.name, each.role, len(each)) for each in study.tables)
        return cls(
            tables,
            len(study.held_out),
            study.predicted,
            tuple(findings),
            caveats=study.caveats,
            apart=study.apart,
        )

    def finding(self, key: str) -> Finding | None:
        """Return the finding of the measure with this key; None where it was not measured."""
        return next((each for each in self.findings if each.key == key), None)

    def save(self, folder: Path) -> None:
        """Write evaluation.json into the folder, atomically."""
        make_private(folder)
        write_internal_json(folder / _FILE, vars(self))

    @classmethod
    def load(cls, folder: Path) -> Evaluation | None:
        """Read what `save` wrote; None where there is nothing yet."""
        path = folder / _FILE
        if not path.exists():
            return None
        said = json.loads(path.read_text(encoding="utf-8"))
        return cls(
            tuple(MeasuredTable(**each) for each in said["tables"]),
            said["held_out"],
            said["target"],
            tuple(_finding(each) for each in said["findings"]),
            tuple(_other(each) for each in said.get("others", ())),
            said.get("unseen", 0),
            tuple(said.get("caveats", ())),
            said.get("apart", True),
        )


def evaluate(
    study: AnyStudy,
    measures: Sequence[Measure[AnyStudy]],
    told: Callable[[int, str], None],
    known: Callable[[Evaluation], None] = lambda so_far: None,
) -> Evaluation:
    """Measure everything, one measure after another.

    Args:
        study: the tables and what they are measured against.
        measures: what to measure.
        told: called before each measure with how many are done and the name of the next; it may
            raise to stop.
        known: called after each measure with all that is found by then.
    """
    findings: list[Finding] = []
    for done, measure in enumerate(measures):
        told(done, measure.about.name)
        try:
            if measure.about.group == "disclosure" and not study.apart:
                raise _NOBODY_ELSE
            findings.append(Finding(measure.about.key, measure.measure(study)))
        except Refusal as refusal:
            findings.append(Finding(measure.about.key, trouble=str(refusal)))
        known(Evaluation.of(study, findings))
    return Evaluation.of(study, findings)


_NOBODY_ELSE: Final = Refusal(
    "Too few were held out, so there is nobody outside the release to tell its records from.",
    "Start a run that holds records out.",
)


def _other(said: Mapping[str, Any]) -> OtherTable:
    shared = tuple(SharedColumn(**each) for each in said["shared"])
    return OtherTable(said["name"], said["records"], shared, tuple(said["unmeasured"]))


def _finding(said: Mapping[str, Any]) -> Finding:
    by_subject = {name: _read_measured(each) for name, each in said["by_subject"].items()}
    return Finding(said["key"], by_subject, said["trouble"])


def _read_measured(said: Mapping[str, Any]) -> SubjectResult:
    parts = tuple(
        BreakdownEntry(tuple(each["of"]), each["value"], _interval(each["interval"]))
        for each in said["parts"]
    )
    return SubjectResult(said["value"], _interval(said["interval"]), parts)


def _interval(said: Mapping[str, float] | None) -> Interval | None:
    return None if said is None else Interval(**said)
