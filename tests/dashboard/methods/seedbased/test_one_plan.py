"""The meter equals the plan that Next would run, after any sequence of edits. The page is driven
beside a model of it, which knows nothing of how pages hold settings: answers and settings by hand,
of which the last said counts, and the engine's plan for them. Settings as widgets hold them, and
the plan they make. What a plan will not keep is said by name on the decision screen, before
anything is spent. What must survive is marked on the Buckets page, and is then part of the plan. A
new rehearsal of a project takes the place of the oldest. A plan for a third-party model on the
Privacy page. An acceptance test named on the Privacy page, and what it measured on the Release
page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import say_new
from tests.engine.models.third_party import toy
from tests.engine.models.third_party.toy import installed
from tests.support import category_schema
from understudy.acceptance.statistics import AcceptanceTest, DistanceOf, MeanOf, ShareOf
from understudy.core.refusal import Refusal
from understudy.mechanisms.seedbased import proposal
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.proposal import Wanted
from understudy.models.marks import Marks
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.budget import Budget
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity
from understudy.projects.catalogue import KEPT, Catalogue, list_rehearsals
from understudy.projects.project import Project
from understudy.projects.state import Sizes
from understudy.runs.control import start, wait
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.runs.work_folder import Progress
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy.table.split import Shares
from understudy_dashboard import words
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.methods.seedbased import by_hand, score_sources
from understudy_dashboard.methods.seedbased.method_settings import SETTINGS, plan_choice
from understudy_dashboard.methods.seedbased.planner import Draft, Wish
from understudy_dashboard.methods.seedbased.privacy import COLUMNS
from understudy_dashboard.methods.seedbased.score_sources import start_rehearsal
from understudy_dashboard.parts.plan_decision import BY_HAND, KEY
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]
Edit = tuple[str, Any]

EDITS = st.one_of(
    st.tuples(st.just("wish-epsilon"), st.sampled_from([0.0, 0.4, 1.0, 2.7])),
    st.tuples(st.just("wish-epsilon-slider"), st.sampled_from([0.3, 2.0, 10.0])),
    st.tuples(st.just("wish-delta"), st.sampled_from([1e-8, 1e-10])),
    st.tuples(st.just("wish-purpose"), st.sampled_from(["table", "alike"])),
    st.tuples(st.just("wish-count"), st.sampled_from([0, 40, 700])),
    st.tuples(st.just("wish-kept"), st.sampled_from([0, 1, 2])),
    st.tuples(st.just("wish-seeds_at_least"), st.sampled_from([None, 300, 40_000])),
    st.tuples(st.just("model_epsilon-box"), st.sampled_from([0.3, 1.9])),
    st.tuples(st.just("k-box"), st.sampled_from([0, 30, 900])),
    st.tuples(st.just("attempts-box"), st.sampled_from([25, 3000])),
    st.tuples(st.just("use-planner"), st.none()),
    st.tuples(st.just("sizes-records"), st.sampled_from([None, 5_000, 90_000])),
    st.tuples(st.just("sizes-rows"), st.sampled_from([None, 77])),
)
"""What somebody may do, by the widget."""


@dataclass
class Model:
    """What was said so far.

    Attributes:
        schema: the columns.
        answers: to the planner.
        sizes: what the Data page was told.
        base, by_hand: the plan that settings were set by hand in, and those; None and empty where
            the planner is followed.
    """

    schema: Schema
    answers: dict[str, Any] = field(default_factory=dict)
    sizes: Sizes = field(default_factory=lambda: Sizes(records=90_000))
    base: Plan | None = None
    by_hand: dict[str, Any] = field(default_factory=dict)

    def say(self, widget: str, value: Any) -> None:
        """Take down an edit."""
        if widget.endswith("-box"):
            self.base = self.base or self.plan()
            self.by_hand[widget.removesuffix("-box")] = value
            return
        if widget.startswith("sizes-"):
            self.sizes = self.sizes.model_copy(update={widget.removeprefix("sizes-"): value})
            return
        self.base, self.by_hand = None, {}
        if widget != "use-planner":
            name = widget.removeprefix("wish-").removesuffix("-slider")
            self.answers[name] = value

    def plan(self) -> Plan | None:
        """The plan that a run would be of; None where there is none."""
        try:
            return self._by_hand(self.base) if self.base is not None else self._planned()
        except Refusal:
            return None

    def total(self) -> Budget | None:
        """What it promises; None while the Data page asks how many records there are."""
        if self.sizes.records is None:
            return None
        plan = self.plan()
        try:
            return None if plan is None else promise(plan, self.schema).total
        except Refusal:
            return None

    def _planned(self) -> Plan:
        said = self.answers
        whole = said.get("purpose", "table") == "table" or said.get("kept", 1) == 0
        wanted = Wanted(
            epsilon=said.get("epsilon", 1.0),
            delta=said.get("delta", 1e-9),
            records=self.sizes.records,
            rows=self.sizes.to_make,
        )
        if whole:
            return proposal.whole_table(self.schema, wanted).plan
        alike = replace(
            wanted,
            attempts=said.get("count", 500),
            kept=said.get("kept", 1),
            seeds_at_least=said.get("seeds_at_least"),
        )
        return proposal.alike(self.schema, alike).plan

    def _by_hand(self, base: Plan) -> Plan:
        changed: dict[str, Any] = {}
        if "model_epsilon" in self.by_hand:
            changed["model"] = base.model.at(self.by_hand["model_epsilon"])
        if "attempts" in self.by_hand:
            changed["attempts"] = self.by_hand["attempts"]
        if "k" in self.by_hand:
            changed["test"] = RelativeSensitivity(k=self.by_hand["k"], epsilon0=base.test.epsilon0)
        return base.change(self.schema, **changed)


def done(page: AppTest, edit: Edit) -> bool:
    """Do an edit on the page; whether its widget is there and shows something else."""
    widget, value = edit
    if widget.startswith("sizes-"):
        page.switch_page("views/data.py").run()
    kinds = (page.number_input, page.select_slider, page.radio, page.button)
    found = next((each for kind in kinds for each in kind if each.key == widget), None)
    # Who picks what is picked already has changed nothing.
    same = found is not None and widget != "use-planner" and found.value == value
    if found is not None and not same:
        (found.click() if widget == "use-planner" else found.set_value(value)).run()
    if widget.startswith("sizes-"):
        page.switch_page("views/privacy.py")
        page.session_state[KEY] = BY_HAND
        page.run()
    assert not page.exception
    return found is not None and not same


def metered(page: AppTest) -> tuple[str, str] | None:
    """What the meter shows."""
    found = {each.label: str(each.value) for each in page.metric}
    return (found["Total ε"], found["Total δ"]) if "Total ε" in found else None


def agrees(page: AppTest, model: Model, session: Session) -> None:
    """The meter, the plan and the way on say what the model says."""
    total = model.total()
    shown = None if total is None else (words.epsilon(total.epsilon), words.delta(total.delta))
    assert metered(page) == shown
    onward = any(each.proto.label == "Next: Generate" for each in page.get("page_link"))
    assert onward == (total is not None)
    if total is not None:
        run, plan = session.settings.plan(), model.plan()
        assert plan is not None
        assert (run.test, run.attempts, run.omega) == (plan.test, plan.attempts, plan.omega)
        assert (run.model, run.shares, run.delta) == (plan.model, plan.shares, plan.delta)


def follows(opened: Opened, said: Said, session: Session, edits: list[Edit]) -> None:
    """Drive the page through edits, and look after each; in the end go on to Generate."""
    assert session.settings.schema is not None
    plan_choice(session).planned.wish = Wish(count=500)
    plan_choice(session).follow()
    session.settings.set_sizes(Sizes(records=90_000))
    model, page = Model(session.settings.schema), opened("privacy", session, by_hand=True)
    agrees(page, model, session)
    for edit in edits:
        if edit[0].endswith("-box") and model.plan() is None and model.base is None:
            continue
        if done(page, edit):
            model.say(*edit)
            agrees(page, model, session)
    total = model.total()
    if total is not None:
        page.switch_page("views/generate.py").run()
        assert f"This run spends {words.format_budget(total)}" in said(page)


_PATIENT: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
}


@settings(max_examples=1, **_PATIENT)
@example([("wish-purpose", "alike"), ("k-box", 900), ("wish-epsilon", 0.4)])
@given(st.lists(EDITS, min_size=1, max_size=1))
def test_the_meter_is_what_next_would_run(
    opened: Opened, said: Said, sessions: Callable[..., Session], edits: list[Edit]
) -> None:
    follows(opened, said, sessions(), edits)


@pytest.mark.thorough("test_the_meter_is_what_next_would_run")
@settings(max_examples=15, **_PATIENT)
@given(st.lists(EDITS, min_size=3, max_size=8))
def test_the_meter_is_what_next_would_run_after_any_sequence_of_edits(
    opened: Opened, said: Said, sessions: Callable[..., Session], edits: list[Edit]
) -> None:
    follows(opened, said, sessions(), edits)


def test_a_plan_survives_being_drafted(schema: Schema) -> None:
    plan = Plan.of(
        schema,
        test=PlausibleDeniability(k=33, gamma=2.5, epsilon0=0.3),
        omega=Omega(low=1, high=2, reading="announced"),
        attempts=123,
        delta=1e-7,
        seeds_at_least=500,
        t=9,
        model=ModelPlan(kind="marginals", epsilon=0.7, estimate="sampled"),
        shares=Shares(seeds=0.4, structure=0.2, parameters=0.2, held_out=0.2),
        sampling=0.05,
        policies={"age": "clip"},
        acceptance=AcceptanceTest(epsilon=0.5, statistics=(MeanOf(column="age", limit=3.0),)),
    )
    assert Draft.of_plan(plan).plan(schema, dict(plan.policies)) == plan


def test_a_plan_that_hides_its_attempts_survives_being_drafted(schema: Schema) -> None:
    plan = Plan.of(
        schema,
        test=RelativeSensitivity(k=33, epsilon0=0.3),
        omega=Omega(low=2, high=2),
        protocol="releases",
        pass_floor=0.25,
        records_per_person=3,
        attempts=123,
    )
    assert Draft.of_plan(plan).plan(schema, {}) == plan


def test_a_number_that_only_one_choice_has_is_kept_for_it(schema: Schema) -> None:
    draft = Draft.of_plan(Plan.of(schema, test=PlausibleDeniability(k=9, gamma=2.5, epsilon0=1.0)))
    draft.test = "relative-sensitivity"
    assert not hasattr(draft.plan(schema, {}).test, "gamma")
    draft.test = "plausible-deniability"
    assert draft.plan(schema, {}).test == PlausibleDeniability(k=9, gamma=2.5, epsilon0=1.0)
    draft.pass_floor = 0.7
    assert draft.plan(schema, {}).pass_floor is None


def test_a_plan_without_noise_survives_being_drafted(schema: Schema) -> None:
    plan = Plan.of(
        schema,
        test=PlausibleDeniability(k=33, gamma=2.5, epsilon0=None),
        omega=Omega(low=2, high=2),
        model=ModelPlan(epsilon=None),
    )
    assert Draft.of_plan(plan).plan(schema, {}) == plan


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"k": 0}, "k"),
        ({"k": 61}, "k"),
        ({"gamma": 1.0}, "gamma"),
        ({"epsilon0": 0.0}, "epsilon0"),
        ({"epsilon0": -1.0}, "epsilon0"),
        ({"omega_high": 4}, "omega"),
        ({"omega_low": 3, "omega_high": 1}, "omega"),
        ({"omega_low": -1}, "omega"),
        ({"attempts": 0}, "attempts"),
        ({"delta": 1 / 60}, "delta"),
        ({"delta": 0.0}, "delta"),
        ({"seeds_at_least": 0}, "seeds_at_least"),
        ({"t_by_hand": True, "t": 20}, "t"),
        ({"model_epsilon": 0.0}, "model_epsilon"),
        ({"seeds": 0.9}, "shares"),
        ({"protocol": "releases", "pass_floor": 0.0}, "pass_floor"),
        ({"protocol": "releases", "reading": "announced"}, "reading"),
        ({"records_per_person": 0}, "records_per_person"),
        ({"sampled": True, "sampling": 0.0}, "sampling"),
    ],
)
def test_what_cannot_be_used_is_refused_at_its_field(
    sessions: Callable[..., Session], settings: dict[str, Any], field: str
) -> None:
    session = sessions()
    for name, value in settings.items():
        setattr(plan_choice(session).draft, name, value)
    with pytest.raises(Refusal) as caught:
        plan_choice(session).promise()
    assert caught.value.field == field


def test_a_switched_off_setting_is_not_looked_at(session: Session) -> None:
    plan_choice(session).draft.deterministic, plan_choice(session).draft.epsilon0 = True, -1.0
    plan_choice(session).draft.t = 10**6
    assert session.settings.plan().test.epsilon0 is None
    assert session.settings.plan().t is None


LOST = "“c0” will be unrelated to every other column"


def test_a_column_that_cannot_be_related_is_named_unless_there_are_more_records(
    opened: Opened, said: Said
) -> None:
    schema = category_schema(900, 8, 5, 12, 4).declare_public()
    lines = [",".join(schema.names), *(f"v{row},v1,v2,v3,v0" for row in range(60))]
    session = Session()
    session.open(
        LoadedTable("codes.csv", read_table("\n".join(lines).encode(), name="c.csv")), schema
    )
    say_new(session)
    session.settings.set_sizes(Sizes(records=10_000))
    page = opened("privacy", session, detail=COLUMNS)
    assert LOST in said(page)
    session.settings.set_sizes(Sizes(records=10_000_000))
    assert LOST not in said(page.run())


MARKS = Marks(target="pay", columns=("age",), together=(("age", "job"),))


def test_marks_are_made_and_taken_away(opened: Opened, session: Session, said: Said) -> None:
    page = opened("buckets", session)
    page.selectbox(key="mark-target").set_value("pay").run()
    page.multiselect(key="mark-columns").set_value(["age"]).run()
    assert page.button(key="mark-together").disabled
    page.selectbox(key="mark-end-0").set_value("age").run()
    page.selectbox(key="mark-end-1").set_value("job").run()
    page.button(key="mark-together").click().run()
    assert not page.exception
    assert plan_choice(session).plan().marks == MARKS
    assert "“Age” with “job”" in said(page)
    assert page.selectbox(key="mark-end-0").value is None
    page.button(key="unmark-0").click().run()
    page.selectbox(key="mark-target").set_value("none").run()
    assert plan_choice(session).plan().marks == Marks(columns=("age",))


@pytest.mark.parametrize("twice", [True, False])
def test_a_pair_is_marked_once_and_of_two_columns(
    opened: Opened, session: Session, twice: bool
) -> None:
    plan_choice(session).use(plan_choice(session).draft.with_marks(MARKS))
    page = opened("buckets", session)
    page.selectbox(key="mark-end-0").set_value("job").run()
    page.selectbox(key="mark-end-1").set_value("age" if twice else "job").run()
    assert page.button(key="mark-together").disabled


def test_a_third_party_model_is_kept_in_a_project(session: Session) -> None:
    claim = Claim(name="house", source="Its makers.", covers="Any two tables.")
    mine = plan_choice(session)
    mine.use(mine.draft.copy(kind="outside", outside=claim))
    kept = json.loads(json.dumps(mine.planned.as_dict(), default=Claim.model_dump))
    schema = session.settings.schema
    assert schema is not None
    assert SETTINGS.restore(schema, kept).draft.outside == claim


def test_marks_are_kept_in_a_project_and_by_what_is_proposed(session: Session) -> None:
    schema = session.settings.schema
    assert schema is not None
    mine = plan_choice(session)
    mine.use(mine.draft.with_marks(MARKS))
    kept = json.loads(json.dumps(mine.planned.as_dict()))
    assert SETTINGS.restore(schema, kept).draft.marks == MARKS
    mine.follow()
    assert mine.plan().marks == MARKS
    mine.use(mine.draft)
    fewer = schema.with_columns([each for each in schema.columns if each.name != "age"])
    left = SETTINGS.fit(mine.planned, schema, fewer).draft.marks
    assert left == Marks(target="pay")


def rehearsed(place: Path, number: int) -> RunFolder:
    folder = RunFolder(place / f"{20260101 + number}T000000-rehearsal-a")
    folder.path.mkdir(parents=True)
    about = {"at": "2026-01-01T00:00:00+00:00", "purpose": "rehearsal", "stained": False}
    folder.write_text("run.json", json.dumps(about))
    folder.report(Progress("finished", 1))
    return folder


@pytest.mark.parametrize("inside", [True, False])
def test_the_newest_few_stay_where_there_is_a_project(
    session: Session, monkeypatch: pytest.MonkeyPatch, *, inside: bool
) -> None:
    session.project = Catalogue().create("tiny") if inside else None
    place = session.runs_at
    for number in range(KEPT):
        rehearsed(place, number)
    monkeypatch.setattr(score_sources, "start", lambda _, where: rehearsed(where, KEPT))
    made = start_rehearsal(
        session, Job(session.records(), session.settings.plan(), purpose="rehearsal")
    )
    names = sorted(path.name for path in place.glob("*-rehearsal-a"))
    assert made == names[-1]
    assert len(names) == (KEPT if inside else KEPT + 1)
    assert len(list_rehearsals(Project(place.parent))) == (KEPT if inside else 0)


SCHEMA = category_schema(3, 4, 2, 5)
CLAIM = Claim(name="toy", source="The authors of the toy", covers="One record, added or removed.")
MODEL = ModelPlan(kind="outside", epsilon=0.75, outside=CLAIM)


def test_the_page_keeps_it_while_it_is_chosen() -> None:
    plan = Plan.of(SCHEMA, model=MODEL, omega=Omega(low=4, high=4))
    draft = Draft.of_plan(plan)
    assert draft.plan(SCHEMA, {}) == plan
    draft.kind = "calibrated"
    assert draft.plan(SCHEMA, {}).model == ModelPlan(epsilon=0.75)


@pytest.fixture
def fresh() -> Iterator[None]:
    """What is installed is looked for again."""
    by_hand._list_installed.cache_clear()
    yield
    by_hand._list_installed.cache_clear()


@pytest.mark.usefixtures("fresh")
def test_an_installed_one_is_chosen_under_advanced_and_says_whose_word_it_is(
    opened: Opened, session: Session, said: Callable[[AppTest], str], tmp_path: Path
) -> None:
    with installed(tmp_path / "packages", "toy", toy.Chained):
        page = opened("privacy", session, by_hand=True)
        page.radio(key="kind-choice").set_value("outside").run()
        assert not page.exception
        assert session.settings.plan().model.outside == toy.claim()
        assert page.selectbox(key="outside-choice").value == "toy"
        words = said(page)
        assert "On its own word" in words
        assert toy.Chained.source in words
        assert toy.Chained.covers in words
        page.radio(key="kind-choice").set_value("calibrated").run()
        assert session.settings.plan().model.outside is None
        assert all(each.key != "outside-choice" for each in page.selectbox)


@pytest.mark.usefixtures("fresh")
def test_none_is_offered_where_none_is_installed(
    opened: Opened, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_hand, "offered_claims", tuple)
    page = opened("privacy", session, by_hand=True)
    assert "third-party model" not in page.radio(key="kind-choice").options


ASKED = AcceptanceTest(
    epsilon=0.8,
    statistics=(
        ShareOf(column="job", values=("cook",), limit=0.4),
        MeanOf(column="age"),
        DistanceOf(columns=("job", "pay"), limit=0.9),
    ),
)


def test_statistics_are_named_and_taken_back(opened: Opened, session: Session, said: Said) -> None:
    page = opened("privacy", session)
    page.multiselect("acceptance-values-age").set_value(["18", "19"]).run()
    page.number_input("acceptance-limit-share").set_value(5.0).run()
    page.button("acceptance-add").click().run()
    assert not page.exception
    found = plan_choice(session).plan().acceptance
    assert found is not None
    assert found.statistics == (ShareOf(column="age", values=("18", "19"), limit=0.05),)
    assert "Share of “Age”: 18, 19, to within about" in said(page)
    page.number_input("acceptance-epsilon").set_value(2.0).run()
    assert plan_choice(session).promise().total.epsilon >= 2.0
    page.button("acceptance-remove-0").click().run()
    assert plan_choice(session).plan().acceptance is None
    page.checkbox("release-noisy-tables").check().run()
    assert plan_choice(session).plan().noisy_tables


def test_a_share_of_nothing_is_refused_where_it_was_typed(
    opened: Opened, session: Session, said: Said
) -> None:
    page = opened("privacy", session)
    page.button("acceptance-add").click().run()
    assert not page.exception
    assert page.error
    assert plan_choice(session).plan().acceptance is None


def test_a_test_stays_with_the_project_and_with_another_proposal(session: Session) -> None:
    planned = plan_choice(session).planned
    planned.draft = planned.draft.copy(acceptance=ASKED.model_dump(mode="json"))
    kept = json.loads(json.dumps(planned.as_dict()))
    assert session.settings.schema is not None
    again = SETTINGS.restore(session.settings.schema, kept)
    assert again.draft.read_widgets()["acceptance"] == ASKED.model_dump(mode="json")
    bare = planned.draft.copy(acceptance=None)
    assert bare.keeping(planned.draft).plan(session.settings.schema, {}).acceptance == ASKED


def test_what_was_measured_stands_on_the_release_page(
    opened: Opened, session: Session, said: Said, home: Path
) -> None:
    planned = plan_choice(session).planned
    asked = ASKED.model_dump(mode="json")
    planned.draft = planned.draft.copy(acceptance=asked, noisy_tables=True)
    run = start(Job(session.records(), session.settings.plan()), home, dataset=dataset_of(session))
    assert wait(run).state == "finished"
    page = opened("release", session)
    assert not page.exception
    text = said(page)
    assert "How near it comes, measured with noise" in text
    assert "What may be inferred" in text
    assert "pairs of columns" in text or "pair of columns" in text or "No two columns" in text
    assert "Limits kept:" in text
    (frame,) = (each.value for each in page.dataframe if "Held-out records" in each.value)
    assert frame["What"].tolist() == [
        "Share of “job”: cook",
        "Mean of “Age”",
        "Distance of “job” with “pay”",
    ]
