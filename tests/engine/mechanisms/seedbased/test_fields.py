"""The table of settings and the plan it describes name the same things. What the planner is asked
is what its question holds. What is typed reaches the plan, or is refused at its field.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.core.validation import Frozen
from understudy.mechanisms.fields import Field
from understudy.mechanisms.kinds import Choice, OrNone
from understudy.mechanisms.seedbased.fields.planner_fields import MARKED, PURPOSES, WANTED
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.mechanism import Seedbased
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.mechanisms.seedbased.plan_from_options import build_plan
from understudy.mechanisms.seedbased.promise import promise
from understudy.mechanisms.seedbased.proposal import Wanted
from understudy.mechanisms.seedbased.scope import formulas
from understudy.models.marks import Marks
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    RelativeSensitivity,
    privacy_test,
)
from understudy.samples.census import SCHEMA
from understudy.table.schema import Schema
from understudy.table.split import Shares

TABLE = Seedbased.fields
ROOT = Path(__file__).resolve().parents[4]


def models_in(annotation: Any) -> Iterator[type[Frozen]]:
    """The nested settings that a type allows."""
    if isinstance(annotation, type) and issubclass(annotation, Frozen):
        yield annotation
    elif get_origin(annotation) in (Annotated, Union, UnionType):
        for each in get_args(annotation):
            yield from models_in(each)


def paths(model: type[Frozen], before: str = "") -> Iterator[str]:
    """The dotted name of everything that a plan file may hold."""
    for name, info in model.model_fields.items():
        inner = [*models_in(info.annotation)]
        for each in inner:
            yield from paths(each, f"{before}{name}.")
        if not inner:
            yield before + name


def words_of(model: type[Frozen], name: str) -> set[str]:
    """The words that a setting may be."""

    def literal(annotation: Any) -> Iterator[str]:
        if get_origin(annotation) is Literal:
            yield from get_args(annotation)
        for each in get_args(annotation):
            yield from literal(each) if get_args(each) else ()

    return set(literal(model.model_fields[name].annotation))


def test_everything_a_plan_holds_is_in_the_table_once_or_derived() -> None:
    held = set(paths(Plan))
    assert {"test.gamma", "omega.reading", "model.outside.name", "shares.held_out"} <= held
    for path in held - TABLE.derived.keys():
        found = [
            place.path
            for each in TABLE
            for place in each.places
            if f"{path}.".startswith(f"{place.path}.")
        ]
        assert len(found) == 1, path
    assert TABLE.derived.keys() <= held


def test_the_table_names_nothing_that_no_plan_holds() -> None:
    held = [f"{path}." for path in paths(Plan)]
    for each in TABLE:
        for place in each.places:
            assert any(path.startswith(f"{place.path}.") for path in held), place.path


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        ("test", {"plausible-deniability", "relative-sensitivity"}),
        ("protocol", words_of(Plan, "protocol")),
        ("reading", words_of(Omega, "reading")),
        ("kind", words_of(ModelPlan, "kind")),
        ("estimate", words_of(ModelPlan, "estimate")),
    ],
)
def test_a_choice_has_the_words_that_a_plan_allows(name: str, allowed: set[str]) -> None:
    kind = FIELDS[name].kind
    assert isinstance(kind, Choice)
    assert set(kind.words) == allowed


def test_every_test_of_a_plan_is_a_choice() -> None:
    kind = FIELDS["test"].kind
    assert isinstance(kind, Choice)
    assert set(kind.words) == {
        each.model_fields["kind"].default for each in (PlausibleDeniability, RelativeSensitivity)
    }


@pytest.mark.parametrize("each", FIELDS.fields, ids=lambda each: each.name)
def test_every_field_says_what_it_is(each: Field) -> None:
    for said in (each.words, *(words for _, words in each.variants)):
        assert said.label
        assert said.meaning.endswith(".")
        assert not said.help or said.help.endswith(".")
    if each.stands != "elsewhere":
        assert each.words.help
    if each.option is not None:
        assert each.option.help.endswith(".")
        assert each.option_name.startswith("--")
        assert each.metavar


PLANS: Mapping[str, Mapping[str, Any]] = {
    "usual": {},
    "deniable": {"test": PlausibleDeniability(k=33, gamma=2.5, epsilon0=None), "t": None},
    "hidden": {
        "test": RelativeSensitivity(k=33, epsilon0=0.3),
        "omega": Omega(low=2, high=2),
        "protocol": "releases",
        "pass_floor": 0.25,
    },
    "outside": {
        "model": ModelPlan(kind="outside", outside=Claim(name="toy", source="a", covers="b")),
        "sampling": 0.123456789,
        "public_records": 5_000,
        "chosen_by_looking": True,
    },
    "seedless": {
        "omega": Omega(low=3, high=3),
        "shares": Shares(seeds=0, structure=0.4, parameters=0.5, held_out=0.1),
    },
}


@pytest.fixture(scope="module")
def schema() -> Schema:
    return category_schema(4, 3, 2)


@pytest.mark.parametrize("name", PLANS)
def test_the_values_of_a_plan_are_those_at_their_places(name: str, schema: Schema) -> None:
    plan = Plan.of(schema, **PLANS[name])
    values = TABLE.values(plan)
    assert values["k"] == plan.test.k
    assert values["held_out"] == plan.shares.held_out
    assert values["gamma"] == getattr(plan.test, "gamma", None)
    assert values["model_epsilon"] == plan.model.epsilon
    assert values["outside"] == plan.model.outside


@pytest.mark.parametrize("name", PLANS)
def test_a_report_states_what_has_a_use(name: str, schema: Schema) -> None:
    plan = Plan.of(schema, **PLANS[name], policies={})
    told = {each.name: each.value for each in TABLE.state_settings(TABLE.values(plan, len(schema)))}
    assert "Values outside the schema" not in told
    assert ("k" in told) == (name != "seedless")
    assert ("γ" in told) == (name in ("usual", "deniable", "outside"))
    assert ("Rows in the synthetic table" in told) == (name == "seedless")
    assert ("m" in told) == ("Pass floor" in told) == (name == "hidden")
    assert ("Chosen by looking" in told) == (name == "outside")
    assert told["Model"] == ("third-party model “toy”" if name == "outside" else "calibrated model")
    assert ("ε0" in told) == (name != "seedless")
    if name == "deniable":
        assert told["ε0"] == "no noise"
    if name == "hidden":
        assert (told["ω"], told["Pass floor"]) == ("2 of 3 columns", "25\N{NO-BREAK SPACE}%")
    if name == "outside":
        assert told["Chance of having got into the table"] == "0.123456789"


def test_what_is_settled_for_single_columns_is_never_told(schema: Schema) -> None:
    plan = Plan.of(schema, policies={schema.names[0]: "missing"})
    told = TABLE.state_settings(TABLE.values(plan, len(schema)))
    assert not [each for each in told if schema.names[0] in each.value]


@pytest.mark.parametrize(
    ("refused", "name"),
    [
        ("test.k", "k"),
        ("test.kind", "test"),
        ("omega.low", "omega"),
        ("omega", "omega"),
        ("omega.reading", "reading"),
        ("shares.seeds", "shares"),
        ("shares", "shares"),
        ("model", "kind"),
        ("model.epsilon", "model_epsilon"),
        ("model.outside.name", "kind"),
        ("policies", "policies"),
        ("attempts", "attempts"),
        ("domain", "domain"),
        (None, None),
    ],
)
def test_a_refusal_leads_to_its_field(refused: str | None, name: str | None) -> None:
    assert TABLE.about(refused) == name


def test_settings_of_a_plan_file_have_names() -> None:
    assert TABLE.label_setting("test.gamma") == "γ, how alike “plausible” is"
    assert TABLE.label_setting("omega.low") == "ω, columns drawn afresh, at least"
    assert TABLE.label_setting("policies.age") == "Values outside the schema, age"
    assert TABLE.label_setting("nothing.known") == "nothing.known"
    for path in set(paths(Plan)) - TABLE.derived.keys():
        assert TABLE.label_setting(path) != path, path


def test_settings_of_a_plan_file_are_read_by_a_person() -> None:
    assert TABLE.print_setting("test.kind", "relative-sensitivity") == "Relative sensitivity"
    assert TABLE.print_setting("test.epsilon0", None) == "no noise"
    assert TABLE.print_setting("t", None) == "automatic"
    assert TABLE.print_setting("attempts", 12_000) == "12,000"
    assert TABLE.print_setting("delta", 1e-9) == "1e-9"
    assert TABLE.print_setting("omega.high", 11) == "11"
    assert TABLE.print_setting("shares.held_out", 0.1) == "0.1"
    assert TABLE.print_setting("model.outside.name", "toy") == "toy"
    assert TABLE.print_setting("chosen_by_looking", True) == "yes"


def test_the_table_loads_no_numerical_library() -> None:
    program = (
        "import sys\nimport understudy.mechanisms.seedbased.fields.table\n"
        "print([each for each in ('numpy', 'scipy', 'pandas', 'pydantic') if each in sys.modules])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "[]"


OF_A_PLAN = {"test", "protocol", "pass_floor", "policies"}
"""What a question has of the plan itself, and is asked as the plan's field."""


