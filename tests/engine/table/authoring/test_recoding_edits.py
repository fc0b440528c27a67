"""Columns that are modelled by their distance: as rules put them in order, as they are typed, and
back."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.engine.table.refusals import refused
from understudy.table.authoring.edits import only_columns, with_columns, without_columns
from understudy.table.authoring.recoding_edits import (
    drop_recodings,
    follow_columns,
    list_orders,
    read_follows,
    with_follows,
)
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.dates import Dates
from understudy.table.domain import range_of
from understudy.table.grid import Grid
from understudy.table.recodings.recoded_column import Follows
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema
from understudy.table.times import DatesTimes


def days(name: str, first: str) -> Column:
    return Column(name=name, domain=Dates(minimum=first, maximum="2020-12-31", step="month"))


SCHEMA = Schema(
    columns=(
        days("born", "1920-01-01"),
        days("came", "2019-01-01"),
        days("went", "2019-01-01"),
        Column(name="net", domain=Grid(minimum=0, maximum=90)),
        Column(name="gross", domain=Grid(minimum=0, maximum=90)),
        Column(name="sex", domain=Categories(values=("f", "m"))),
    )
)
ORDER = tuple(SCHEMA.names)


def ruled(*texts: str, schema: Schema = SCHEMA) -> Schema:
    return schema.with_rules([Rule(text=text) for text in texts])


@pytest.mark.parametrize(
    ("rules", "orders"),
    [
        (("came <= went",), [("went", "came", None)]),
        (("went >= came", "went - came <= 30", "came + 60 >= went"), [("went", "came", 30)]),
        (("net <= gross",), [("gross", "net", None)]),
        (("2 * net <= 2 * gross", "2 * gross - 2 * net <= 9"), [("gross", "net", Decimal("4.5"))]),
        (("born <= came",), []),  # further than the range of the column itself
        (("came < went", "went != came", 'if (sex == "f") came <= went', "net <= 2 * gross"), []),
        (("came <= went", "went <= came"), [("went", "came", None), ("came", "went", None)]),
    ],
)
def test_columns_that_rules_put_in_order_are_offered(
    rules: tuple[str, ...], orders: list[tuple[str, str, Decimal | None]]
) -> None:
    found = [(each.column, each.after, each.most) for each in list_orders(ruled(*rules))]
    assert found == orders


@pytest.mark.parametrize(
    ("longest", "maximum", "width", "buckets"),
    [
        (4320, 4320, 60, 8),
        (181, 240, 60, 3),  # no decimal number of days
        (240, 240, 60, 3),  # no cut at the end of the last cell
        (60, 60, 60, 1),
        (32 * 1440, 32 * 1440, 1440, 6),
    ],
)
def test_the_longest_time_is_in_minutes_of_a_rule(
    longest: int, maximum: int, width: int, buckets: int
) -> None:
    timed = [
        Column(
            name=name,
            domain=DatesTimes(minimum="2019-01-01 00:00", maximum="2020-12-31 23:59", step="month"),
        )
        for name in ("came", "went")
    ]
    schema = Schema(columns=tuple(timed))
    # Without a rule on it, the longest time is that of the two ranges: 731 days less a minute.
    assert [each.most for each in list_orders(ruled("came <= went", schema=schema))] == [None]
    (order,) = list_orders(ruled("came <= went", f"went - came <= {longest}", schema=schema))
    distance = follow_columns(schema, [order]).column("went after came")
    ranged = range_of(distance.domain)
    assert (ranged.maximum, ranged.width) == (maximum, width)
    assert distance.bucket_count - distance.missing_count == buckets


def test_columns_are_modelled_and_back() -> None:
    schema = ruled("came <= went", "went - came <= 30")
    recoded = with_follows(schema, ["went = came", "gross=net+20"])
    assert recoded.names == ("born", "came", "went after came", "net", "gross after net", "sex")
    assert recoded.header == ORDER
    assert [recoded.column(name).cardinality for name in recoded.names[2:5:2]] == [31, 21]
    assert drop_recodings(recoded, ["went", "gross after net"]) == schema
    assert list_orders(recoded) == ()
    again = follow_columns(recoded, [Follows("went", "came", most=Decimal(7))])
    assert again.column("went after came").cardinality == 8
    assert again.column("gross after net") == recoded.column("gross after net")


def test_columns_come_and_go_beside_distances() -> None:
    recoded = with_follows(ruled("came <= went"), ["went=came"])
    smaller = without_columns(recoded, ["net"])
    assert with_columns(smaller, [SCHEMA.column("net")], ORDER) == recoded
    gone = without_columns(recoded, ["went after came"])
    assert gone.names == ("born", "came", "net", "gross", "sex")
    assert [each.name for each in gone.omissions] == ["went"]
    assert not gone.recodings
    assert not gone.rules
    few = only_columns(recoded, (), ("came", "went after came", "sex"), ORDER)
    assert few.names == ("came", "went after came", "sex")
    assert few.recodings == recoded.recodings
    assert "follows" in refused(without_columns, recoded, ["came"]).problem


@pytest.mark.parametrize("text", ["went", "went=", "=came", "went=came+x", "went=came+inf"])
def test_what_names_no_two_columns_is_refused(text: str) -> None:
    assert refused(read_follows, [text]).field == "follows"


def test_what_cannot_be_modelled_is_refused_by_its_option() -> None:
    for text, problem in (("sex=came", "not both dates"), ("away=came", "no column “away”")):
        refusal = refused(with_follows, SCHEMA, [text])
        assert (refusal.field, problem in refusal.problem) == ("follows", True)
