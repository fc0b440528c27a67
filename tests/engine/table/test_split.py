"""Whose records a text means, read by the schema, record by record."""

from __future__ import annotations

from decimal import Decimal
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import category_schema
from understudy.assurance.seedbased.whole_runs import dealt_chances
from understudy.core.refusal import Refusal
from understudy.privacy.randomness import RandomSource
from understudy.table import split as split_module
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.encoding import to_csv_bytes
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import MOST_COLUMNS, Schema
from understudy.table.seed_mark import marked_schema, stain_records
from understudy.table.split import Shares, assign_parts, split
from understudy.table.subpopulation import Subpopulation

SCHEMA = Schema(
    columns=tuple(Column(name=name, domain=Grid(minimum=0, maximum=999)) for name in "ab")
)
ROWS = 200_000
HALF = Shares(seeds=0.5, structure=0.2, parameters=0.2, held_out=0.1)


def numbered(rows):
    """Records that carry their own number."""
    number = np.arange(rows)
    return Records(SCHEMA, np.stack([number // 1000, number % 1000], axis=1))


def numbers(records):
    return records.codes[:, 0].astype(int) * 1000 + records.codes[:, 1]


def parts(shares, seed=1, rows=ROWS):
    found = split(numbered(rows), shares, RandomSource.fixed(seed))
    return [
        numbers(part) for part in (found.seeds, found.structure, found.parameters, found.held_out)
    ]


def test_every_record_is_in_exactly_one_part():
    assert np.array_equal(np.sort(np.concatenate(parts(HALF))), np.arange(ROWS))


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_the_coins_are_the_same_however_many_are_tossed_at_once(monkeypatch, at_once):
    source = RandomSource.fixed(1)
    expected, following = assign_parts(1000, HALF, source), source.words(1)
    monkeypatch.setattr(split_module, "_AT_ONCE", at_once)
    again = RandomSource.fixed(1)
    assert np.array_equal(assign_parts(1000, HALF, again), expected)
    assert again.words(1) == following


def test_parts_have_about_their_share():
    shares = Shares(seeds=0.4, structure=0.3, parameters=0.25, held_out=0.05)
    for part, share in zip(parts(shares), shares.each, strict=True):
        spread = (ROWS * share * (1 - share)) ** 0.5
        assert abs(len(part) - ROWS * share) < 6 * spread


@pytest.mark.parametrize("given", list(product([0, 1], repeat=4))[1:])
def test_a_share_of_nothing_gets_nothing_and_takes_from_no_other(given):
    even = [each / sum(given) for each in given]
    shares = Shares(**dict(zip(Shares.model_fields, even, strict=True)))
    for part, share in zip(parts(shares, rows=3_000), even, strict=True):
        assert abs(len(part) - 3_000 * share) <= 6 * (3_000 * share * (1 - share)) ** 0.5


class Extremes:
    """A source whose words are the smallest, the largest, and those around one half."""

    def words(self, count):
        half = 1 << 63
        return np.array([0, half - 1, half, 2**64 - 1], dtype=np.uint64)[:count]


def test_the_ends_of_the_coin_fall_where_they_belong():
    found = split(numbered(4), HALF, Extremes())
    assert numbers(found.seeds).tolist() == [0, 1]
    assert numbers(found.structure).tolist() == [2]
    assert numbers(found.held_out).tolist() == [3]
    nothing_held_out = Shares(seeds=0.5, structure=0.25, parameters=0.25, held_out=0)
    assert numbers(split(numbered(4), nothing_held_out, Extremes()).parameters).tolist() == [3]
    no_seeds = Shares(seeds=0, structure=0, parameters=0.5, held_out=0.5)
    found = split(numbered(4), no_seeds, Extremes())
    assert numbers(found.parameters).tolist() == [0, 1]
    assert numbers(found.held_out).tolist() == [2, 3]


def test_a_record_keeps_its_part_when_another_leaves():
    ours = parts(HALF, seed=3, rows=500)
    without_last = parts(HALF, seed=3, rows=499)
    for part, smaller in zip(ours, without_last, strict=True):
        assert part[part < 499].tolist() == smaller.tolist()


def test_neighbouring_records_are_assigned_independently():
    chosen = np.zeros(ROWS)
    chosen[parts(HALF)[0]] = 1
    together = (chosen[1:] * chosen[:-1]).mean()
    assert abs(together - 0.25) < 0.01


def test_an_empty_table_splits_into_empty_parts():
    assert all(len(part) == 0 for part in parts(HALF, rows=0))


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"seeds": -1e-9}, "seeds"),
        ({"structure": -0.2}, "structure"),
        ({"parameters": float("nan")}, "parameters"),
        ({"held_out": -0.1}, "held_out"),
        ({"held_out": 0.2}, "shares"),
        ({"seeds": "half"}, "seeds"),
    ],
)
def test_unusable_shares_are_refused_at_their_field(settings, field):
    with pytest.raises(Refusal) as caught:
        Shares(**settings)
    assert caught.value.field == field


