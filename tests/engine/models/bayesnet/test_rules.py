"""Networks under rules, in a universe of eighteen records of which nine are possible."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.core.arrays import CodeArray
from understudy.models.bayesnet import redrawn, rules
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.bayesnet.redrawn import Redrawn
from understudy.models.categorical import ConditionalTable
from understudy.models.omega import Omega
from understudy.privacy.randomness import RandomSource
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.rules.masks import compile_masks
from understudy.table.rules.relation import Relation, Relations, TooWide
from understudy.table.schema import Schema

SIZES = (2, 3, 3)
RECORDS = list(product(*map(range, SIZES)))
A = ((1, 3),)
B = ((4, 2, 2), (1, 3, 4))
C = ((2, 1, 1), (1, 2, 1), (1, 1, 6))


def is_valid(record: tuple[int, ...]) -> bool:
    """Return whether c ≤ b, and b ≤ 1 where a is 0."""
    a, b, c = record
    return c <= b and (a == 1 or b <= 1)


def relate() -> Relations:
    """Return the two rules as relations."""
    first = np.array([[b <= 1 or a == 1 for b in range(3)] for a in range(2)])
    second = np.array([[c <= b for c in range(3)] for b in range(3)])
    return Relations.of(SIZES, [Relation((0, 1), first), Relation((1, 2), second)])


@pytest.fixture(autouse=True, params=["written out", "row by row", "row by row, nothing kept"])
def _rules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the rules of the universe, with tables of both sizes."""
    relations = relate()
    monkeypatch.setattr(Schema, "relations", property(lambda _: relations))
    if request.param != "written out":
        monkeypatch.setattr(rules, "_MOST_WRITTEN", 0)
    if request.param == "row by row, nothing kept":
        monkeypatch.setattr(rules, "_MOST_KEPT", 0)


def make_network(b: tuple[tuple[int, ...], ...] = B) -> BayesianNetwork:
    """Return a network a → b → c."""
    schema = Schema(
        columns=tuple(
            Column(name=name, domain=Grid(minimum=Decimal(0), maximum=Decimal(size - 1)))
            for name, size in zip("abc", SIZES, strict=True)
        )
    )
    tables = (
        ConditionalTable.from_probabilities(np.array(each, dtype=float)) for each in (A, b, C)
    )
    return BayesianNetwork(schema, Structure.of([(), (0,), (1,)]), tuple(tables))


def probability(
    record: tuple[int, ...],
    first: int = 0,
    b: tuple[tuple[int, ...], ...] = B,
    c: tuple[tuple[int, ...], ...] = C,
) -> Fraction:
    """Return the probability of drawing the values of a record from the `first` on, by hand."""
    if not is_valid(record):
        return Fraction(0)
    weights = (A[0], b[record[0]], c[record[1]])
    found = Fraction(1)
    for place in range(first, 3):
        left = [
            value
            for value in range(SIZES[place])
            if any(
                is_valid((*record[:place], value, *rest))
                for rest in product(*map(range, SIZES[place + 1 :]))
            )
        ]
        whole = sum(weights[place][value] for value in left)
        if whole:
            found *= Fraction(weights[place][record[place]], whole)
        else:
            found *= Fraction(1, len(left))
    return found


def stack(records: list[tuple[int, ...]]) -> list[CodeArray]:
    """Return records as columns."""
    return list(np.array(records, dtype=np.uint16).T.copy())


def likelihoods(network: BayesianNetwork, records: list[tuple[int, ...]]) -> np.ndarray:
    """Return (3, n) what the network says of each column."""
    columns = stack(records)
    return np.exp([network.log_likelihood(place, columns) for place in range(3)])


class TestLikelihood:
    def test_the_law_of_the_universe(self) -> None:
        found = likelihoods(make_network(), RECORDS).prod(axis=0)
        for record, each in zip(RECORDS, found, strict=True):
            assert each == pytest.approx(float(probability(record)), abs=1e-13)
        assert sum(map(probability, RECORDS)) == 1
        named = (probability(each) for each in ((0, 0, 0), (0, 1, 0), (0, 1, 1)))
        assert [*named] == [Fraction(1, 6), Fraction(1, 36), Fraction(1, 18)]

    def test_values_without_weight_are_drawn_evenly(self) -> None:
        b = ((0, 0, 8), (1, 3, 4))
        found = likelihoods(make_network(b), RECORDS).prod(axis=0)
        for record, each in zip(RECORDS, found, strict=True):
            assert each == pytest.approx(float(probability(record, b=b)), abs=1e-13)

    def test_masks_that_look_beyond_the_parents(self) -> None:
        """Columns by themselves, of which what is left still goes by those before."""
        rows = (A[0], B[1], C[0])
        network = BayesianNetwork(
            make_network().schema,
            Structure.independent(3),
            tuple(ConditionalTable.from_probabilities(np.array([row], float)) for row in rows),
        )
        assert network.conditions == ((), (0,), (1,))
        found = likelihoods(network, RECORDS).prod(axis=0)
        for record, each in zip(RECORDS, found, strict=True):
            expected = probability(record, b=(B[1],) * 2, c=(C[0],) * 3)
            assert each == pytest.approx(float(expected), abs=1e-13)

    def test_it_is_the_same_whatever_was_asked_before(self) -> None:
        alone = [likelihoods(make_network(), [record])[:, 0] for record in RECORDS]
        network = make_network()
        for _ in range(2):
            for first in range(0, len(RECORDS), 3):
                some = RECORDS[first : first + 3]
                assert (alone[first : first + 3] == likelihoods(network, some).T).all()

    def test_what_is_not_masked_is_as_without_rules(self) -> None:
        """A row of which every value is left has the very weights of the table."""
        network = make_network()
        free = [each for each in RECORDS if each[0] == 1 and each[1] == 2]
        columns = stack(free)
        configuration = network.families[2].configuration(columns)
        expected = network.tables[2].log_likelihood(configuration, columns[2])
        assert (network.log_likelihood(2, columns) == expected).all()


