"""The table of settings and the plan it describes name the same things."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

from tests.support import category_schema
from understudy.core.validation import Frozen
from understudy.mechanisms.fields import Field
from understudy.mechanisms.kinds import Choice
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.mechanism import Seedbased
from understudy.mechanisms.seedbased.plan import ModelPlan, Plan
from understudy.models.omega import Omega
from understudy.models.third_party.claim import Claim
from understudy.privacy.plausibility.privacy_test import PlausibleDeniability, RelativeSensitivity
from understudy.table.schema import Schema
from understudy.table.split import Shares

TABLE = Seedbased.fields
ROOT = Path(__file__).resolve().parents[5]


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
