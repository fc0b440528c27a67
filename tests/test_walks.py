"""Walks through the house: which calls climb from a room into one that comes later in the table of
rooms. There may be no more of them than there are now; `python -m tests.test_walks` lists them.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from unittest import mock

import understudy as us
from tests.engine.test_rooms import PACKAGES, ROOMS, room_of
from understudy.acceptance.statistics import AcceptanceTest, ShareOf
from understudy.core.progress import on_stage, report_stage
from understudy.ledger.book import PeopleStatement
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.registry import plan_run
from understudy.projects.payment import find_payer
from understudy.runs import control, worker
from understudy.runs.work import Job
from understudy.runs.worker import DebitedFolder
from understudy.table.column import origin_read
from understudy.table.declared_reading import usual
from understudy.table.encoding import encode
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table

_CONSTRUCTION = PACKAGES / "understudy" / "core" / "validation.py"
ORDER = {room: number for number, room in enumerate(ROOMS)}


@dataclass(frozen=True, order=True)
class Climb:
    """A call from a function into one of a room that comes later in the table.

    Attributes:
        caller, callee: module and name of the two functions.
    """

    caller: str
    callee: str

    def __str__(self) -> str:
        return f"{self.caller} -> {self.callee}"


class Watcher:
    """Whoever is called by whom, of the functions of the engine."""

    def __init__(self) -> None:
        self.climbs: Counter[Climb] = Counter()
        self._names: dict[CodeType, str] = {}
        self._modules: list[FrameType] = []

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Note a call or a return; what runs while a module is being imported is left out."""
        if event == "return":
            if self._modules and self._modules[-1] is frame:
                self._modules.pop()
        elif event == "call":
            if frame.f_code.co_name == "<module>":
                self._modules.append(frame)
            elif not self._modules:
                self._note(frame)

    def _note(self, frame: FrameType) -> None:
        callee = self._name(frame.f_code)
        caller = frame.f_back
        while callee and caller is not None and not self._name(caller.f_code):
            caller = caller.f_back
        if callee and caller is not None:
            climb = Climb(self._name(caller.f_code), callee)
            if _place(climb.callee) > _place(climb.caller):
                self.climbs[climb] += 1

    def _name(self, code: CodeType) -> str:
        """Return the module and name of a function of the engine; empty for any other."""
        if code not in self._names:
            self._names[code] = _name_code(code)
        return self._names[code]


def _name_code(code: CodeType) -> str:
    """Return the module and name of a function of the engine; empty for any other, and for what
    constructs frozen values, so that whoever constructs one calls what it checks of itself."""
    path = Path(code.co_filename)
    if not path.is_relative_to(PACKAGES) or path == _CONSTRUCTION:
        return ""
    module = ".".join(path.relative_to(PACKAGES).with_suffix("").parts)
    return f"{module.removesuffix('.__init__')}:{code.co_qualname}"


def _place(function: str) -> int:
    return ORDER.get(room_of(function.partition(":")[0]), len(ORDER))


@contextmanager
def watched() -> Iterator[Counter[Climb]]:
    """Yield the climbs of this thread, which are counted until the end."""
    watcher = Watcher()
    sys.setprofile(watcher)
    try:
        yield watcher.climbs
    finally:
        sys.setprofile(None)


def walk_all(place: Path) -> Mapping[str, Counter[Climb]]:
    """Take a small table from its file to a packet, and return the climbs of every walk.

    Args:
        place: an empty folder, which is the home folder meanwhile.
    """
    schema, table = _declare(place)
    climbs: dict[str, Counter[Climb]] = {}

    def work(_: str, places: list[Path], job: Job, *__: object) -> None:
        sys.setprofile(None)
        with watched() as climbs["records to release"]:
            worker.do_job(job, DebitedFolder(places[0], Ledger(places[1])))

    with watched() as climbs["file to records"]:
        records = encode(read_table(table, schema.reading or usual("csv")), schema)
    plan = us.plan(schema, epsilon=2.0, rows=100).plan.model_copy(update={"acceptance": _TEST})
    with watched() as climbs["plan to debit"], mock.patch.object(control, "launch", work):
        planned = plan_run(plan, schema)
        raw = read_table(table, schema.reading or usual("csv"))
        payer = find_payer(None, raw, "people", None, PeopleStatement(new=True))
        run = control.start(Job(records, planned.plan, made=planned), place, dataset=payer)
    assert run.release.exists(), run.progress()
    with watched() as climbs["release to packet"]:
        us.packet(run.path, title="People", out=place / "packets", pdf=False)
    return climbs


_TEST = AcceptanceTest(epsilon=0.5, statistics=(ShareOf(column="sex", values=("f",)),))


def _declare(place: Path) -> tuple[Schema, Path]:
    """Write a small table, and return its schema and path."""
    table, file = place / "people.csv", place / "schema.json"
    table.write_text("sex,age\n" + "".join(f"{'fm'[n % 2]},{n % 9}\n" for n in range(400)))
    us.suggest_schema(table).save(file)
    return us.declare(file, table, note="the code book", origins=["codebook"]), table


def main() -> None:
    """Print every climb of every walk."""
    with tempfile.TemporaryDirectory() as place:
        os.environ["UNDERSTUDY_HOME"] = place
        for walk, climbs in walk_all(Path(place)).items():
            print(f"{walk}: {len(climbs)}")
            for climb, times in sorted(climbs.items()):
                print(f"  {climb} ({times:,})")


MOST_CLIMBS = {
    "file to records": 0,
    "plan to debit": 0,
    "records to release": 2,
    "release to packet": 18,
}
"""How many calls of each walk may climb; whoever removes some lowers it."""


def test_walks_climb_no_more_than_they_did() -> None:
    """In a process of its own, as what other tests did before changes what is called."""
    program = [sys.executable, "-m", "tests.test_walks"]
    ended = subprocess.run(program, cwd=PACKAGES.parent, capture_output=True, text=True, check=True)
    counted = re.findall(r"^(\w.*): (\d+)$", ended.stdout, re.MULTILINE)
    climbs = {walk: int(number) for walk, number in counted}
    assert climbs.keys() == MOST_CLIMBS.keys()
    assert all(climbs[walk] <= MOST_CLIMBS[walk] for walk in climbs), ended.stdout


def test_a_call_from_a_lower_room_is_a_climb() -> None:
    with watched() as climbs, on_stage(origin_read):
        report_stage("Counting")
    assert [str(climb) for climb in climbs] == [
        "understudy.core.progress:report_stage -> understudy.table.column:origin_read"
    ]


if __name__ == "__main__":
    main()