def frequencies(rows: CodeArray) -> np.ndarray:
    """Return how many of (3, n) rows are each record."""
    return np.bincount(np.ravel_multi_index(tuple(rows), SIZES), minlength=len(RECORDS))


def check_frequencies(found: np.ndarray, expected: list[Fraction]) -> None:
    """Check that counts are within five deviations of what is expected."""
    count = found.sum()
    for seen, each in zip(found, map(float, expected), strict=True):
        assert abs(seen - count * each) <= 5 * np.sqrt(count * each * (1 - each))


class TestDraw:
    COUNT = 40_000

    @pytest.mark.parametrize("b", [B, ((0, 0, 8), (1, 3, 4))])
    def test_column_by_column(self, b: tuple[tuple[int, ...], ...]) -> None:
        network, source = make_network(b), RandomSource.fixed(1)
        columns = list(np.zeros((3, self.COUNT), dtype=np.uint16))
        for place in network.order:
            columns[place] = network.draw(place, columns, source)
        expected = [probability(each, b=b) for each in RECORDS]
        check_frequencies(frequencies(np.array(columns)), expected)

    def test_whole_records(self) -> None:
        rows = make_network().records(self.COUNT, RandomSource.fixed(2))
        check_frequencies(frequencies(rows), [probability(each) for each in RECORDS])

    def test_nothing_is_drawn_where_nothing_is_to_be(self) -> None:
        assert make_network().records(0, RandomSource.fixed(3)).shape == (3, 0)


VALID = [each for each in RECORDS if is_valid(each)]


def test_columns_by_themselves_stand_in_an_order_that_serves() -> None:
    """Four columns that are bound to a fifth are joined if that is drawn last."""
    below = np.triu(np.ones((200, 200), dtype=bool))
    relations = Relations.of([200] * 5, [Relation((each, 4), below) for each in range(4)])
    with pytest.raises(TooWide):
        compile_masks(relations, range(5))
    order = Structure.independent(5, relations).order
    assert len(compile_masks(relations, order)) == 4


class TestSeeds:
    """The law of a candidate depends on its seed only through what it shares with it."""

    @pytest.mark.parametrize(
        "omega", [Omega(low=1, high=2), Omega(low=2, high=2), Omega(low=1, high=3)]
    )
    def test_the_law_of_candidates(self, omega: Omega) -> None:
        model = KeptAttributes(make_network(), omega)
        codes = np.array(RECORDS, dtype=np.uint16)
        seeds = np.array(VALID, dtype=np.uint16)
        found = np.exp(model.log_likelihood(seeds, codes))
        for seed, laws in zip(VALID, found, strict=True):
            for record, each in zip(RECORDS, laws, strict=True):
                kept = [3 - value for value in omega.values]
                expected = sum(
                    probability(record, first) for first in kept if record[:first] == seed[:first]
                ) / Fraction(len(kept))
                assert each == pytest.approx(float(expected), abs=1e-13)
            assert laws.sum() == pytest.approx(1, abs=1e-12)

    @given(st.integers(0, len(VALID) - 1), st.integers(1, 3))
    def test_candidates_of_valid_seeds_are_valid(self, seed: int, omega: int) -> None:
        model = KeptAttributes(make_network(), Omega(low=omega, high=omega))
        seeds = np.repeat(np.array([VALID[seed]], dtype=np.uint16).T, 50, axis=1)
        drawn = model.propose(seeds, np.full(50, omega), RandomSource.fixed(seed))
        assert all(is_valid(tuple(map(int, each))) for each in drawn.T)
        assert (drawn[: 3 - omega] == seeds[: 3 - omega]).all()


