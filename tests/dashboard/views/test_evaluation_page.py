"""Inspect with everything measured: the panel that asks, and every tab with its references.
Inspect of a run that made days: other measures, other references, no column to predict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import rmtree

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import TROUBLE, evaluation, put, say_new
from tests.engine.mechanisms.traces.town import plan
from tests.engine.models.mobility.town import commuters, records, schema
from understudy.core.home import home
from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import (
    MARGINALS,
    PEOPLE,
    REALS,
    RELEASED,
    UNIFORM,
    About,
    BreakdownEntry,
    Finding,
    Interval,
    Role,
    SubjectResult,
)
from understudy.evaluation.mobility.measures.disclosure import CONTROL, MEMBERS
from understudy.evaluation.mobility.registry import MEASURES as OF_DAYS
from understudy.evaluation.registry import abouts
from understudy.runs import inquiry
from understudy.runs.control import list_runs, start, wait
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import EvaluationOf, ask
from understudy.runs.work import Job
from understudy.table.sources.reading import read_table
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.parts.evaluation import FoundEvaluation
from understudy_dashboard.parts.inspect.disclosure import list_sentences, tabulate_attacks
from understudy_dashboard.parts.inspect.groups import tabulate_measures
from understudy_dashboard.parts.inspect.summary import numbers_table, scale_values
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]

SECTIONS = {
    "Overview": ["In short", "Foreseen and found", "Every measure"],
    "Distances": ["Every distance", "Single columns", "Spread", "Pairs", "One pair"],
    "Models": ["Accuracy by column", "Dependencies"],
    "Prediction": ["Trees and forests", "Linear classifiers"],
    "Distinguishing": ["Telling records apart", "Propensity"],
    "Disclosure": [""],
    "Privacy test": ["Pass rate", "Bounds"],
    "Compare": [""],
}
PARTS = [(section, part) for section, parts in SECTIONS.items() for part in parts]
MEASURED = [
    ("Distances", "Every distance"),
    ("Models", "Accuracy by column"),
    ("Prediction", "Trees and forests"),
    ("Prediction", "Linear classifiers"),
    ("Distinguishing", "Telling records apart"),
    ("Distinguishing", "Propensity"),
]

WAITING = [*MEASURED, ("Overview", "Every measure"), ("Disclosure", "")]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder that the first test of this module fills with one release."""
    return tmp_path_factory.mktemp("evaluated-home")