SUBPOPULATION_SCHEMA = Schema(
    columns=(
        Column(name="REGION", domain=Categories(values=("North", "South", "to be or not to be"))),
        Column(name="REGION = A", domain=Categories(values=("no", "yes"))),
        Column(name="AGE", domain=Grid(minimum=Decimal(60), maximum=Decimal(70)), missing=True),
    )
)


@pytest.mark.parametrize(
    ("text", "place", "codes"),
    [
        ("REGION = North", 0, (0,)),
        ("REGION=South or North", 0, (0, 1)),
        ("REGION = to be or not to be", 0, (2,)),
        ("REGION = A = yes", 1, (1,)),
        ("  AGE = 65 to 67 or 60 or 66", 2, (0, 5, 6, 7)),
        ("AGE =", 2, (11,)),
    ],
)
def test_a_text_names_values_of_a_column(text: str, place: int, codes: tuple[int, ...]) -> None:
    found = Subpopulation.of(text, SUBPOPULATION_SCHEMA, "among")
    assert (found.place, found.codes) == (place, codes)
    rows = np.random.default_rng(1).integers(0, 3, (50, 3)).astype(np.uint16)
    rows[:, 2] *= 4
    held = found.holds(rows)
    assert held.tolist() == [int(row[place]) in codes for row in rows]
    assert all(found.holds(row[None])[0] == each for row, each in zip(rows, held, strict=True))
    put = found.put_in(rows)
    assert found.holds(put).all() or len(codes) > 1
    assert (np.delete(put, place, axis=1) == np.delete(rows, place, axis=1)).all()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("North", "does not begin with the name of a column"),
        ("SEX = f", "does not begin with the name of a column"),
        ("REGION = East", "has no value “East”"),
        ("REGION = North to South", "has no value “North to South”"),
        ("AGE = 65 to 80", "has no value “65 to 80”"),
        ("AGE = 67 to 65", "no value of “AGE”"),
        ("REGION = A = yes or no", "true of every record"),
    ],
)
def test_what_means_nobody_or_everybody_is_refused(text: str, problem: str) -> None:
    with pytest.raises(Refusal, match=problem) as refused:
        Subpopulation.of(text, SUBPOPULATION_SCHEMA, "among")
    assert refused.value.field == "among"


SEED_MARK_SCHEMA = category_schema(2, 3)


def test_every_record_says_that_it_is_not_private() -> None:
    records = Records(SEED_MARK_SCHEMA, np.array([[0, 1], [1, 2]], dtype=np.uint16))
    assert to_csv_bytes(
        stain_records(records, marked_schema(SEED_MARK_SCHEMA))
    ).decode().splitlines() == [
        "c0,c1,not_private",
        "v0,v1,demonstration: fixed random seed",
        "v1,v2,demonstration: fixed random seed",
    ]


def test_a_table_without_records_says_so_in_its_header() -> None:
    none = Records(SEED_MARK_SCHEMA, np.zeros((0, 2), dtype=np.uint16))
    assert (
        to_csv_bytes(stain_records(none, marked_schema(SEED_MARK_SCHEMA))) == b"c0,c1,not_private\n"
    )


def test_a_table_with_no_room_for_the_mark_is_refused() -> None:
    taken = Column(name="not_private", domain=Categories(values=("x",)))
    with pytest.raises(Refusal, match="one of that name"):
        marked_schema(Schema(columns=(*SEED_MARK_SCHEMA.columns, taken)))
    with pytest.raises(Refusal, match="255 already"):
        marked_schema(category_schema(*[2] * MOST_COLUMNS))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(any),
    st.sampled_from([1.0, 1 - 9e-10, 1 + 9e-10]),
)
def test_chances_are_those_that_coins_deal_by(weights: list[int], whole: float) -> None:
    """Also of shares whose sum is a little off: none is above 1."""
    even = [min(1.0, whole * each / sum(weights)) for each in weights]
    shares = Shares(**dict(zip(Shares.model_fields, even, strict=True)))
    assert shares.chances.each == pytest.approx(dealt_chances(shares), abs=1e-15)