def law_redrawn(model: Redrawn, seed: tuple[int, ...], record: tuple[int, ...]) -> Fraction:
    """Return the probability of proposing a record from a seed, outcome by outcome, by hand."""
    if not is_valid(record):
        return Fraction(0)
    found = Fraction(1)
    for place in range(3):
        chances = [int(each) for each in model.chances[place]]
        left = [
            value
            for value in range(SIZES[place])
            if any(
                is_valid((*record[:place], value, *rest))
                for rest in product(*map(range, SIZES[place + 1 :]))
            )
        ]
        outcomes = [(value, chances[value]) for value in left]
        if seed[place] in left:
            outcomes.append((seed[place], chances[-1]))
        wanted = sum(weight for value, weight in outcomes if value == record[place])
        found *= Fraction(wanted, sum(weight for _, weight in outcomes))
    return found


def make_redrawn(share: float) -> Redrawn:
    """Return a model that redraws each attribute with this chance, under the rules."""
    weights = [np.array(each[0], dtype=float)[None] for each in (A, B[1:], C)]
    tables = (ConditionalTable.from_probabilities(each).weights[0] for each in weights)
    plain = Redrawn.of_weights(list(tables), share)
    return Redrawn.under_rules(plain.chances, relate())


class TestRedrawn:
    """Each attribute kept or redrawn by its own coin, under rules."""

    @pytest.mark.parametrize("few", [16, 0])
    @pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
    def test_likelihoods_are_those_of_the_law(
        self, share: float, few: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(redrawn, "_FEW", few)
        model, codes = make_redrawn(share), np.array(RECORDS, dtype=np.uint16)
        found = model.log_likelihood(codes, codes)
        for (row, seed), (column, record) in product(enumerate(RECORDS), enumerate(RECORDS)):
            exact = law_redrawn(model, seed, record)
            expected = math.log(exact.numerator) - math.log(exact.denominator) if exact else -np.inf
            assert found[row, column] == pytest.approx(expected, abs=1e-9)
        assert np.exp(found).sum(axis=1) == pytest.approx(1, abs=1e-9)

    @pytest.mark.parametrize("seed", [(1, 2, 2), (0, 1, 0), (0, 2, 2)])
    def test_what_is_proposed_follows_the_law(self, seed: tuple[int, ...]) -> None:
        """Of a seed too that breaks a rule."""
        model = make_redrawn(0.4)
        drawn = model.propose(np.tile(np.uint16(seed), (30_000, 1)), RandomSource.fixed(7))
        check_frequencies(
            frequencies(drawn.T), [law_redrawn(model, seed, each) for each in RECORDS]
        )

    def test_an_entry_is_the_same_whatever_else_is_asked_about(self) -> None:
        model, codes = make_redrawn(0.3), np.array(RECORDS, dtype=np.uint16)
        whole = model.log_likelihood(codes, codes)
        for row, column in product(range(len(RECORDS)), repeat=2):
            alone = model.log_likelihood(codes[row : row + 1], codes[column : column + 1])
            assert alone[0, 0] == whole[row, column]

    def test_every_sum_is_one_of_multiples_of_the_unit(self) -> None:
        model, codes = make_redrawn(1e-3), np.array(VALID, dtype=np.uint16)
        found = model.log_likelihood(codes, codes) / model._unit
        assert (found == np.rint(found)).all()
        assert np.abs(found).max() < 2**53
        parts = sum(
            (3 if place in model.masks else 1) * abs(float(each.min())) + float(gain.max())
            for place, (each, gain) in enumerate(model.logs)
        )
        assert model._unit == 2.0 ** (math.ceil(math.log2(parts + 1)) - 53)
        assert model._unit > Redrawn(model.chances)._unit

    def test_too_many_masks_are_refused(self) -> None:
        model = make_redrawn(0.5)
        masks = dict.fromkeys(range(redrawn.MOST_RULED + 1), model.masks[1])
        with pytest.raises(ValueError, match="masks"):
            Redrawn(model.chances, model.order, masks)


class TestWeighKinds:
    @given(st.lists(st.integers(1, 9), min_size=8, max_size=8))
    def test_kinds_are_drawn_as_often_as_records_show_them(self, weights: list[int]) -> None:
        """Records weigh what a law of columns by themselves gives them."""
        first, second, third = np.split(np.array(weights) / 1.0, [2, 5])
        valid = [record for record in RECORDS if is_valid(record)]
        masks = compile_masks(relate(), (0, 1, 2))
        columns = list(np.array(valid, dtype=np.uint16).T)
        likely = np.ones(len(valid))
        for place, each in enumerate((first, second, third)):
            own = each[columns[place]]
            if place in masks:
                own = own / (masks[place].of(columns) @ each)
            likely *= own
        for place, each in ((1, second), (2, third)):
            kinds = masks[place].kinds[place]
            found = rules.weigh_kinds(masks[place], columns, likely)
            expected = np.bincount(kinds, each)
            assert found / found.sum() == pytest.approx(expected / expected.sum(), abs=0.01)
