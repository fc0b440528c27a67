"""Runs side by side on the Inspect page. How much further off than other real records the tables
of several runs are. The sentences about a finished run. The tab with what attacks found.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import evaluation, put
from tests.support import category_schema
from understudy.acceptance.statistics import AcceptanceTest
from understudy.core.numerals import FIXED
from understudy.evaluation.comparison import Compared, Distances
from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import (
    MARGINALS,
    REALS,
    RELEASED,
    BreakdownEntry,
    Finding,
    Interval,
    SubjectResult,
)
from understudy.evaluation.measures.copies import CONTROL, SEEDS
from understudy.evaluation.relative_score import MEASURES, Aspect, aspects
from understudy.evaluation.run_comparison import ComparedRun
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures
from understudy.mechanisms.seedbased.evaluation.pass_rate import ScoreSample
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.models.omega import Omega, Reading
from understudy.runs.control import list_runs, start, wait
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy_dashboard import words
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.methods.seedbased.pass_rate import describe_pass_rate, find_score_sample
from understudy_dashboard.methods.seedbased.words import LOST_TO_TEST
from understudy_dashboard.parts import run_list
from understudy_dashboard.parts.inspect import summary as parts
from understudy_dashboard.parts.inspect.compare import compared_excess, settings_table
from understudy_dashboard.parts.inspect.disclosure import (
    ABOUTS,
    NO_GUARANTEE,
    is_above_control,
    list_sentences,
    parts_table,
    tabulate_attacks,
)
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder that the first test of this module fills with two releases."""
    return tmp_path_factory.mktemp("compared-home")


@pytest.fixture
def two(
    finished: Path,
    tmp_path: Path,
    sessions: Callable[..., Session],
    monkeypatch: pytest.MonkeyPatch,
) -> tuple[RunFolder, RunFolder]:
    """Two finished releases of the tiny table, which differ in k; the newer first."""
    if not list_runs(finished):
        monkeypatch.setenv("UNDERSTUDY_HOME", str(finished))
        session = sessions()
        for k in (20, 30):
            plan_choice(session).use(plan_choice(session).draft.copy(k=k))
            job = Job(session.records(), session.settings.plan())
            assert wait(start(job, finished, dataset=dataset_of(session))).state == "finished"
    home = tmp_path / "compared"
    shutil.copytree(finished, home)
    monkeypatch.setenv("UNDERSTUDY_HOME", str(home))
    newer, older = list_runs(home)
    return newer, older


def compared(page: AppTest, newer: RunFolder, *others: RunFolder) -> AppTest:
    """The tab, these runs chosen."""
    page.session_state["inspect-tab"] = "Compare"
    page.run()
    chosen = page.multiselect(key=f"beside-{newer.identity}")
    return chosen.set_value([each.identity for each in others]).run()