def test_every_part_of_the_question_is_asked_once() -> None:
    held = {each.name for each in fields(Wanted)}
    asked = {each.name for each in WANTED} - {"purpose"}
    assert asked >= {*MARKED}
    assert (asked - {*MARKED}) | {"marks"} | OF_A_PLAN == held
    assert not asked & OF_A_PLAN
    assert all(name in FIELDS for name in OF_A_PLAN)


def test_what_a_plan_has_too_is_the_plans_field() -> None:
    assert WANTED["delta"].option is FIELDS["delta"].option
    assert WANTED["records_per_person"] is FIELDS["records_per_person"]
    assert WANTED["seeds_at_least"].words is FIELDS["seeds_at_least"].words


def test_a_purpose_is_chosen_by_its_words() -> None:
    assert {word: WANTED["purpose"].show(word) for word in PURPOSES} == PURPOSES


def test_candidates_are_records_where_their_attempts_are_hidden() -> None:
    asked = WANTED["attempts"]
    assert asked.choose_words({"protocol": "attempts"}).title == "How many attempts?"
    assert asked.choose_words({"protocol": "releases"}).title == "How many records?"
    assert asked.choose_words({"protocol": "releases"}).help != asked.words.help


TYPED: dict[str, Any] = {
    "test": "plausible-deniability",
    "k": 60,
    "gamma": 3.0,
    "epsilon0": OrNone(0.5),
    "protocol": "releases",
    "pass_floor": 0.25,
    "records_per_person": 4,
    "omega": "4-9",
    "reading": "hidden",
    "attempts": 700,
    "delta": 1e-8,
    "t": 17,
    "seeds_at_least": 2000,
    "model_epsilon": OrNone(None),
    "kind": "marginals",
    "estimate": "sampled",
    "shares": "0.4,0.3,0.2,0.1",
    "sampling": 0.02,
    "public_records": 7_000,
    "policies": ["AGEP=clip"],
    "target": "WAGP",
    "survive": ["SEX", "AGEP"],
    "together": [["SCHL", "OCCP"]],
    "others": ["chosen_by_looking=true"],
}


