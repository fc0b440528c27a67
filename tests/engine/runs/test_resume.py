"""Interrupted runs: whenever that was, they go on to the release they would have come to."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.asked import SCHEMA, table
from tests.engine.runs.interrupting import (
    BATCHES,
    JOB,
    PLANS,
    Killed,
    begun,
    copied,
    cut,
    dies,
    drawn,
    folder_of,
    gone_on,
    killed,
)
from understudy.mechanisms.seedbased.plan import ModelKind, ModelPlan, Plan
from understudy.privacy.randomness import RandomSource, Secret
from understudy.runs import checkpoint
from understudy.runs.folder import RunFolder, TableForm
from understudy.runs.resources import Resources
from understudy.runs.work import Job, work

pytestmark = pytest.mark.usefixtures("small_batches")


@pytest.mark.parametrize(
    ("plan", "form"),
    [*((plan, "csv") for plan in PLANS.values()), (PLANS["releases"], "parquet")],
    ids=[*PLANS, "in Parquet"],
)
def test_a_run_killed_at_any_step_comes_to_the_same_release(
    plan: Plan, form: TableForm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), plan, figures=False, resources=Resources(form=form))
    interrupted = begun(job, tmp_path / "begun", monkeypatch)
    with killed(10**9) as steps:
        expected = gone_on(job, copied(interrupted, tmp_path / "whole"))
    assert {"before add", "after reach", "before replace_text", "after forget"} <= set(steps)
    # What the release holds is on the disk before it gets its name, and that name before the
    # secret that it follows from is erased.
    whole, published = (at for at, step in enumerate(steps) if step == "before sync_folder")
    assert whole < published < steps.index("before forget")
    # Nothing happens between the end of one step and the beginning of the next.
    moments = [at for at, step in enumerate(steps) if step.startswith("before")]
    for at in (*moments, len(steps) - 1):
        run = copied(interrupted, tmp_path / f"{at}")
        with killed(at), pytest.raises(Killed):
            work(replace(job, resumed=True), run, os.getpid())
        assert run.can_go_on == (at < published)
        if run.can_go_on and at % 3 == 0:
            # And once more, soon after it went on.
            with killed(2), pytest.raises(Killed):
                work(replace(job, resumed=True), run, os.getpid())
        if run.can_go_on:
            gone_on(job, run)
            assert not run.unfinished.exists()
        assert run.table.read_bytes() == expected


def test_without_an_interruption_it_is_the_same_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], seed=4, figures=False)
    run = folder_of(job, tmp_path / "whole")
    work(job, run, os.getpid())
    interrupted = begun(job, tmp_path / "begun", monkeypatch)
    with killed(9), pytest.raises(Killed):
        work(replace(job, resumed=True), interrupted, os.getpid())
    assert gone_on(job, interrupted) == run.table.read_bytes()
    assert b"not_private" in run.table.read_bytes()


def test_two_runs_of_one_plan_share_nothing(tmp_path: Path) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    tables = []
    for name in ("one", "other"):
        run = folder_of(job, tmp_path / name)
        work(job, run, os.getpid())
        tables.append(run.table.read_bytes())
    assert tables[0] != tables[1]


SPOILED: dict[str, Callable[[RunFolder], object]] = {
    "a tail torn off": lambda run: cut(run.partial / "synthetic.csv", 40),
    "nothing left": lambda run: cut(run.partial / "synthetic.csv", 0),
    "gone": lambda run: shutil.rmtree(run.partial),
    "something more": lambda run: (run.partial / "synthetic.csv").open("ab").write(b"v0,v1"),
    "something else": lambda run: (run.partial / "synthetic.csv").write_bytes(b"x" * 10_000),
    "no checkpoint": lambda run: (run.unfinished / "reached.json").unlink(),
    "half a checkpoint": lambda run: cut(run.unfinished / "reached.json", 20),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_whatever_a_power_failure_left_of_the_table_it_comes_out_the_same(
    spoil: Callable[[RunFolder], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    run = begun(job, tmp_path / "begun", monkeypatch)
    expected = gone_on(job, copied(run, tmp_path / "whole"))
    with killed(15), pytest.raises(Killed):
        work(replace(job, resumed=True), run, os.getpid())
    spoil(run)
    assert gone_on(job, run) == expected


def test_what_was_reached_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    run = begun(job, tmp_path / "begun", monkeypatch)
    with killed(11) as before, pytest.raises(Killed):
        work(replace(job, resumed=True), run, os.getpid())
    at = checkpoint.position(run)
    assert at is not None
    assert at.at == 32 * before.count("after reach")
    with killed(10**9) as after:
        gone_on(job, run)
    assert after.count("after add") == BATCHES - before.count("after reach")


def test_every_batch_and_every_use_has_a_stream_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int]] = []
    source = Secret.source

    def noted(secret: Secret, use: Any, number: int = 0) -> RandomSource:
        asked.append((use, number))
        return source(secret, use, number)

    monkeypatch.setattr(Secret, "source", noted)
    run = folder_of(JOB, tmp_path / "run")
    work(JOB, run, os.getpid())
    batches = [("attempts", number) for number in range(BATCHES)]
    assert asked == [("tape", 0), ("split", 0), ("model", 0), *batches, ("figures", 0)]


@pytest.mark.parametrize(
    ("kind", "questions", "more"),
    [
        # The structure and the tables of three columns; each of them; and how many records there
        # are and each of them, and after some answers more.
        ("network", 5, False),
        ("marginals", 3, False),
        ("calibrated", 4, True),
    ],
)
def test_a_run_killed_while_it_learns_draws_nothing_twice(
    kind: ModelKind, questions: int, more: bool, tmp_path: Path
) -> None:
    model = ModelPlan(kind=kind)
    job = Job(table(), PLANS["hidden ω"].change(SCHEMA, model=model), figures=False)
    again = replace(job, resumed=True)
    for at in range(1, questions):
        run = folder_of(job, tmp_path / f"{at}")
        assert drawn(job, run, stop_after=at) == (at, 0)
        assert run.can_go_on
        fresh, replayed = drawn(again, run)
        assert replayed == at
        assert fresh >= questions - at
        assert more or fresh == questions - at


def test_what_is_learned_from_a_whole_tape_comes_to_the_same_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    run = folder_of(job, tmp_path / "run")
    with monkeypatch.context() as stopped:
        stopped.setattr("understudy.runs.checkpoint.internal_arrays", dies)
        with pytest.raises(Killed):
            work(job, run, os.getpid())
    other = copied(run, tmp_path / "other")
    again = replace(job, resumed=True)
    one, two = drawn(again, run), drawn(again, other)
    assert one == two
    assert one[0] == 0 < one[1]
    assert run.table.read_bytes() == other.table.read_bytes()


def test_what_was_drawn_is_written_over_before_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = Job(table(), PLANS["hidden ω"], figures=False)
    for name, stop_after in (("learned", None), ("given up", 3)):
        run = folder_of(job, tmp_path / name)
        tape = run.unfinished / "tape"
        tape.touch(mode=0o600)
        os.link(tape, tmp_path / f"tape of {name}")
        drawn(job, run, stop_after)
        checkpoint.forget(run)
        erased = (tmp_path / f"tape of {name}").read_bytes()
        assert erased == bytes(len(erased)) != b""