def test_one_run_alone_says_what_comparing_needs(
    opened: Opened, said: Said, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    shutil.rmtree(two[1].path)
    page = opened("inspect", session)
    page.session_state["inspect-tab"] = "Compare"
    page.run()
    assert not page.exception
    assert "Comparing needs a second run" in said(page)
    assert not page.multiselect


def test_settings_totals_and_what_was_kept_stand_side_by_side(
    opened: Opened, said: Said, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    page = compared(opened("inspect", session), *two)
    assert not page.exception
    assert not page.error
    totals, settings, further, numbers = (each.value for each in page.table[-4:])
    assert list(further.index) == ["Typical column", "Typical pair", "Worst column", "Worst pair"]
    names = list(totals.columns)
    assert [name[0] for name in names] == ["A", "B"]
    assert settings.loc["k, plausible seeds needed"].tolist() == ["30", "20"]
    assert len(settings) == 1
    assert {"Total ε", "Total δ", "Candidates passed", "Share expected to pass"} <= set(
        totals.index
    )
    assert "Total variation of pairs of columns" in numbers.index
    assert "Not everything was measured of" in said(page)


def test_other_buckets_are_said_where_no_setting_differs(
    opened: Opened,
    said: Said,
    two: tuple[RunFolder, RunFolder],
    sessions: Callable[..., Session],
    schema: Schema,
) -> None:
    coarser = schema.column("age").with_buckets(ByWidth(width=Decimal(24)))
    columns = [coarser if each.name == "age" else each for each in schema.columns]
    session = sessions(schema=schema.with_columns(columns).declare_public())
    plan_choice(session).use(plan_choice(session).draft.copy(k=20))
    job = Job(session.records(), session.settings.plan())
    newest = start(job, two[1].path.parent, dataset=dataset_of(session))
    assert wait(newest).state == "finished"
    page = compared(opened("inspect", session), newest, two[1])
    assert not page.exception
    assert "Nowhere:" not in said(page)
    assert "described in other ways" in said(page)
    found = page.table[1].value
    assert list(found.index) == ["age: buckets"]
    assert found.iloc[0].tolist() == [
        "3: 18 to 41, 42 to 65, 66 to 89",
        "6: 18 to 29, 30 to 41, 42 to 53, …",
    ]


def test_evaluated_runs_are_compared_by_every_measure(
    opened: Opened, said: Said, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    for each in two:
        put(each, evaluation())
    page = compared(opened("inspect", session), *two)
    numbers = page.table[-1].value
    assert "Accuracy of prediction" in numbers.index
    assert "Not everything was measured" not in said(page)
    page.toggle(key="table-beside").set_value(True).run()
    assert not page.exception


def test_other_targets_leave_prediction_out_and_say_so(
    opened: Opened, said: Said, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    put(two[0], evaluation())
    put(two[1], replace(evaluation(), target="job"))
    page = compared(opened("inspect", session), *two)
    assert "Different columns were predicted" in said(page)
    assert "Accuracy of prediction" not in page.table[-1].value.index


def test_a_run_with_other_columns_is_refused_by_name(
    opened: Opened, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    newer, older = two
    first, _, *others = Schema.from_json(older.read_text("schema.json")).columns
    other = Column(name="job", domain=Categories(values=("clerk", "doctor")))
    schema = Schema.from_json(Schema(columns=(first, other, *others)).to_json())
    plan = json.loads(older.read_text("plan.json"))
    older.write_text("schema.json", schema.to_json())
    older.write_text("plan.json", json.dumps({**plan, "domain": schema.fingerprint}))
    page = compared(opened("inspect", session), newer, older)
    (error,) = page.error
    assert "The columns of “B" in error.value.replace("\\", "")
    assert not page.table or "k, plausible" not in str(page.table[-1].value.index)


def test_a_damaged_run_is_said_to_be(
    opened: Opened, two: tuple[RunFolder, RunFolder], session: Session
) -> None:
    newer, older = two
    (older.internal / "figures.json").write_text("{", encoding="utf-8")
    page = compared(opened("inspect", session), newer, older)
    (error,) = page.error
    assert "are damaged" in error.value
    assert not page.exception


def test_what_of_accuracy_is_released_differs_by_its_title(schema: Schema) -> None:
    distance = {"kind": "distance", "columns": ("age", "job"), "limit": 0.1}
    test = AcceptanceTest.read({"epsilon": 0.5, "statistics": [distance]})
    plain = Plan.of(schema)
    more = plain.change(schema, acceptance=test, noisy_tables=True)
    rows = settings_table({"A": plain, "B": more}).set_index("Setting")
    assert rows.to_dict("index") == {
        "Acceptance test, what is measured": {
            "A": "none",
            "B": f"Distance of “age” with “job”, limit 10{FIXED}%",
        },
        "Acceptance test, ε of all figures together": {"A": "none", "B": "0.5"},
        "Acceptance test, confidence of its intervals": {"A": "none", "B": f"95{FIXED}%"},
        "Noisy tables are released": {"A": "no", "B": "yes"},
    }


def test_runs_that_look_alike_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, sessions: Callable[..., Session]
) -> None:
    """A list knows what was chosen by its text."""
    monkeypatch.setattr(run_list, "title_of_run", lambda session, run: "two of one second")
    newer, older = RunFolder(Path("b")), RunFolder(Path("a"))
    titles = run_list.list_run_titles(sessions(), (newer, older))
    assert titles == {"a": "two of one second", "b": "two of one second (2)"}


SCHEMA = category_schema(4, 3, 2)


def side(name: str, released: float) -> ComparedRun:
    """A run whose second and third columns go together worst."""
    square = np.full((3, 3), released)
    square[1, 2] = square[2, 1] = 0.3
    np.fill_diagonal(square, 0.02)
    real = np.full((3, 3), 0.01)
    compared = tuple(
        Compared(each, 100, Distances(np.diagonal(pairs).copy(), pairs))
        for each, pairs in ((RELEASED, square), (REALS, real))
    )
    return ComparedRun(name, "d", SCHEMA, compared)


def test_each_run_has_what_was_found() -> None:
    table = compared_excess({"A": side("A", 0.05), "B": side("B", 0.0)})
    said = table.map(lambda each: each.replace("\N{NO-BREAK SPACE}", " "))
    assert list(said.index) == ["Typical column", "Typical pair", "Worst column", "Worst pair"]
    assert said.loc["Typical pair", "A"] == "4.0 %"
    assert said.loc["Typical pair", "B"] == "0 %"
    assert said.loc["Worst pair", "B"] == "29.0 %: c1 × c2"
    assert said.loc["Worst pair", "A"] == "29.0 %: c1 × c2"


def test_a_run_without_references_has_no_column() -> None:
    bare = ComparedRun("B", "d", SCHEMA)
    assert list(compared_excess({"A": side("A", 0.05), "B": bare})) == ["A"]


PASSING = "About half pass."


def figures(pairs: dict[str, float], *omegas: Omega) -> RunFigures:
    """Tables whose pairs are all equally far, and samples in which everything passes."""
    compared = tuple(
        Compared(name, 5_000, Distances(np.full(3, far), np.full((3, 3), far)))
        for name, far in pairs.items()
    )
    samples = tuple(
        ScoreSample(omega, np.full(10, 10**6), np.zeros(10, dtype=bool)) for omega in omegas
    )
    return RunFigures(((), (), ()), (0, 1, 2), compared, samples)


def story(known: tuple[Aspect, ...], passing: str, target: str) -> tuple[str, ...]:
    """The sentences, their numbers and units with plain spaces between."""
    said = parts.tell_story(known, passing, target, LOST_TO_TEST)
    return tuple(each.replace("\N{NO-BREAK SPACE}", " ") for each in said)


def told(released: float, real: float = 0.02, marginals: float = 0.08) -> tuple[str, ...]:
    found = figures({REALS: real, MARGINALS: marginals, RELEASED: released})
    return story(aspects(found.compared, None), PASSING, "")


def story_evaluation() -> Evaluation:
    values = {
        "pairs": (0.05, 0.02, 0.08),
        "prediction": (0.68, 0.8, 0.5),
        "telling": (0.38, 0.0, 0.6),
    }
    findings = []
    for what, found in values.items():
        by = {
            name: SubjectResult(value, Interval(value - 0.01, value + 0.01))
            for name, value in zip((RELEASED, REALS, MARGINALS), found, strict=True)
        }
        findings.append(Finding(MEASURES[what], by))  # type: ignore[index]
    return Evaluation((), 9, "pay", tuple(findings))


def test_before_anything_was_measured_it_is_three_sentences() -> None:
    relations, passes, yet = told(0.05)
    assert (
        "differ from held-out ones by **5.0 %**; as many other real records by 2.0 %" in relations
    )
    assert "ignores all relations between columns by 8.0 %" in relations
    assert passes == PASSING
    assert "not measured yet" in yet


@pytest.mark.parametrize(
    ("released", "said"),
    [
        (0.021, "practically all (98 %) of the relations"),
        (0.045, "more than half (58 %) of the relations"),
        (0.07, "so little (17 %) of the relations"),
        (0.08, "keeps no more than a table that ignores all relations"),
        (0.2, "keeps no more than a table that ignores all relations"),
    ],
)
def test_it_is_honest_about_how_much_was_kept(released: float, said: str) -> None:
    first, *_ = told(released)
    assert said in first
    others = {"practically all", "more than half", "so little", "keeps no more"}
    assert sum(each in first for each in others) == 1


def test_where_there_is_nothing_to_keep_it_says_so() -> None:
    first, *_ = told(0.05, real=0.08, marginals=0.08)
    assert "little to keep or lose" in first


def test_without_a_reference_nothing_is_claimed() -> None:
    first, *_ = story(aspects(figures({MARGINALS: 0.05, RELEASED: 0.09}).compared, None), "", "")
    assert "by 5.0 %, but there are too few records for both references" in first
    assert "other real records" not in first
    alone, *_ = story(aspects(figures({RELEASED: 0.09}).compared, None), "", "")
    assert alone.endswith("differ from held-out ones by **9.0 %**.")


def test_everything_measured_makes_three_sentences() -> None:
    relations, predicting, telling = story(aspects((), story_evaluation()), PASSING, "pay*")
    assert "**5.0 %**" in relations
    assert "predicts “pay\\*” right for **68.0 %**" in predicting
    assert "other real records, 80.0 %; on a table without relations, 50.0 %" in predicting
    assert "in **69 of 100** cases" in telling
    assert "tells apart in 50, a table without relations in 80" in telling


def test_a_column_that_nothing_can_be_learned_about_is_said_to_show_nothing() -> None:
    _, predicting, _ = story(aspects((), story_evaluation()), PASSING, "pay")
    assert "shows nothing" not in predicting
    found = tuple(replace(each, placed=None) for each in aspects((), story_evaluation()))
    _, predicting, _ = story(found, PASSING, "pay")
    assert "choose another one under “Measure again”" in predicting


def test_too_few_records_are_no_story() -> None:
    (said,) = story((), "", "")
    assert said.startswith("Too few")


def test_how_many_pass_is_said_of_the_plan_itself(schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=1, high=1))
    found = figures({}, Omega(low=1, high=1))
    said = describe_pass_rate(found, plan, promise(plan, schema))
    assert said.endswith("of the candidates were expected to pass the privacy test.")
    seedless = Plan.of(schema, omega=Omega(low=3, high=3))
    every = describe_pass_rate(
        figures({}, Omega(low=3, high=3)), seedless, promise(seedless, schema)
    )
    assert every == ""
    assert describe_pass_rate(figures({}), plan, promise(plan, schema)) == ""


@pytest.mark.parametrize("reading", ["hidden", "announced"])
def test_one_number_is_found_under_either_reading(schema: Schema, reading: Reading) -> None:
    plan = Plan.of(schema, omega=Omega(low=2, high=2, reading=reading))
    found = figures({}, Omega(low=1, high=2), Omega(low=2, high=2))
    assert find_score_sample(found, plan) is found.samples[1]


def test_a_range_is_found_under_its_own_reading_only(schema: Schema) -> None:
    plan = Plan.of(schema, omega=Omega(low=1, high=2, reading="announced"))
    assert find_score_sample(figures({}, Omega(low=1, high=2)), plan) is None


def measured(key: str, more: float) -> SubjectResult:
    """So much more than ideal, give or take 0.02."""
    ideal = ABOUTS[key].ideal
    assert ideal is not None
    value = ideal + more
    parts = (
        BreakdownEntry((SEEDS,), 0.3 + more, Interval(0.2, 0.5)),
        BreakdownEntry((CONTROL,), 0.3, Interval(0.2, 0.4)),
    )
    return SubjectResult(value, Interval(value - 0.02, value + 0.02), parts)


def findings_of(**more: float) -> dict[str, Finding]:
    """Every attack; those named found so much more in the released table."""
    return {
        key: Finding(
            key,
            {
                REALS: measured(key, 0.0),
                MARGINALS: measured(key, -0.01),
                RELEASED: measured(key, more.get(key.replace("-", "_"), 0.0)),
            },
        )
        for key in ABOUTS
    }


def evaluation_of(findings: dict[str, Finding]) -> Evaluation:
    tables = tuple(
        MeasuredTable(name, role, 500)
        for name, role in ((REALS, "reals"), (MARGINALS, "marginals"), (RELEASED, "released"))
    )
    return Evaluation(tables, 500, "c0", tuple(findings.values()))


def drawn(evaluation: Evaluation | None) -> AppTest:
    def page(evaluation):  # type: ignore[no-untyped-def]
        from understudy_dashboard.parts.inspect.disclosure import draw_disclosure

        draw_disclosure(evaluation, {"c0": "Pay, *monthly*"})

    return AppTest.from_function(page, default_timeout=30, kwargs={"evaluation": evaluation}).run()


def test_every_disclosure_measure_is_shown() -> None:
    assert len(ABOUTS) >= 7
    assert {"exact-matches", "near-matches", "membership", "attribute-inference"} <= set(ABOUTS)
    assert all(each.ideal is not None for each in ABOUTS.values())


def test_the_tab_says_that_nothing_here_is_a_guarantee(said: Said) -> None:
    for page in (drawn(None), drawn(evaluation_of(findings_of()))):
        assert not page.exception
        assert page.info[0].value == NO_GUARANTEE
    assert "not a guarantee" in NO_GUARANTEE
    assert "No attack has been tried" in said(drawn(None))


@pytest.mark.parametrize("key", ["membership", "attribute-inference", "columns-closer-to-used"])
def test_one_attack_after_the_other(key: str, said: Said) -> None:
    page = drawn(evaluation_of(findings_of(membership=0.1)))
    page.selectbox[0].set_value(key).run()
    assert not page.exception
    text = said(page)
    assert words.escape(ABOUTS[key].sentence) in text
    assert ("The hidden column: Pay, *monthly*." in text) == (key == "attribute-inference")
    assert len(page.dataframe) == 2


def test_what_found_nothing_and_what_did() -> None:
    assert "No attack told records used" in list_sentences(findings_of())[0]
    found = list_sentences(findings_of(membership=0.1, exact_matches=0.05))[0]
    assert "2 measures" in found
    assert "Membership guessing" in found
    assert "Exact copies" in found
    assert f"other {len(ABOUTS) - 2} found nothing" in found
    # Fewer copies of seeds than of others is no leak.
    assert "No attack told records used" in list_sentences(findings_of(exact_matches=-0.3))[0]


def test_only_an_interval_wholly_beyond_chance_counts() -> None:
    about = ABOUTS["membership"]
    assert is_above_control(about, measured("membership", 0.021))
    assert not is_above_control(about, measured("membership", 0.019))
    assert not is_above_control(about, SubjectResult(0.5))


def test_the_table_sets_seeds_beside_others_and_tables_beside_references() -> None:
    table = tabulate_attacks(findings_of(membership=0.1))
    row = table.loc[table["Measure"] == "Membership guessing"].iloc[0]
    assert row["Released"] == "10.0 % (8.0 to 12.0 %)"
    assert row["Of records used"] == "40.0 %"
    assert row["Of held-out"] == "30.0 %"
    assert row["Other real records"].startswith("0")
    assert row["No leak"] == "0 %"
    closer = table.loc[table["Measure"] == "Closer to records used"].iloc[0]
    assert closer["No leak"] == "50.0 %"


def test_what_could_not_be_measured_is_said() -> None:
    findings = findings_of() | {"membership": Finding("membership", trouble="Too few seeds.")}
    table = tabulate_attacks(findings)
    row = table.loc[table["Measure"] == "Membership guessing"].iloc[0]
    assert row["Released"] == "Too few seeds."
    page = drawn(evaluation_of(findings))
    page.selectbox[0].set_value("membership").run()
    assert not page.exception
    assert page.info[-1].value == "Too few seeds."


def test_a_release_too_small_to_try_is_said() -> None:
    without = {key: Finding(key, {REALS: measured(key, 0.0)}) for key in ABOUTS}
    assert "too few records" in list_sentences(without)[0]
    assert not drawn(evaluation_of(without)).exception


def test_the_breakdown_names_its_entries() -> None:
    table = parts_table(ABOUTS["exact-matches"], findings_of()["exact-matches"])
    assert list(table) == ["Table", "Real records", "Exact copies"]
    assert table["Real records"].tolist() == [SEEDS, CONTROL] * 3
