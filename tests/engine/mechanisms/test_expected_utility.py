"""What methods expect of themselves before anything is spent, and what is refused by it. What
methods foresee of the quality of their tables. What methods say of columns themselves, and which
is suggested.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from tests.engine.models.mobility import town
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.excess import Stakes
from understudy.evaluation.fitness import fitness
from understudy.mechanisms import expected_utility as module
from understudy.mechanisms.expected_utility import (
    Foreseen,
    Known,
    Recommendation,
    SchemaShape,
    Suit,
    check_possible,
    foreseen,
    foreseen_of_measured,
    foreseen_stakes,
    in_words,
    suits_by_kind,
)
from understudy.mechanisms.latent import expected_utility as latent
from understudy.mechanisms.registry import (
    mechanism_of,
    mechanisms,
    method_named,
    opening_plan,
    plan_run,
)
from understudy.mechanisms.scored import expected_utility as scored
from understudy.mechanisms.seedbased import expected_utility as seedbased
from understudy.mechanisms.seedbased.plan import ModelPlan
from understudy.mechanisms.seedbased.proposal import Wanted, whole_table
from understudy.mechanisms.traces import expected_utility as traces
from understudy.samples import city
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import Reading
from understudy.table.derivations.derived_column import DerivedColumn
from understudy.table.derivations.registry import parse_formula
from understudy.table.grid import Grid
from understudy.table.pictures.picture_schema import Pictures
from understudy.table.positions.area import Area
from understudy.table.positions.positions import ORDER, PERSON, Positions
from understudy.table.schema import Schema

PICTURES = Pictures(height=4, width=4).make_schema()
FLAGS = category_schema(*[2] * 12)


def every(known: Known, schema: Any = FLAGS) -> dict[str, Foreseen]:
    return dict(foreseen(mechanisms().values(), schema, known))


def test_ten_faces_of_each_of_forty_are_refused_with_the_remedy() -> None:
    with pytest.raises(Refusal) as caught:
        check_possible(mechanisms().values(), PICTURES, Known(400, 10))
    assert caught.value.field == "records"
    assert "up to 10" in caught.value.problem
    assert "nothing can be released" in caught.value.problem
    assert "a single candidate that is tested" in caught.value.problem
    assert "costs a person ε = 2.2" in caught.value.problem
    assert "records or more" in caught.value.remedy
    assert "at most 4 records of one person" in caught.value.remedy


def test_the_remedy_is_one() -> None:
    for known in (Known(400, 4), Known(740, 10), Known(400, 10, epsilon=2.3)):
        check_possible(mechanisms().values(), PICTURES, known)
        assert not every(known, PICTURES)["scored"].nothing


def test_the_strongest_for_these_columns_stands_first(monkeypatch: pytest.MonkeyPatch) -> None:
    few = every(Known(50_000))
    monkeypatch.setattr(seedbased, "foreseen", lambda schema, known: Foreseen("rows", ""))
    many = every(Known(50_000), category_schema(*[2] * 100))
    assert next(iter(few)) == "seedbased"
    assert next(iter(many)) == "latent"
    assert {"seedbased", "latent", "scored"} <= few.keys()
    assert "latent" not in every(Known(50_000), category_schema(2, 3))


def test_more_records_and_more_epsilon_leave_less_off() -> None:
    usual = Known(20_000)

    def column(known: Known) -> float:
        found = seedbased.foreseen(FLAGS, known)
        assert found is not None
        assert found.column is not None
        return found.column

    here = column(usual)
    for other in (replace(usual, records=200_000), replace(usual, epsilon=4.0)):
        assert column(other) < here
    assert column(replace(usual, records_per_person=5)) > here


def test_no_bound_is_stated_that_was_not_found_to_hold() -> None:
    """What a few hidden numbers cannot express comes on top of what noise does."""
    found = latent.foreseen(FLAGS, Known(20_000))
    assert found is not None
    assert found.column is found.pair is None
    assert "at most" not in in_words(found)


def test_a_latent_model_foretells_the_plan_that_it_opens_with() -> None:
    known = Known(300)
    told = latent.foreseen(FLAGS, known)
    assert told is not None
    assert told.nothing
    with pytest.raises(Refusal) as caught:
        plan_run(opening_plan("latent", FLAGS, {"public_records": known.records}), FLAGS)
    assert caught.value.remedy == told.remedy
    assert "hide every relation" in told.nothing
    needed = int(told.remedy.split("of ")[1].split(" records")[0].replace(",", ""))
    assert not latent.foreseen(FLAGS, Known(needed)).nothing
    assert latent.foreseen(FLAGS, Known(needed - 1)).nothing


def test_as_many_attempts_are_foreseen_as_a_plan_can_make() -> None:
    known = Known(3_000)
    most = scored.Outlook.of(known)
    k = most.reach.seeds
    given = {"seeds_at_least": k, "public_records": known.records, "epsilon": 0.5}
    test = {"kind": "relative-sensitivity", "k": k, "epsilon0": 0.02}
    plan = opening_plan("scored", FLAGS, {**given, "test": test, "attempts": most.attempts * 2})
    assert plan_run(plan, FLAGS).guarantee.total.epsilon > known.epsilon


def test_directions_that_would_follow_noise_alone_are_foretold() -> None:
    said = every(Known(1_797), Pictures(height=8, width=8).make_schema())["scored"].said
    assert "follow noise alone" in said
    assert "follow noise alone" not in every(Known(1_000_000), PICTURES)["scored"].said
    assert "follow noise alone" not in every(Known(1_797), category_schema(2, 3))["scored"].said


def test_columns_that_noise_covers_are_nothing() -> None:
    assert every(Known(40, epsilon=0.1))["seedbased"].nothing
    assert "Nothing can be released" in in_words(every(Known(40, epsilon=0.1))["seedbased"])


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("records", {"records": 0}),
        ("records_per_person", {"records_per_person": 1_001}),
        ("epsilon", {"epsilon": 0.0}),
        ("delta", {"delta": 1.0}),
    ],
)
def test_what_is_known_has_to_be_possible(field: str, given: dict[str, Any]) -> None:
    with pytest.raises(Refusal) as caught:
        Known(**{"records": 100, **given})
    assert caught.value.field == field


SCHEMA = category_schema(8, 5, 528)


def whole(records: int | None) -> Stakes | None:
    plan = whole_table(SCHEMA, Wanted(records=records, rows=2_000)).plan
    plan = plan.change(SCHEMA, model=ModelPlan(epsilon=1.0))
    return foreseen_stakes(plan_run(plan, SCHEMA))


def test_a_seedbased_plan_foresees_it_and_names_columns_that_will_be_unrelated() -> None:
    found = whole(3_000)
    assert found is not None
    assert not found.is_measured
    assert found.unrelated == (2,)
    (first, *_) = fitness(found, ["Age", "Sex", "Diagnosis"]).unfit
    assert "“Diagnosis” goes with any other column" in first.what


def test_columns_that_no_model_sees_are_foreseen_to_be_counted_with_none() -> None:
    first = SCHEMA.names[0]
    band = DerivedColumn(name="first", formula=parse_formula(f"prefix({first}, 1)"), place=1)
    schema = SCHEMA.with_derived([band])
    plan = whole_table(schema, Wanted(records=300_000, rows=2_000)).plan
    decided = plan_run(plan.change(schema, model=ModelPlan(epsilon=1.0)), schema)
    narrow, wide = foreseen_stakes(decided), foreseen_of_measured(decided)
    assert narrow is not None
    assert wide is not None
    names = decided.measured_schema.names
    assert len(names) == len(SCHEMA) + 1
    modelled = [names.index(name) for name in SCHEMA.names]
    for one, other in ((narrow.counted, wide.counted), (narrow.possible, wide.possible)):
        assert one is not None
        assert other is not None
        assert (other[np.ix_(modelled, modelled)] == one).all()
        assert other.sum() == one.sum()


def test_more_records_bring_it_nearer() -> None:
    few, many = whole(3_000), whole(300_000)
    assert few is not None
    assert many is not None
    assert (many.off < few.off).all()


def test_where_the_number_of_records_is_no_public_knowledge_nothing_is_foreseen() -> None:
    assert whole(None) is None


@pytest.mark.parametrize("kind", ["pmse", "latent"])
def test_a_method_that_foresees_nothing_says_nothing(kind: str) -> None:
    schema = category_schema(2, 2)
    plan = method_named(kind).default_plan(schema)
    assert foreseen_stakes(plan_run(plan, schema)) is None
    assert mechanism_of(plan).kind == kind


FLAG = Categories(values=("no", "yes"))


def flags(many: int) -> Schema:
    return category_schema(*[2] * many)


def test_columns_are_flags_numbers_or_others() -> None:
    bit = Grid(minimum=0, maximum=1)
    schema = Schema(
        columns=(
            Column(name="sick", domain=FLAG),
            Column(name="bit", domain=bit),
            Column(name="perhaps", domain=FLAG, missing=True),
            Column(name="age", domain=Grid(minimum=0, maximum=9)),
            Column(name="aged", domain=Grid(minimum=0, maximum=9), missing=True),
            Column(name="kind", domain=Categories(values=("a", "b", "c"))),
        )
    )
    assert SchemaShape.of(schema) == SchemaShape(flags=2, numbers=2, others=2)
    assert SchemaShape.of(schema).columns == len(schema)


@pytest.mark.parametrize(
    ("many", "by_pairs", "by_products"),
    [
        (2, Recommendation.BEST, Recommendation.POSSIBLE),
        (50, Recommendation.BEST, Recommendation.GOOD),
        (51, Recommendation.GOOD, Recommendation.GOOD),
        (99, Recommendation.GOOD, Recommendation.GOOD),
        (100, Recommendation.POSSIBLE, Recommendation.BEST),
        (255, Recommendation.POSSIBLE, Recommendation.BEST),
    ],
)
def test_of_flags_the_number_decides(
    many: int, by_pairs: Recommendation, by_products: Recommendation
) -> None:
    assert strength(seedbased.suits(flags(many))) is by_pairs
    assert strength(latent.suits(flags(many))) is by_products


def test_with_categories_the_calibrated_model_is_the_one_to_begin_with() -> None:
    mixed = category_schema(*[2] * 200, 3)
    assert strength(seedbased.suits(mixed)) is Recommendation.BEST
    assert latent.suits(mixed) is None


def strength(suit: Suit | None) -> Recommendation:
    assert suit is not None
    assert suit.sentence.endswith(".")
    return suit.strength


def test_days_that_are_made_of_positions_are_for_what_makes_days() -> None:
    area = Area(south=0, north=2, west=10, east=13, rows=2, columns=3)
    told = {"person": PERSON, "order": ORDER, "records_at_most": 5}
    read = Reading(kind="csv", encoding="utf-8", separator=",", positions=Positions(area=area))
    days = Schema(columns=flags(3).columns, reading=read, people=told)
    assert next(iter(suits_by_kind(mechanisms().values(), days))) == "traces"
    assert seedbased.suits(days) is None


def test_days_on_a_map_are_for_what_makes_days_however_they_were_read() -> None:
    traces_of_city = Schema.load(city.SCHEMA)
    assert traces_of_city.reading is None or traces_of_city.reading.positions is None
    for days in (traces_of_city, town.schema()):
        found = suits_by_kind(mechanisms().values(), days)
        assert list(found) == ["traces"]
        assert found["traces"].strength is Recommendation.BEST
    nobodys = Schema(columns=traces_of_city.columns)
    assert traces.suits(nobodys) is None
    assert strength(seedbased.suits(nobodys)) is Recommendation.BEST
    elsewhere = traces_of_city.with_columns(
        [each for each in traces_of_city.columns if each.name != "slot"]
    )
    assert traces.suits(elsewhere) is None


@pytest.mark.parametrize("schema", [category_schema(3, 4), town.schema(), flags(40)])
def test_at_most_one_method_calls_itself_the_best(schema: Schema) -> None:
    found = suits_by_kind(mechanisms().values(), schema)
    assert sum(each.strength is Recommendation.BEST for each in found.values()) == 1


@dataclass
class Saying:
    """A method that says something, or refuses."""

    kind: str
    refuses: bool = False

    def check_schema(self, schema: Schema) -> None:
        if self.refuses:
            raise Refusal("It takes no flags.", "Leave them out.")


def test_the_strongest_stands_first_and_what_cannot_be_used_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    strong = {
        "a": Recommendation.POSSIBLE,
        "b": Recommendation.BEST,
        "c": Recommendation.GOOD,
        "d": Recommendation.GOOD,
    }

    def brought(each: Any, name: str, function: str, _: Schema) -> Suit | None:
        assert (name, function) == ("expected_utility", "suits")
        return Suit(strong[each.kind], "So.") if each.kind in strong else None

    monkeypatch.setattr(module, "call_companion", brought)
    asked: Any = [Saying("e"), Saying("a"), Saying("b", refuses=True), Saying("d"), Saying("c")]
    assert list(suits_by_kind(asked, flags(3))) == ["d", "c", "a"]
