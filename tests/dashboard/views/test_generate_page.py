"""The Generate page: what it costs, starting, watching, and what is left behind."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import agree, answer_all, left_behind
from understudy.core.home import home
from understudy.core.refusal import Refusal
from understudy.runs.control import list_runs, wait
from understudy.runs.work_folder import Progress
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy_dashboard.ledger_status import balance_of
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.open_project import enter_project, save_decisions, take_table
from understudy_dashboard.parts import run_start
from understudy_dashboard.parts.watch import fraction_done
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def totals(session: Session) -> tuple[int, int]:
    """How many runs on the open table promise something, and how many do not."""
    found = balance_of(session)
    assert found is not None
    return len(found.spends), found.unpromised


def test_without_a_table_it_leads_back(opened: Opened) -> None:
    page = opened("generate")
    assert len(page.info) == 1
    assert not page.exception


def test_nothing_can_be_started_before_the_confirmation(
    opened: Opened, said: Said, sessions: Callable[..., Session], schema: Schema
) -> None:
    page = opened("generate", sessions(schema=Schema(columns=schema.columns)))
    assert "Nothing can be generated" in said(page)
    assert not any(each.key == "generate" for each in page.button)


def test_how_long_it_will_take_is_said_before_it_is_pressed(
    opened: Opened,
    said: Said,
    sessions: Callable[..., Session],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "It will take about 5 s on a usual machine." in said(opened("generate", sessions()))
    monkeypatch.setattr(run_start, "foresee_seconds", lambda _: 100.0)
    assert "It will take about 2 min on a usual machine." in said(opened("generate", sessions()))
    monkeypatch.setattr(run_start, "foresee_seconds", lambda _: None)
    assert "It will take" not in said(opened("generate", sessions()))


def test_a_plan_that_cannot_be_kept_is_refused_with_the_way_back(
    opened: Opened, session: Session
) -> None:
    plan_choice(session).draft.k = 61
    page = opened("generate", session)
    assert len(page.error) == 1
    assert not any(each.key == "generate" for each in page.button)


def test_values_outside_are_refused_before_anything_is_spent(
    opened: Opened, sessions: Callable[..., Session], schema: Schema
) -> None:
    pay = schema.column("pay")
    narrower = pay.changed(domain=pay.domain.model_copy(update={"values": ("low", "mid")}))
    session = sessions(schema=schema.replace(narrower).declare_public())
    page = opened("generate", session)
    assert "pay" in page.error[0].value
    assert session.column == "pay"
    assert list_runs(home()) == ()


@pytest.mark.parametrize(
    ("field", "link"),
    [
        ("budget", "Go to the Ledger page"),
        ("ledger", "Go to the Ledger page"),
        ("table", "Decide on the Data page"),
        ("pay", "Decide on the Data page"),
        ("attempts", "Mend it on the Privacy page"),
        ("out", None),
        (None, None),
    ],
)
def test_a_start_that_fails_leads_to_where_it_can_be_mended(
    opened: Opened,
    session: Session,
    monkeypatch: pytest.MonkeyPatch,
    field: str | None,
    link: str | None,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise Refusal("It cannot be started.", "Mend it.", field=field)

    monkeypatch.setattr(run_start, "start", refuse)
    page = agree(opened("generate", session))
    before = {each.proto.label for each in page.get("page_link")}
    page.button(key="generate").click().run()
    assert not page.exception
    assert "It cannot be started." in page.error[0].value
    after = {each.proto.label for each in page.get("page_link")}
    assert after - before == ({link} if link else set())


def test_generating_takes_a_confirmation_and_ends_in_a_release(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("generate", session)
    assert page.button(key="generate").disabled
    assert "This run spends" in said(page)
    agree(page)
    page.button(key="generate").click().run()
    (run,) = list_runs(home())
    assert session.run == run.identity
    assert wait(run).state == "finished"
    page.run()
    assert "Finished" in said(page)
    assert run.table.exists()
    assert "stain" not in json.loads(run.guarantee.read_text())
    page.button(key="another").click().run()
    assert "further spend" in said(page)
    assert totals(session) == (1, 0)
    assert page.button(key="generate").disabled


def test_a_fixed_seed_stains_the_run(opened: Opened, said: Said, session: Session) -> None:
    page = opened("generate", session)
    next(each for each in page.checkbox if "fixed seed" in each.label).check()
    agree(page)
    assert "will not be private" in said(page)
    assert "This run promises nothing" in said(page)
    assert "This run spends" not in said(page)
    page.button(key="generate").click().run()
    (run,) = list_runs(home())
    assert wait(run).state == "finished"
    assert "stain" in json.loads(run.guarantee.read_text())
    assert totals(session) == (0, 1)
    assert "1 run promised nothing" in said(page.run())


def test_a_run_under_way_is_found_again_from_a_fresh_page(
    opened: Opened, said: Said, session: Session
) -> None:
    working = Progress("attempting", 1000, done=250, passed=40, pace=100.0)
    run = left_behind(session, working)
    page = opened("generate")
    assert "Under way" in said(page)
    values = {metric.label: metric.value for metric in page.metric}
    assert values["Attempts"] == "250 of 1,000"
    assert values["Time left"] == "8 s"
    assert "40 candidates passed so far" in said(page)
    page.button(key=f"cancel-{run.identity}").click().run()
    assert run.cancelling
    assert "Stopping" in said(page)


def test_a_run_that_learns_says_at_what_and_for_how_long(opened: Opened, session: Session) -> None:
    begun = time.time() - 65
    left_behind(session, Progress("learning", 1000, started=begun, message="Counting *columns*"))
    (bar,) = opened("generate").get("progress")
    assert bar.proto.text.startswith(r"Learning the model: Counting \*columns\* · 1 min ")  # type: ignore[attr-defined]
    assert bar.proto.text.endswith(" so far")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("state", "words"), [("cancelled", "Nothing was released"), ("failed", "The disk is full")]
)
def test_how_a_run_ended_is_said(
    opened: Opened, said: Said, session: Session, state: str, words: str
) -> None:
    ended = Progress(state, 1000, message="The disk is full." if state == "failed" else "")  # type: ignore[arg-type]
    session.run, session.watching = left_behind(session, ended).identity, True
    page = opened("generate", session)
    assert words in said(page)


def test_an_earlier_run_is_opened_again_from_a_fresh_page(
    opened: Opened, said: Said, session: Session
) -> None:
    run = left_behind(session, Progress("finished", 10))
    page = opened("generate")
    assert "Finished" not in said(page)
    page.button(key=f"open-{run.identity}").click().run()
    assert "Finished" in said(page)


def test_more_seeds_declared_than_there_are_is_refused_before_anything_is_spent(
    opened: Opened, session: Session
) -> None:
    plan_choice(session).draft.seeds_at_least, plan_choice(session).draft.public_records = (
        390,
        10_000,
    )
    page = agree(opened("generate", session))
    assert page.button(key="generate").disabled
    assert "at least 390 seed records" in page.error[0].value
    assert list_runs(home()) == ()
    assert session.run is None


def test_no_number_is_called_public_before_somebody_confirms_it(
    opened: Opened, session: Session
) -> None:
    plan_choice(session).draft.public_records = None
    page = agree(opened("generate", session))
    assert page.button(key="generate").disabled
    needed = plan_choice(session).promise().records_at_least
    page.checkbox(key=f"public-{needed}").check().run()
    assert session.settings.plan().public_records == needed
    assert not page.button(key="generate").disabled
    page.checkbox(key=f"public-{needed}").uncheck().run()
    assert session.settings.plan().public_records is None
    assert page.button(key="generate").disabled
    assert list_runs(home()) == ()


def test_the_running_total_adds_release_runs_and_leaves_stained_ones_out(
    session: Session,
) -> None:
    done = Progress("finished", 10)
    left_behind(session, done)
    left_behind(session, done)
    left_behind(session, done, stained=True)
    assert totals(session) == (2, 1)
    found = balance_of(session)
    assert found is not None
    alone = plan_choice(session).promise().total
    assert found.spent.epsilon == pytest.approx(2 * alone.epsilon)
    assert found.spent.delta == pytest.approx(2 * alone.delta)


def test_a_broken_run_folder_does_not_break_the_page(opened: Opened, session: Session) -> None:
    run = left_behind(session, Progress("finished", 10))
    (run.path / "progress.json").write_text("{", encoding="utf-8")
    (run.path / "run.json").write_text("[1", encoding="utf-8")
    (run.path / "plan.json").write_text("{", encoding="utf-8")
    page = opened("generate", session)
    assert not page.exception
    assert not page.error


def test_the_bar_never_runs_backwards() -> None:
    first = Progress("starting", 100)
    steps = [
        first,
        replace(first, state="splitting"),
        replace(first, state="learning"),
        replace(first, state="attempting"),
        replace(first, state="attempting", done=50),
        replace(first, state="attempting", done=100),
        replace(first, state="evaluating", done=100),
        replace(first, state="finished", done=100),
    ]
    found = [fraction_done(step) for step in steps]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0.0, 1.0)


def test_what_the_planned_run_promises_can_be_read_before_it(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("generate", session)
    text = said(page)
    for heading in ("Who is protected", "What a reader may see", "What it rests on"):
        assert heading in text
    assert "One person contributes one record" in text
    assert not page.code
    page.toggle(key="formula-planned").set_value(True).run()
    assert any("ln(1 + " in each.value for each in page.code)


def test_releases_are_counted_in_records_and_their_pace_is_internal(
    opened: Opened, said: Said, session: Session
) -> None:
    plan_choice(session).draft.protocol = "releases"
    left_behind(session, Progress("attempting", 200, done=50, passed=50, pace=5.0))
    page = opened("generate", session)
    values = {metric.label: metric.value for metric in page.metric}
    assert values["Records"] == "50 of 200"
    assert "passed so far" not in said(page)
    assert "tells how many attempts it needs" in said(page)


def test_each_run_of_the_list_says_what_it_promises(
    opened: Opened, said: Said, session: Session
) -> None:
    promising = left_behind(session, Progress("finished", 10))
    stained = left_behind(session, Progress("finished", 10), stained=True)
    page = opened("generate")
    assert "Who is protected" not in said(page)
    page.session_state[f"promises-{promising.identity}"] = True
    page.run()
    assert "Who is protected" in said(page)
    page.session_state[f"promises-{promising.identity}"] = False
    page.session_state[f"promises-{stained.identity}"] = True
    page.run()
    assert "Who is protected" not in said(page)
    assert "Nothing is promised about any single record" in said(page)


def test_a_cancelled_run_is_said_to_be_over_for_good(
    opened: Opened, said: Said, session: Session
) -> None:
    session.run = left_behind(session, Progress("cancelled", 1000)).identity
    session.watching = True
    assert "it cannot be resumed" in said(opened("generate", session))


def test_a_run_that_finished_when_no_page_was_open_is_announced_before_a_further_spend(
    opened: Opened, said: Said, csv: bytes, schema: Schema
) -> None:
    session = Session()
    take_table(session, LoadedTable("tiny.csv", read_table(csv, name="tiny.csv")), schema)
    answer_all(session)
    left_behind(session, Progress("finished", 10))
    save_decisions(session)
    project = session.project
    assert project is not None

    def comes_back() -> AppTest:
        later = Session()
        enter_project(later, project)
        return opened("generate", later)

    for _ in range(2):
        page = comes_back()
        assert not page.exception
        assert "The table and its guarantee are ready." in said(page)
        assert "Open the table again" not in said(page)
    page.button(key="another").click().run()
    assert "The table and its guarantee are ready." not in said(page)
    assert "The table and its guarantee are ready." not in said(comes_back())
