"""The Generate page: what it costs, starting, watching, and what is left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.parts.watch import fraction
from dashboard.session import Session
from dashboard.spending import balance, dataset
from engine.ledger.ledger import Debit
from engine.privacy.budget import Budget
from engine.runs.control import home, home_ledger, runs, wait
from engine.runs.debit import debited
from engine.runs.folder import RunFolder
from engine.runs.watched import Progress
from engine.table.schema import Schema

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


def agree(page: AppTest) -> AppTest:
    next(each for each in page.checkbox if "I have read" in each.label).check()
    return page.run()


def left_behind(session: Session, progress: Progress, *, stained: bool = False) -> RunFolder:
    """A run folder as a worker would have left it, without the work."""
    folder = RunFolder(home() / f"2026010{len(runs(home()))}T000000-release-aa")
    folder.path.mkdir(parents=True)
    plan = session.plan()
    folder.write_text("plan.json", plan.to_json())
    assert session.schema is not None
    folder.write_text("schema.json", session.schema.to_json())
    about = {"at": "2026-01-01T00:00:00+00:00", "purpose": "release", "stained": stained}
    folder.write_text("run.json", json.dumps(about))
    folder.report(progress)
    what = debited(plan, session.promise(), stained=stained)
    found = dataset(session)
    assert found is not None
    home_ledger().debit(Debit(folder.identity, found, what))
    return folder


def totals(session: Session) -> tuple[int, int]:
    """How many runs on the open table promise something, and how many do not."""
    found = balance(session)
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


def test_a_plan_that_cannot_be_kept_is_refused_with_the_way_back(
    opened: Opened, session: Session
) -> None:
    assert session.draft is not None
    session.draft.k = 61
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
    assert runs(home()) == ()


def test_generating_takes_a_confirmation_and_ends_in_a_release(
    opened: Opened, said: Said, session: Session
) -> None:
    page = opened("generate", session)
    assert page.button(key="generate").disabled
    assert "This run spends" in said(page)
    agree(page)
    page.button(key="generate").click().run()
    (run,) = runs(home())
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
    (run,) = runs(home())
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
    assert session.draft is not None
    session.draft.seeds_at_least = 390
    page = agree(opened("generate", session))
    page.button(key="generate").click().run()
    assert "at least 390 seed records" in page.error[0].value
    assert runs(home()) == ()
    assert session.run is None


def test_the_running_total_adds_release_runs_and_leaves_stained_ones_out(
    session: Session,
) -> None:
    done = Progress("finished", 10)
    left_behind(session, done)
    left_behind(session, done)
    left_behind(session, done, stained=True)
    assert totals(session) == (2, 1)
    found = balance(session)
    assert found is not None
    alone = session.promise().total
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
    found = [fraction(step) for step in steps]
    assert found == sorted(found)
    assert (found[0], found[-1]) == (0.0, 1.0)


def small(session: Session) -> Session:
    """A plan that costs little, without seeds."""
    assert session.draft is not None
    session.draft.omega_low = session.draft.omega_high = 3
    session.draft.model_epsilon, session.draft.delta = 0.4, 1e-6
    return session


def test_a_run_beyond_the_budget_is_refused_beside_the_button_with_a_way_on(
    opened: Opened, said: Said, session: Session
) -> None:
    small(session)
    home_ledger().budget("tiny", Budget(0.5, 1e-4))
    left_behind(session, Progress("finished", 10))
    page = agree(opened("generate", session))
    assert "The budget of “tiny” is ε = 0.5" in page.error[0].value
    assert "Left: ε = 0.1" in page.error[0].value
    assert page.button(key="generate").disabled
    home_ledger().budget("tiny", Budget(5.0, 1e-4))
    page.run()
    assert not page.error
    assert not page.button(key="generate").disabled


def test_a_demonstration_fits_into_no_budget(opened: Opened, session: Session) -> None:
    small(session)
    home_ledger().budget("tiny", Budget(5.0, 1e-4))
    page = opened("generate", session)
    assert not page.error
    next(each for each in page.checkbox if "fixed seed" in each.label).check().run()
    assert "promises nothing" in page.error[0].value


def test_a_budget_spent_by_another_page_meanwhile_is_refused_at_the_start(
    opened: Opened, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(session)
    page = agree(opened("generate", session))
    monkeypatch.setattr("dashboard.parts.starting._affordable", lambda *_: True)
    home_ledger().budget("tiny", Budget(0.3, 1e-4))
    page.button(key="generate").click().run()
    assert "The budget of “tiny” is ε = 0.3" in page.error[0].value
    assert runs(home()) == ()
    assert session.run is None


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
    assert session.draft is not None
    session.draft.protocol = "releases"
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


def unfolded(opened: Opened, session: Session) -> AppTest:
    """The page with the history open."""
    page = opened("generate", session)
    page.session_state["history"] = True
    return page.run()


def test_the_history_shows_each_run_with_its_settings(opened: Opened, session: Session) -> None:
    left_behind(session, Progress("finished", 200, passed=31))
    assert session.draft is not None
    session.draft.k = 30
    left_behind(session, Progress("failed", 200))
    page = unfolded(opened, session)
    table = page.dataframe[0].value
    assert table["k"].tolist() == ["30", "20"]
    assert table["State"].tolist() == ["stopped", "finished"]
    assert table["Planned"].tolist() == ["200 attempts"] * 2
    assert table["Released"].tolist() == ["nothing"] * 2
    assert all(value not in ("", "no promise") for value in table["ε"])


def test_two_runs_stand_beside_one_another_with_what_differs(
    opened: Opened, said: Said, session: Session
) -> None:
    left_behind(session, Progress("finished", 200))
    assert session.draft is not None
    session.draft.k, session.draft.epsilon0 = 30, 0.5
    left_behind(session, Progress("finished", 200))
    page = unfolded(opened, session)
    assert "They differ in **2 settings**" in said(page)
    rows = page.table[0].value
    assert rows[""].tolist() == ["≠", "≠"]
    assert rows["First run"].tolist() == ["**20**", "**1**"]
    assert rows["Second run"].tolist() == ["**30**", "**0.5**"]
    page.toggle(key="history-every").set_value(True).run()
    rows = page.table[0].value
    assert sorted(set(rows[""])) == ["=", "≠"]
    assert len(rows) > 15
    newest = page.selectbox(key="history-Second run").options[0]
    page.selectbox(key="history-First run").set_value(
        next(run.identity for run in runs(session.runs_at))
    ).run()
    assert newest
    assert "They have the same settings" in said(page)


def test_running_again_takes_over_the_settings_and_is_called_a_new_spend(
    opened: Opened, said: Said, session: Session
) -> None:
    run = left_behind(session, Progress("finished", 200))
    assert session.draft is not None
    session.draft.k = 45
    page = unfolded(opened, session)
    assert "a new spend" in said(page)
    page.selectbox(key="history-again").set_value(run.identity).run()
    page.button(key="take-over").click().run()
    assert session.draft is not None
    assert session.draft.k == 20
    assert "further spend" in said(page)
    assert page.button(key="generate").disabled


def test_settings_for_other_columns_cannot_be_taken_over(
    opened: Opened, session: Session, sessions: Callable[..., Session], schema: Schema
) -> None:
    left_behind(session, Progress("finished", 200))
    other = sessions(schema=Schema(columns=schema.columns[:2]).declare_public())
    page = unfolded(opened, other)
    page.button(key="take-over").click().run()
    assert "another schema" in page.error[0].value


def test_what_the_budget_still_holds_is_offered_and_taken(
    opened: Opened, said: Said, session: Session
) -> None:
    assert session.draft is not None
    session.draft.omega_ranges, session.draft.omega_high = False, 2
    session.draft.epsilon0, session.draft.model_epsilon = 0.2, 1.0
    session.draft.delta, session.draft.k = 1e-3, 45
    home_ledger().budget("tiny", Budget(3.0, 1e-2))
    page = opened("generate", session)
    assert "The budget of “tiny” is ε = 3" in page.error[0].value
    ways = [each for each in page.button if str(each.key).startswith("within-")]
    assert [each.label.split(" ")[0] for each in ways] == [str(session_attempts(ways)), "No"]
    ways[0].click().run()
    assert not page.error
    assert 1 <= session.draft.attempts < 200
    assert session.promise().total.epsilon <= 3


def session_attempts(ways: list[Any]) -> int:
    """The number of attempts that the first way offers."""
    return int(ways[0].label.split(" ")[0].replace(",", ""))


def test_where_nothing_is_left_only_the_budget_helps(
    opened: Opened, said: Said, session: Session
) -> None:
    small(session)
    home_ledger().budget("tiny", Budget(0.4, 1e-6))
    left_behind(session, Progress("finished", 10))
    page = opened("generate", session)
    assert "holds no plan like this one" in said(page)
    assert not [each for each in page.button if str(each.key).startswith("within-")]


def test_a_cancelled_run_is_said_to_be_over_for_good(
    opened: Opened, said: Said, session: Session
) -> None:
    session.run = left_behind(session, Progress("cancelled", 1000)).identity
    session.watching = True
    assert "it cannot be resumed" in said(opened("generate", session))