@pytest.fixture
def run(
    finished: Path, sessions: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> Iterator[RunFolder]:
    """One finished release of the tiny table, not evaluated."""
    monkeypatch.setenv("UNDERSTUDY_HOME", str(finished))
    found = list_runs(finished)
    if not found:
        session = sessions()
        job = Job(session.records(), session.settings.plan())
        made = start(job, finished, dataset=dataset_of(session))
        assert wait(made).state == "finished"
        found = list_runs(finished)
    yield found[0]
    rmtree(found[0].internal / EvaluationOf.name, ignore_errors=True)


@pytest.fixture
def evaluated(run: RunFolder) -> RunFolder:
    """The same, everything measured."""
    put(run, evaluation())
    return run


def at(section: str, part: str = "") -> dict[str, str]:
    """What stands in the session's state where somebody is at this part of the page."""
    return {"inspect-tab": section} | ({f"inspect-{section}": part} if part else {})


def turned(page: AppTest, section: str, part: str = "") -> AppTest:
    for name, value in at(section, part).items():
        page.session_state[name] = value
    return page.run()


def measure(page: AppTest, name: str) -> AppTest:
    """Choose a measure by its name."""
    widgets = [each for each in (*page.selectbox, *page.radio) if each.label == "Measure"]
    chosen = next(each for each in widgets if name in each.options)
    return chosen.select(name).run() if hasattr(chosen, "select") else chosen.set_value(name).run()


@pytest.mark.parametrize("table", ["open", "not open"])
def test_every_tab_is_drawn_before_anything_was_measured_and_says_what_will_stand_there(
    opened: Opened, said: Said, run: RunFolder, session: Session, table: str
) -> None:
    # The first part stands there as the page is opened.
    page = opened("inspect", session if table == "open" else None, state=at(*PARTS[0]))
    for section, part in PARTS:
        if (section, part) != PARTS[0]:
            turned(page, section, part)
        if (section, part) in WAITING:
            assert "Not measured yet." in said(page)
            assert "will be shown here" in said(page)
            assert ("needs the confidential table" in said(page)) == (table == "not open")
            offered = [each.label for each in page.button if each.key == "measure"]
            assert offered == (["Measure everything"] if table == "open" else [])
        assert not page.exception
        assert not page.error
        assert page.session_state["inspect-tab"] == section


def test_the_button_asks_for_this_run_and_the_chosen_column(
    opened: Opened, run: RunFolder, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[object, int, RunFolder]] = []

    def ask(what: EvaluationOf, records: object, of: RunFolder) -> None:
        asked.append((what, len(records), of))  # type: ignore[arg-type]

    monkeypatch.setattr(inquiry, "ask", ask)
    monkeypatch.setattr("understudy_dashboard.parts.evaluation.ask", ask)
    page = opened("inspect", session)
    box = page.selectbox(key=f"target-{run.identity}")
    assert box.options == ["Age", "job", "pay"]
    assert box.value == "pay"
    box.set_value("job").run()
    page.button(key="measure").click().run()
    assert asked == [(EvaluationOf("job"), 900, run)]


def test_a_table_that_is_not_the_runs_is_refused_in_words(
    opened: Opened, run: RunFolder, sessions: Callable[..., Session], csv: bytes
) -> None:
    other = sessions(csv.replace(b",cook,", b",clerk,"))
    page = opened("inspect", other)
    page.button(key="measure").click().run()
    assert len(page.error) == 1
    assert not page.exception


def test_while_it_works_the_rest_of_the_page_stays(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    put(run, None, state="starting")
    page = opened("inspect", session)
    assert not page.exception
    assert any(each.label == "Cancel" for each in page.button)
    assert not any(each.label.startswith("Measure") for each in page.button)
    assert "typical pair of columns, released records differ" in said(page)


def test_what_failed_says_why_and_can_be_asked_again(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    put(run, None, state="failed", said="The disk is full. Make room on it.")
    page = opened("inspect", session)
    assert "The disk is full." in said(page)
    assert page.button(key="measure").label == "Measure everything"


def test_a_run_that_kept_no_evidence_says_so(
    opened: Opened, said: Said, run: RunFolder, session: Session
) -> None:
    kept = run.internal / "evidence.npz"
    away = kept.rename(run.internal / "away.npz")
    try:
        page = opened("inspect", session)
        assert "nothing by which its table could be measured" in said(page)
        assert not page.error
    finally:
        away.rename(kept)


def test_the_overview_says_it_in_words_and_in_one_table(
    opened: Opened, said: Said, evaluated: RunFolder, session: Session
) -> None:
    page = opened("inspect", session)
    text = said(page)
    assert "predicts “pay” right for **68.0 %**" in text
    assert "trained on other real records, 80.0 %; on a table without relations, 50.0 %" in text
    assert "of 100** cases, where a coin would get 50" in text
    assert "Column predicted: pay." in text
    table = turned(page, "Overview", "Every measure").dataframe[0].value
    accuracy = table.loc[table["Measure"] == "Accuracy of prediction"].iloc[0]
    assert accuracy["Released"] == "68.0 % (67.0 to 69.0 %)"
    assert (accuracy["Other real records"], accuracy["Marginals"]) == ("80.0 %", "50.0 %")
    assert accuracy["Which way is better"] == "higher is better"


def test_on_the_scale_everything_stands_where_it_was_put(
    opened: Opened, evaluated: RunFolder, session: Session
) -> None:
    page = opened("inspect", session, state=at("Overview", "Every measure"))
    page.toggle(key="table-standings").set_value(True).run()
    placed = page.dataframe[0].value
    released = placed.loc[placed["Table"] == RELEASED, "Stands at (%)"]
    assert len(released) >= 9
    assert released.tolist() == pytest.approx([60.0] * len(released))
    assert set(placed["Table"]) == {RELEASED, "before the test", "ω = 2–3", "ω = 3"}


def test_what_has_no_scale_is_left_out_in_words(
    opened: Opened, said: Said, evaluated: RunFolder, session: Session
) -> None:
    page = opened("inspect", session, state=at("Overview", "Every measure"))
    assert "Left out: Missing combinations." in said(page)


def test_the_story_is_three_sentences_and_one_chart(
    opened: Opened, evaluated: RunFolder, session: Session
) -> None:
    page = opened("inspect", session)
    assert [each.key for each in page.toggle if each.key and each.key.startswith("table-")] == [
        "table-story"
    ]
    page.toggle(key="table-story").set_value(True).run()
    table = page.dataframe[0].value
    assert table["Stands at (%)"].tolist() == pytest.approx([60.0] * 4)


@pytest.mark.parametrize("place", ["evaluation/result-1/evaluation.json", "figures.npz"])
def test_damaged_files_are_said_to_be(
    opened: Opened, evaluated: RunFolder, session: Session, place: str
) -> None:
    path = evaluated.internal / place
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    try:
        page = opened("inspect", session)
        (error,) = page.error
        assert "are damaged" in error.value
        assert "Choose another run" in error.value
        assert not page.exception
    finally:
        path.write_bytes(whole)


def has_both_references_and_intervals(table: pd.DataFrame, section: str) -> None:
    """Every value of a part where a group of measures stands."""
    subjects = set(table.iloc[:, 0]) | set(table.iloc[:, 1])
    wanted = {MARGINALS} if section == "Models" else {REALS, MARGINALS, RELEASED}
    assert wanted <= subjects
    assert [str(each).split()[0] for each in table.columns[-2:]] == ["From", "To"]
    assert table.iloc[:, -2:].notna().all(axis=None)


def test_every_value_stands_beside_both_references_with_its_interval(
    opened: Opened, evaluated: RunFolder, session: Session
) -> None:
    """Every chart of every tab, read as a table."""
    page = opened("inspect", session, state=at(*PARTS[0]))
    for section, part in PARTS:
        if (section, part) != PARTS[0]:
            turned(page, section, part)
        assert not page.exception
        before = len(page.dataframe)
        # Nothing of a seed is kept of the tiny table for some, so Bounds may have no chart.
        assert page.toggle or part == "Bounds" or section == "Compare"
        for each in page.toggle:
            each.set_value(True)
        page.run()
        assert len(page.dataframe) == before + len(page.toggle)
        assert not page.error
        if (section, part) in MEASURED:
            has_both_references_and_intervals(page.dataframe[0].value, section)


def test_trouble_takes_the_place_of_numbers(
    opened: Opened, said: Said, evaluated: RunFolder, session: Session
) -> None:
    page = opened("inspect", session, state=at("Distances", "Every distance"))
    measure(page, "Missing combinations")
    assert TROUBLE in said(page)
    assert not page.toggle
    assert not page.error


def test_a_measure_says_what_it_means_how_far_it_goes_and_where_it_is_from(
    opened: Opened, said: Said, evaluated: RunFolder, session: Session
) -> None:
    page = opened("inspect", session, state=at("Prediction", "Trees and forests"))
    assert "How often a random forest that learned from the table" in said(page)
    (named,) = [each for each in page.markdown if each.value == "**Accuracy of prediction**"]
    assert "from 0 % to 100 %" in named.proto.help
    assert "higher is better" in named.proto.help
    assert "VLDB 2017, Table 3" in named.proto.help


def test_columns_are_called_by_their_titles(
    opened: Opened, evaluated: RunFolder, session: Session
) -> None:
    page = opened("inspect", session, state=at("Models", "Accuracy by column"))
    page.toggle(key="table-columns-model-accuracy").set_value(True).run()
    assert page.dataframe[0].value["Column"].tolist() == ["Age", "job", "pay"]


def test_the_file_is_read_once_however_often_the_page_is_drawn(
    opened: Opened, evaluated: RunFolder, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = opened("inspect", session)
    kept = session.cache._results["evaluation"][1]
    turned(page, "Prediction", "Trees and forests")
    assert session.cache._results["evaluation"][1] is kept
    put(evaluated, evaluation())
    page.run()
    assert session.cache._results["evaluation"][1] is not kept


TABLES: dict[str, tuple[Role, float]] = {
    PEOPLE: ("reals", 0.1),
    UNIFORM: ("marginals", 0.6),
    RELEASED: ("released", 0.2),
}


def measured(about: About, value: float) -> SubjectResult:
    """A value; where higher is better, what is missing to one."""
    parts = ()
    if about.parts == "real people":
        parts = (BreakdownEntry((MEMBERS,), 0.7), BreakdownEntry((CONTROL,), 0.5))
    if about.ideal is not None and about.ideal > 0:
        value = about.ideal + value / 2
    value = 1 - value if about.better == "higher" else value
    return SubjectResult(value, Interval(value - 0.01, value + 0.01), parts)


@pytest.fixture
def found() -> FoundEvaluation:
    """Every measure of days; the released ones lie a fifth of the way from real ones."""
    findings = tuple(
        Finding(
            each.about.key,
            {name: measured(each.about, value) for name, (_, value) in TABLES.items()},
        )
        for each in OF_DAYS
    )
    tables = tuple(MeasuredTable(name, role, 70) for name, (role, _) in TABLES.items())
    return FoundEvaluation(Evaluation(tables, 80, "", findings), abouts(), {}, "")


def test_headline_measures_stand_between_uniform_days_and_real_ones(found: FoundEvaluation) -> None:
    on_scale, off = scale_values(found)
    assert not off
    assert {each.about.key for each in on_scale} >= {"places-by-time", "flows", "time-at-home"}
    for each in on_scale:
        if each.about.ideal is None:
            assert each.placed[RELEASED].value == pytest.approx(0.8)
    numbers = numbers_table(found)
    assert list(numbers.columns)[2:4] == ["Other real people", "Uniform model"]
    row = numbers.set_index("Measure").loc["Flows between zones"]
    assert row["Other real people"].startswith("10")
    assert row["Uniform model"].startswith("60")


def test_every_group_can_be_read_as_a_table(found: FoundEvaluation) -> None:
    table = tabulate_measures(found, "lives")
    assert list(table.columns) == ["Measure", *TABLES, "Which way is better"]
    assert "best as other real people" in set(table["Which way is better"])


def test_attacks_speak_of_people(found: FoundEvaluation) -> None:
    findings = {about.key: finding for about, finding in found.of("disclosure")}
    table = tabulate_attacks(findings, of_days=True).set_index("Measure")
    row = table.loc["Two main places found"]
    assert row["Of counted"].startswith("70")
    assert row["Of held-out"].startswith("50")
    assert row["Other real people"].startswith("10")
    (said,) = list_sentences(findings, of_days=True)
    assert "People who were counted stand out" in said
    assert "seed" not in said.lower()


@pytest.fixture
def released() -> Session:
    """A session with the days of a town, and a run that made others."""
    told = records(commuters(170))
    assert told.whose is not None
    lines = ["person,moment,day,slot,place"]
    for who, (day, slot, cell) in zip(told.whose.tolist(), told.codes.tolist(), strict=True):
        place = "outside" if cell == 12 else f"p{cell}"
        lines.append(f"{who},{day * 72 + slot},{day},{slot},{place}")
    session = Session()
    raw = read_table("\n".join(lines).encode(), name="town.csv")
    session.open(LoadedTable("town.csv", raw), schema().declare_public())
    say_new(session)
    assert session.settings.schema is not None
    asked = plan(domain=session.settings.schema.fingerprint, held_out=0.5, traces=60, days=2)
    made = start(Job(session.records(), asked), home(), dataset=dataset_of(session))
    assert wait(made).state == "finished"
    return session


def test_a_run_is_measured_on_the_page(opened: Opened, said: Said, released: Session) -> None:
    page = opened("inspect", released)
    assert not page.exception
    assert [each.label for each in page.tabs] == [
        "Overview",
        "Maps",
        "A made person",
        "Places",
        "Moves",
        "Lives",
        "As others measure",
        "Distinguishing",
        "Disclosure",
        "Compare",
    ]
    assert "Not measured yet" in said(page)
    assert not any(each.label == "Column to predict" for each in page.selectbox)
    assert page.button(key="measure").label == "Measure everything"
    (run,) = list_runs(home())
    assert wait(ask(EvaluationOf(""), released.records(), run)).state == "finished"
    page = opened("inspect", released)
    assert not page.exception
    assert "people of each table" in said(page)
    page.session_state["inspect-Overview"] = "Every measure"
    page.run()
    assert "a uniform model scores" in said(page)
    for section in ("Places", "Lives", "Disclosure"):
        page.session_state["inspect-tab"] = section
        page.run()
        assert not page.exception
    assert "people who were counted" in said(page)