@pytest.fixture(scope="module")
def plan_from_options_schema() -> Schema:
    return Schema.load(SCHEMA)


def test_every_setting_reaches_the_plan(plan_from_options_schema: Schema) -> None:
    assert {*TYPED, "target_epsilon"} == {each.name for each in FIELDS.options}
    plan = build_plan(TYPED, plan_from_options_schema)
    assert plan.test == PlausibleDeniability(k=60, gamma=3.0, epsilon0=0.5)
    assert (plan.protocol, plan.pass_floor, plan.records_per_person) == ("releases", 0.25, 4)
    assert plan.omega == Omega(low=4, high=9)
    assert (plan.attempts, plan.delta, plan.t, plan.seeds_at_least) == (700, 1e-8, 17, 2000)
    assert plan.model.epsilon is None
    assert (plan.model.kind, plan.model.estimate) == ("marginals", "sampled")
    assert plan.shares.each == (0.4, 0.3, 0.2, 0.1)
    assert plan.sampling == 0.02
    assert plan.public_records == 7_000
    assert dict(plan.policies) == {"AGEP": "clip"}
    assert plan.marks == Marks(target="WAGP", columns=("SEX", "AGEP"), together=(("SCHL", "OCCP"),))
    assert plan.chosen_by_looking


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("attempts=5", "Use --attempts."),
        ("test.k=5", "Use --test."),
        ("domain=x", "follows from the schema"),
        ("heat=1", "not a setting that exists"),
        ("noisy_tables", "is no setting"),
        ("noisy_tables=often", "true or false"),
    ],
)
def test_only_a_setting_without_an_option_is_set_by_name(
    plan_from_options_schema: Schema, typed: str, said: str
) -> None:
    with pytest.raises(Refusal) as refused:
        build_plan({"others": [typed]}, plan_from_options_schema)
    assert said in f"{refused.value.problem} {refused.value.remedy}"


