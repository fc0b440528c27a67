"""An interrupted run on the Generate page: what is said of it, and what can be done."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from understudy.core.refusal import Refusal
from understudy.ledger.ledger import Ledger
from understudy.mechanisms.seedbased import attempts, executors
from understudy.runs import checkpoint, control, release, worker
from understudy.runs.control import home_ledger, list_runs, start
from understudy.runs.folder import RunFolder
from understudy.runs.resumption import can_resume
from understudy.runs.work import Job
from understudy.runs.worker import DebitedFolder
from understudy.table.sources.reading import read_table
from understudy_dashboard.ledger_status import dataset_of, title_of_run
from understudy_dashboard.parts import run_history
from understudy_dashboard.parts.run_history import RESUME
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


class _Killed(BaseException):
    """Stands for the end of a process."""


@contextmanager
def killed_half_way() -> Iterator[None]:
    """Runs are done in this process, and killed half way."""
    kept = checkpoint.save_position

    def reach(*arguments: Any) -> None:
        kept(*arguments)
        raise _Killed

    def launch(job: Job, folder: RunFolder, ledger: Ledger, lock: int) -> None:
        try:
            worker.do_job(job, DebitedFolder(folder.path, ledger))
        except _Killed:
            told = json.loads(folder.read_text("progress.json"))
            folder.write_text("progress.json", json.dumps({**told, "done": 60, "born": "another"}))

    with pytest.MonkeyPatch.context() as hooks:
        hooks.setattr(control, "_launch", launch)
        hooks.setattr(release, "save_position", reach)
        yield


@pytest.fixture
def in_small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every batch is kept; a run goes on in batches of the size that it was begun with."""
    monkeypatch.setattr(attempts, "BATCH", 60)
    monkeypatch.setattr(executors, "BATCHES", 1)
    monkeypatch.setattr(release, "_CHECKPOINT_EVERY", 0.0)
    monkeypatch.setattr(release, "_CHECKPOINTS_TAKE", 1e9)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder that the first test of this module fills."""
    return tmp_path_factory.mktemp("stopped")


@pytest.fixture
def home(
    stopped: Path,
    sessions: Callable[..., Session],
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    in_small_batches: None,
) -> Path:
    """A home folder with a run of the tiny table that was killed after its first batch."""
    if not list_runs(stopped):
        monkeypatch.setenv("UNDERSTUDY_HOME", str(stopped))
        session = sessions()
        with killed_half_way():
            start(
                Job(session.records(), session.settings.plan()),
                stopped,
                dataset=dataset_of(session),
            )
        monkeypatch.setenv("UNDERSTUDY_HOME", str(home))
    copytree(stopped, home)
    return home


@pytest.fixture
def session(home: Path, sessions: Callable[..., Session]) -> Session:
    """The tiny table, open where its run was interrupted."""
    return sessions()


@pytest.fixture
def interrupted(home: Path) -> RunFolder:
    """The run that was interrupted."""
    (run,) = list_runs(home)
    assert can_resume(run)
    return run


def test_lists_call_it_interrupted_and_not_stopped(
    session: Session, interrupted: RunFolder
) -> None:
    assert title_of_run(session, interrupted).endswith(" · interrupted")
    interrupted.write_text("cancel", "")
    assert interrupted.cancelling
    assert title_of_run(session, interrupted).endswith(" · stopped")


def kinds() -> list[str]:
    return [json.loads(line)["kind"] for line in home_ledger().export().splitlines()]


def test_the_page_says_what_happened_and_resumes_it_for_nothing(
    opened: Opened, said: Said, session: Session, interrupted: RunFolder
) -> None:
    page = opened("generate", session)
    text = said(page)
    assert "A run was interrupted" in text
    assert "Resuming it spends nothing further" in text
    assert "60 of 200 attempts" in page.get("progress")[0].text
    # A new run is still possible beside it.
    assert any(each.key == "generate" for each in page.button)
    page.button(key=f"resume-{interrupted.identity}").click().run()
    assert not page.exception
    assert "Finished" in said(page)
    assert kinds().count("debited") == 1
    assert kinds()[-2:] == ["resumed", "released"]
    assert session.run == interrupted.identity


def test_whoever_watched_it_sees_what_became_of_it(
    opened: Opened, said: Said, session: Session, interrupted: RunFolder
) -> None:
    session.run, session.watching = interrupted.identity, True
    page = opened("generate", session)
    assert said(page).count("A run was interrupted") == 1
    assert "Stopped" not in said(page)


def test_without_its_table_it_is_asked_for(
    opened: Opened, said: Said, session: Session, interrupted: RunFolder
) -> None:
    session.data.table = None
    page = opened("generate", session)
    assert "recognised when you open it" in said(page)
    assert not any(each.key == f"resume-{interrupted.identity}" for each in page.button)


OTHERS = {
    "a record more": lambda csv: csv + b"\n33,cook,low",
    "the records turned round": lambda csv: b"\n".join(
        [csv.splitlines()[0], *csv.splitlines()[:0:-1]]
    ),
    "another table": lambda _: b"a,b\n1,2\n2,3\n",
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_another_table_is_refused_in_words_and_nothing_is_lost(
    opened: Opened,
    session: Session,
    csv: bytes,
    interrupted: RunFolder,
    change: Callable[[bytes], bytes],
) -> None:
    assert session.data.table is not None
    session.data.table = replace(session.data.table, raw=read_table(change(csv), name="other.csv"))
    page = opened("generate", session)
    before = kinds()
    page.button(key=f"resume-{interrupted.identity}").click().run()
    assert not page.exception
    assert any("not the" in each.value for each in page.error)
    assert kinds() == before
    assert can_resume(interrupted)


def test_it_can_be_given_up(
    opened: Opened, said: Said, session: Session, interrupted: RunFolder
) -> None:
    page = opened("generate", session)
    page.button(key=f"give-up-{interrupted.identity}").click().run()
    assert "given up" in said(page)
    assert "interrupted" not in said(page)
    assert not interrupted.unfinished.exists()
    assert [run.identity for run in list_runs(session.runs_at)] == [interrupted.identity]


def test_another_run_may_be_started_and_the_interrupted_one_waits(
    opened: Opened, said: Said, session: Session, interrupted: RunFolder
) -> None:
    page = opened("generate", session)
    next(each for each in page.checkbox if "I have read" in each.label).check().run()
    page.button(key="generate").click().run()
    assert "Finished" in said(page)
    assert can_resume(interrupted)
    page.button(key="another").click().run()
    assert "A run was interrupted" in said(page)


def test_a_secret_is_nowhere_on_the_page(
    opened: Opened, said: Said, session: Session, interrupted: RunFolder
) -> None:
    secret = (interrupted.unfinished / "secret").read_bytes()
    page = opened("generate", session)
    assert secret.hex() not in said(page)
    found = [path for path in Path(interrupted.path).rglob("*") if path.is_file()]
    holding = [path for path in found if secret in path.read_bytes()]
    assert holding == [interrupted.unfinished / "secret"]


def test_a_full_disk_is_named(
    opened: Opened, said: Said, session: Session, interrupted: RunFolder
) -> None:
    assert "The disk" not in said(opened("generate", session))
    interrupted.full.touch()
    text = said(opened("generate", session)).replace("\\", "")
    assert f"The disk that holds {interrupted.path} is full." in text
    assert "resume the run, which spends nothing further" in text
    assert f"Press **{RESUME}** below." in text


def test_a_disk_that_is_full_before_a_run_has_a_process_leads_to_the_button(
    opened: Opened,
    said: Said,
    session: Session,
    interrupted: RunFolder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    page = opened("generate", session)
    next(each for each in page.checkbox if "I have read" in each.label).check().run()
    with monkeypatch.context() as filled:
        filled.setattr(control, "launch", full)
        page.button(key="generate").click().run()
    text = said(page)
    assert "is full." in text
    assert f"Press **{RESUME}** on this page." in text
    assert "Mend it on the Privacy page" not in text
    (new,) = {run.identity for run in list_runs(session.runs_at)} - {interrupted.identity}
    assert kinds().count("debited") == 2
    assert not next(each for each in page.checkbox if "I have read" in each.label).value
    page.button(key=f"resume-{new}").click().run()
    assert "Finished" in said(page)
    assert kinds().count("debited") == 2


def test_what_is_not_about_the_table_is_not_said_of_it(
    opened: Opened, session: Session, interrupted: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise Refusal("No workers are there.", "Start some.", field="workers")

    monkeypatch.setattr(run_history, "resume", refused)
    page = opened("generate", session)
    page.button(key=f"resume-{interrupted.identity}").click().run()
    assert any("No workers are there." in each.value for each in page.error)
    assert not any("not the one" in each.value for each in page.error)


def test_another_table_is_refused_with_what_is_missing_of_it(
    opened: Opened, session: Session, interrupted: RunFolder
) -> None:
    assert session.data.table is not None
    raw = read_table(b"a,b\n1,2\n2,3\n", name="other.csv")
    session.data.table = replace(session.data.table, raw=raw)
    page = opened("generate", session)
    page.button(key=f"resume-{interrupted.identity}").click().run()
    (said,) = (each.value for each in page.error if "that this run was made from" in each.value)
    assert "column" in said
