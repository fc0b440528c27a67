"""The evaluation of one run, as a value and as a file. Internal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from understudy.core.files import internal_json, make_private
from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.evaluation.finding import Finding, Interval, Measured, Part
from understudy.evaluation.measure import Measure
from understudy.evaluation.others import OtherTable, SharedColumn
from understudy.evaluation.study import Role, StudyOf

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
        internal_json(folder / _FILE, vars(self))

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
    by_subject = {name: _measured(each) for name, each in said["by_subject"].items()}
    return Finding(said["key"], by_subject, said["trouble"])


def _measured(said: Mapping[str, Any]) -> Measured:
    parts = tuple(
        Part(tuple(each["of"]), each["value"], _interval(each["interval"]))
        for each in said["parts"]
    )
    return Measured(said["value"], _interval(said["interval"]), parts)


def _interval(said: Mapping[str, float] | None) -> Interval | None:
    return None if said is None else Interval(**said)
