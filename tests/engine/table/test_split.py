from itertools import product

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.privacy.randomness import RandomSource
from understudy.table import split as split_module
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.split import Shares, assign, split

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
    expected, following = assign(1000, HALF, source), source.words(1)
    monkeypatch.setattr(split_module, "_AT_ONCE", at_once)
    again = RandomSource.fixed(1)
    assert np.array_equal(assign(1000, HALF, again), expected)
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