def test_nothing_typed_is_the_usual_plan(plan_from_options_schema: Schema) -> None:
    assert build_plan({}, plan_from_options_schema) == Plan.of(plan_from_options_schema)


def test_a_reading_without_a_range_keeps_the_usual_range(plan_from_options_schema: Schema) -> None:
    plan = build_plan({"reading": "announced"}, plan_from_options_schema)
    assert plan.omega == Plan.of(plan_from_options_schema).omega.model_copy(
        update={"reading": "announced"}
    )


def test_noise_can_be_left_out_of_the_test(plan_from_options_schema: Schema) -> None:
    assert build_plan({"epsilon0": OrNone(None)}, plan_from_options_schema).test.epsilon0 is None


def test_the_second_test(plan_from_options_schema: Schema) -> None:
    plan = build_plan({"test": "relative-sensitivity", "k": 70}, plan_from_options_schema)
    assert plan.test == RelativeSensitivity(k=70, epsilon0=1.0)
    with pytest.raises(Refusal, match="has no γ") as refused:
        build_plan({"test": "relative-sensitivity", "gamma": 4.0}, plan_from_options_schema)
    assert refused.value.field == "gamma"


def test_a_plan_for_what_may_be_spent(plan_from_options_schema: Schema) -> None:
    typed = {
        "target_epsilon": 0.5,
        "test": "relative-sensitivity",
        "omega": "9",
        "attempts": 50,
        "seeds_at_least": 2000,
    }
    plan = build_plan(typed, plan_from_options_schema)
    assert promise(plan, plan_from_options_schema).total.epsilon <= 0.5 * (1 + 1e-9)
    assert plan.model.epsilon == pytest.approx(math.log((math.exp(0.5) - 0.1) / 0.9))


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"k": 5}, "--k cannot be given together with --target-epsilon"),
        ({"epsilon0": OrNone(1.0), "t": 3}, "--epsilon0, --t cannot be given"),
        ({"model_epsilon": OrNone(2.0)}, "more than one record may cost"),
        ({"seeds_at_least": 60}, "60 seeds are certain"),
        ({"target_epsilon": 0.0}, "has to lie above 0"),
        ({"target_epsilon": math.nan}, "has to lie above 0"),
    ],
)
def test_what_does_not_go_with_a_target(
    plan_from_options_schema: Schema, typed: dict[str, Any], said: str
) -> None:
    usual = {"target_epsilon": 0.5, "omega": "9", "attempts": 50, "seeds_at_least": 2000}
    with pytest.raises(Refusal, match=said):
        build_plan({**usual, **typed}, plan_from_options_schema)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"shares": "0.5,0.5"}, "four numbers"),
        ({"shares": "a,b,c,d"}, "four numbers"),
        ({"shares": "0.5,0.2,0.2,0.2"}, "sum to 1"),
        ({"policies": ["AGEP"]}, "COLUMN=POLICY"),
        ({"policies": ["AGEP=drop"]}, "refuse, missing, clip"),
        ({"policies": ["NOBODY=clip"]}, "no column “NOBODY”"),
        ({"omega": "5-12"}, "ω reaches 12"),
        ({"omega": "11-5"}, "ω cannot be read"),
        ({"omega": "-1"}, "ω cannot be read"),
        ({"omega": "some"}, "ω cannot be read"),
        ({"protocol": "releases"}, "needs a pass floor"),
        ({"pass_floor": 0.5}, "belongs to the protocol"),
        ({"reading": "announced", "protocol": "releases", "pass_floor": 0.5}, "nobody may know"),
    ],
)
def test_refusals(plan_from_options_schema: Schema, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(Refusal, match=said) as refused:
        build_plan(settings, plan_from_options_schema)
    assert FIELDS.about(refused.value.field) in {*settings, "pass_floor"}


def test_a_target_out_of_reach_is_refused_under_the_name_of_its_option(
    plan_from_options_schema: Schema,
) -> None:
    for target in (0.0, 0.01):
        with pytest.raises(Refusal) as refused:
            build_plan(
                {
                    "target_epsilon": target,
                    "test": "relative-sensitivity",
                    "omega": "9",
                    "attempts": 5_000,
                },
                plan_from_options_schema,
            )
        assert refused.value.field == "target_epsilon"


FORMULAS_SCHEMA = category_schema(3, 4, 2, 5)


def written(**settings: Any) -> dict[str, str]:
    plan = Plan.of(FORMULAS_SCHEMA, **settings)
    return {each["of"]: each["text"] for each in formulas(plan, promise(plan, FORMULAS_SCHEMA))}


def test_the_numbers_of_the_plan_are_put_in() -> None:
    told = written(attempts=1, t=29)
    assert list(told) == [
        "one attempt",
        "composition",
        "pass cap",
        "the whole release, for one record",
    ]
    assert told["one attempt"].startswith("ε = ε0 + ln(1 + γ/t) = 1 + ln(1 + 4/29) = 1.13;")
    assert "½·e^(−ε0·(k − t)) / (n + 1)" in told["one attempt"]
    assert told["one attempt"].endswith("k = 50, t = 29, n = 1,000")
    assert "N = 1 attempt," in told["composition"]
    assert told["the whole release, for one record"].endswith("seeds 0.3, 1.13; model 0.6, 1")


def test_each_part_that_learning_has_is_named() -> None:
    """The published network asks two sets of records."""
    told = written(attempts=1, t=29, model=ModelPlan(kind="network", epsilon=0.5))
    assert told["the whole release, for one record"] == (
        "ε = 0.7018 with e^ε = 1 + Σ p·(e^ε_p − 1), as each record is dealt to one part by a "
        "secret coin; p and ε_p: seeds 0.3, 1.13; structure 0.3, 0.5; parameters 0.3, 0.5"
    )


def test_gamma_is_written_where_it_counts() -> None:
    assert "γ" not in written(attempts=1, omega=Omega(low=3, high=3))["one attempt"]
    second = written(attempts=1, test=privacy_test("relative-sensitivity", 50, 1.0))["one attempt"]
    assert "γ" not in second
    assert "1/(1 + e^(−ε0))" in second


def test_a_slot_a_stop_a_person_and_a_sample_are_written_where_there_is_one() -> None:
    told = written(
        protocol="releases",
        pass_floor=0.1,
        attempts=5,
        records_per_person=2,
        sampling=0.5,
        test=privacy_test("relative-sensitivity", 300, 0.3),
    )
    assert "pass cap" not in told
    assert "c = 0.1" in told["one released record"]
    assert "N = 5 records" in told["composition"]
    assert "m = 5, c = 0.1" in told["stopping"]
    assert "g = 2" in told["a person"]
    assert "p = 0.5, between populations, from" in told["the population"]


def test_nothing_is_written_about_nothing() -> None:
    assert written(model=ModelPlan(epsilon=None)) == {}
    assert list(written(omega=Omega(low=4, high=4))) == ["the whole release, for one record"]
