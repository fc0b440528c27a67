"""What methods say of columns themselves, and which is suggested."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.engine.models.mobility import town
from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.mechanisms import expected_utility as module
from understudy.mechanisms.expected_utility import Shape, Strength, Suit, suits_by_kind
from understudy.mechanisms.latent import expected_utility as latent
from understudy.mechanisms.registry import mechanisms
from understudy.mechanisms.seedbased import expected_utility as seedbased
from understudy.mechanisms.traces import expected_utility as traces
from understudy.samples import city
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.declared_reading import Reading
from understudy.table.grid import Grid
from understudy.table.positions.area import Area
from understudy.table.positions.positions import ORDER, PERSON, Positions
from understudy.table.schema import Schema

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
    assert Shape.of(schema) == Shape(flags=2, numbers=2, others=2)
    assert Shape.of(schema).columns == len(schema)


@pytest.mark.parametrize(
    ("many", "by_pairs", "by_products"),
    [
        (2, Strength.BEST, Strength.POSSIBLE),
        (50, Strength.BEST, Strength.GOOD),
        (51, Strength.GOOD, Strength.GOOD),
        (99, Strength.GOOD, Strength.GOOD),
        (100, Strength.POSSIBLE, Strength.BEST),
        (255, Strength.POSSIBLE, Strength.BEST),
    ],
)
def test_of_flags_the_number_decides(many: int, by_pairs: Strength, by_products: Strength) -> None:
    assert strength(seedbased.suits(flags(many))) is by_pairs
    assert strength(latent.suits(flags(many))) is by_products


def test_with_categories_the_calibrated_model_is_the_one_to_begin_with() -> None:
    mixed = category_schema(*[2] * 200, 3)
    assert strength(seedbased.suits(mixed)) is Strength.BEST
    assert latent.suits(mixed) is None


def strength(suit: Suit | None) -> Strength:
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
        assert found["traces"].strength is Strength.BEST
    nobodys = Schema(columns=traces_of_city.columns)
    assert traces.suits(nobodys) is None
    assert strength(seedbased.suits(nobodys)) is Strength.BEST
    elsewhere = traces_of_city.with_columns(
        [each for each in traces_of_city.columns if each.name != "slot"]
    )
    assert traces.suits(elsewhere) is None


@pytest.mark.parametrize("schema", [category_schema(3, 4), town.schema(), flags(40)])
def test_at_most_one_method_calls_itself_the_best(schema: Schema) -> None:
    found = suits_by_kind(mechanisms().values(), schema)
    assert sum(each.strength is Strength.BEST for each in found.values()) == 1


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
    strong = {"a": Strength.POSSIBLE, "b": Strength.BEST, "c": Strength.GOOD, "d": Strength.GOOD}

    def brought(each: Any, name: str, function: str, _: Schema) -> Suit | None:
        assert (name, function) == ("expected_utility", "suits")
        return Suit(strong[each.kind], "So.") if each.kind in strong else None

    monkeypatch.setattr(module, "call_companion", brought)
    asked: Any = [Saying("e"), Saying("a"), Saying("b", refuses=True), Saying("d"), Saying("c")]
    assert list(suits_by_kind(asked, flags(3))) == ["d", "c", "a"]
