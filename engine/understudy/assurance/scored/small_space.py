"""Candidates on a tiny grid: every law written out.

Codes are disturbed there or by the posterior of a model, and tested. For seeds of a sub-population,
one attempt is written out on tables of records in it and not: a record is a group and a code, who
may be a seed comes from the shipped `Subpopulation`, scores and the coin from the test, and one
more record of every group and code is put to each table.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Final

import numpy as np

from understudy.assurance import attempt
from understudy.assurance.attempt import Pairs, Scores, pairs, shipped_scores, worst
from understudy.assurance.check import GUARANTEE, Check, Effort, MeasuredValue
from understudy.assurance.divergence import hockey_stick, over
from understudy.assurance.random_inputs import RandomInputs
from understudy.core.arrays import BoolArray, FloatArray, IntArray
from understudy.models.categorical import WHOLE
from understudy.models.latent.factors import Factors
from understudy.models.latent.grid import DEVIATION, REACH, ProjectionGrid, normal_law
from understudy.models.latent.latent_noise import LatentNoise, OfFactors, OfNetwork
from understudy.models.latent.networks.autoencoder import UNIT, Network, NetworkShape
from understudy.models.latent.networks.variational import Variational
from understudy.privacy.accounting.unit import unit_of
from understudy.privacy.plausibility.privacy_test import PrivacyTest, TestKind, privacy_test
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.schema import Schema
from understudy.table.subpopulation import Subpopulation

PART: Final = "Candidates in a small space"
_PAGE: Final = "docs/guarantee.md"
_KINDS: Final[tuple[TestKind, ...]] = ("plausible-deniability", "relative-sensitivity")
_NAMES: Final = {
    "plausible-deniability": "plausible deniability",
    "relative-sensitivity": "relative sensitivity",
}
_TABLES: Final = 24
_PLACES: Final = 9
_ASIDE, _FAR = 2.0**-28, 2.0**-48
"""The chances of steep moves by one place and by two."""

_Ratio = Callable[[Pairs], FloatArray]


def list_grid_checks() -> tuple[Check, ...]:
    """Check that one attempt keeps the statement, whoever is added, and so does a run that shows
    ⊥."""
    found = []
    for kind in _KINDS:
        found += [
            Check(
                PART,
                f"{_NAMES[kind]}, a disturbed code that passed",
                "the statement for one attempt where n is known, for every t",
                _PAGE,
                partial(_measure_grid, kind, attempt.with_seeds),
            ),
            Check(
                PART,
                f"{_NAMES[kind]}, with rejections seen",
                "the same for codes and ⊥, under the pass cap",
                _PAGE,
                partial(_measure_grid, kind, attempt.rejections_seen),
            ),
        ]
    return tuple(found)


def list_grid_mutants() -> tuple[Check, ...]:
    """Return the readings broken in the ways that would matter."""
    kind: TestKind = "plausible-deniability"
    return (
        Check.mutant(
            "small space, a density with a wrong normaliser",
            "scores by densities of which each record's has a factor of its own",
            _skip_normalising,
        ),
        Check.mutant(
            "small space, codes moved inwards after the noise",
            "codes beyond the middle places are put there, and scored as if they had not been",
            _inwards,
        ),
        Check.mutant(
            "small space, the code of a rejected candidate shown",
            "what does not pass is told as well",
            partial(_measure_grid, kind, _rejected_shown),
        ),
        Check.mutant(
            "small space, two candidates of a tested seed",
            "a second candidate is made of the seed whose first one passed, and shown unscored",
            partial(_measure_grid, kind, _drawn_twice),
        ),
        Check.mutant(
            "small space, an encoder learned on the seeds and not paid for",
            "codes are counted from the middle of the table's own codes",
            partial(_measure_grid, kind, attempt.with_seeds, own_middle=True),
        ),
    )


def _measure_grid(
    kind: TestKind,
    ratio: _Ratio,
    effort: Effort,
    *,
    own_middle: bool = False,
) -> MeasuredValue:
    return worst(_universes(kind, effort, own_middle), ratio)


def _universes(kind: TestKind, effort: Effort, own_middle: bool) -> Iterator[Pairs]:
    """Yield tables of codes on one axis and on two, with one record more of every code; first one
    of equal codes, in which whoever has another is alone."""
    alike = np.array([10, 0, 0, 0, 0])
    small = privacy_test(kind, 8, 1.0, 2.0 if kind == "plausible-deniability" else None)
    if not own_middle:
        yield pairs(small, law_of_codes(1), alike, name="equal codes")
    draw = RandomInputs(effort.seed + 23)
    for turn in range(effort.of(_TABLES)):
        model = law_of_codes(1 + turn % 2)
        test = draw.test(kind)
        table = draw.table(len(model), test.k)
        if own_middle:
            yield _by_own_middle(test, model, table)
        else:
            yield pairs(test, model, table, name=f"{1 + turn % 2} axes")


def _skip_normalising(_: Effort) -> MeasuredValue:
    """Return codes 3 and 4, the second of which is scored as if it seldom stayed where it is."""
    made = _steep((3, 4), 0, _PLACES - 1)
    return disguise_record(made, np.asarray(made * np.array([[1.0], [_ASIDE]])))


def _inwards(_: Effort) -> MeasuredValue:
    """Return codes 4 and 0 on places from 2 to 6."""
    return disguise_record(_steep((4, 0), 2, 6), _steep((4, 0), -2, _PLACES - 1))


def disguise_record(made: FloatArray, scored: FloatArray) -> MeasuredValue:
    """Return many records of the first code, and one more of the second, which is likelier to make
    what it makes than its score tells."""
    test = privacy_test("plausible-deniability", 12, epsilon0=1.0, gamma=2.0)
    tried = pairs(test, made, [48, 0], added=[[0, 1]], scores=partial(_by, shipped_scores, scored))
    return worst([tried], attempt.with_seeds)


def _steep(codes: Sequence[int], low: int, high: int) -> FloatArray:
    """Return p_d(z′) of codes that hardly move, what lies beyond `low` and `high` put there."""
    found = np.zeros((len(codes), _PLACES))
    for row, code in enumerate(codes):
        for move, chance in zip((-2, -1, 0, 1, 2), (_FAR, _ASIDE, 1.0, _ASIDE, _FAR), strict=True):
            place = min(max(code + move, low), high)
            if 0 <= place < _PLACES:
                found[row, place] += chance
    return found


def _by(
    scores: Scores, model: FloatArray, test: PrivacyTest, _: FloatArray, tables: IntArray
) -> IntArray:
    """Return scores by another model than the one that candidates are made by."""
    return scores(test, model, tables)


@cache
def law_of_codes(axes: int) -> FloatArray:
    """Return p_d(z′) of the codes in the middle of a grid of `_PLACES` places an axis."""
    law = np.array([1, 4, 6, 4, 1], dtype=np.int64) * (WHOLE // 16)
    grid = ProjectionGrid(
        np.eye(axes, dtype=np.int64),
        np.zeros(axes, dtype=np.int64),
        np.ones(axes, dtype=np.int64),
        law,
        _PLACES,
    )
    middle = range(grid.reach, _PLACES - grid.reach, 1 if axes == 1 else 2)
    codes = np.array(list(itertools.product(*(middle,) * axes)), dtype=np.int64)
    places = np.array(list(itertools.product(*(range(_PLACES),) * axes)), dtype=np.uint16)
    return np.exp(grid.log_likelihood(codes, places))


def _rejected_shown(tried: Pairs) -> FloatArray:
    """Return the divergence where every disturbed code is told, passed or not."""
    unit = tried.unit()
    model = _model_of(tried)
    drawn = tried.tables / tried.tables.sum(axis=1, keepdims=True)
    shown = drawn @ model - tried.released
    laws = np.column_stack([tried.released, np.maximum(shown, 0.0)])
    apart = hockey_stick(laws[0], laws[1:, None], unit.epsilon(tried.t))
    return over(apart, unit.delta(tried.t))


def _drawn_twice(tried: Pairs) -> FloatArray:
    """Return the divergence of a first code that passed and a second one of the same seed."""
    unit, model = tried.unit(), _model_of(tried)
    scored = shipped_scores(tried.test, model, tried.tables)
    most = int(scored.max(initial=0))
    passes = np.array([tried.test.coin.threshold(each) / (1 << 128) for each in range(most + 1)])
    drawn = tried.tables / tried.tables.sum(axis=1, keepdims=True)
    first = drawn[:, :, None] * model * passes[scored]
    laws = np.einsum("dsy,sz->dyz", first, model).reshape(len(tried.tables), -1)
    apart = hockey_stick(laws[0], laws[1:, None], unit.epsilon(tried.t))
    return over(apart, unit.delta(tried.t))


def _by_own_middle(test: PrivacyTest, model: FloatArray, table: IntArray) -> Pairs:
    """Return one attempt on each table, its codes counted from its own middle."""
    tables = np.vstack([table, table + np.eye(len(table), dtype=np.int64)])
    released, rejected = [], []
    for each in tables:
        shift = round(float(each @ np.arange(len(each))) / max(1, each.sum()))
        moved = np.roll(model, -shift, axis=1)
        one = pairs(test, moved, each, added=np.zeros((0, len(each)), dtype=np.int64))
        released.append(one.released[0])
        rejected.append(one.rejected[0])
    return Pairs(test, tables, np.array(released), np.array(rejected))


def _model_of(tried: Pairs) -> FloatArray:
    """Return the model that a table of so many codes goes with."""
    axes = 1 if tried.released.shape[1] == _PLACES else 2
    return law_of_codes(axes)


_FLAGS: Final = 3
_TEST_KINDS: Final[tuple[TestKind, ...]] = ("plausible-deniability", "relative-sensitivity")
_POSTERIOR_TABLES: Final = 8
_DISTURBED: Final = 0.25
"""Times the posterior's deviation: the least that a plan may have, with which records are furthest
from making the same codes."""


def list_posterior_checks() -> tuple[Check, ...]:
    """Check that one attempt keeps its statement, ⊥ seen or not; and chances of all places sum to
    1."""
    found = [
        Check(
            PART,
            "codes disturbed by a posterior, one law for every record",
            "the chances with which a record makes any code sum to 1",
            GUARANTEE,
            _sums,
        )
    ]
    for kind in _TEST_KINDS:
        found.append(
            Check(
                PART,
                f"{kind.replace('-', ' ')}, codes disturbed by a posterior",
                "the statement for one attempt where n is known, with ⊥ and without",
                GUARANTEE,
                partial(_measure_posterior, kind),
            )
        )
    return tuple(found)


def list_posterior_mutants() -> tuple[Check, ...]:
    """Return the posterior broken in the way that would matter."""
    return (
        Check.mutant(
            "posterior, each record's own noise scored by the mean",
            "a record of which the model leaves more open is disturbed more, and scored as others",
            _own_noise,
        ),
    )


def _measure_posterior(kind: TestKind, effort: Effort) -> MeasuredValue:
    draw = RandomInputs(effort.seed + 41)
    return worst(_try_records(kind, draw, effort.of(_POSTERIOR_TABLES)), _either)


def _either(tried: Pairs) -> FloatArray:
    """With ⊥ and without, over every t."""
    return np.maximum(attempt.with_seeds(tried), attempt.rejections_seen(tried))


def _try_records(kind: TestKind, draw: RandomInputs, count: int) -> Iterator[Pairs]:
    alike = np.array([10, *[0] * (2**_FLAGS - 1)])
    gamma = 2.0 if kind == _TEST_KINDS[0] else None
    for law in _laws():
        yield pairs(privacy_test(kind, 8, 1.0, gamma), law, alike, name="equal records")
    for turn in range(count):
        test = draw.test(kind)
        table = draw.table(2**_FLAGS, test.k)
        yield pairs(test, _laws()[turn % 2], table, name=("factors", "a network")[turn % 2])


def _sums(_: Effort) -> MeasuredValue:
    found = MeasuredValue(0, 0.0)
    for name, law in zip(("factors", "a network"), _laws(), strict=True):
        off = float(np.abs(law.sum(axis=1) - 1).max())
        found |= MeasuredValue(len(law), off / 2.0**-30, name)
    return found


def _own_noise(_: Effort) -> MeasuredValue:
    """Return two records with one code, of which the second is disturbed four times as much."""
    grid = ProjectionGrid(
        np.ones((1, 1), np.int64), np.zeros(1, np.int64), np.ones(1, np.int64), normal_law()
    )
    code = np.array([[grid.places // 2]])
    places = np.arange(code[0, 0] - REACH, code[0, 0] + REACH + 1).astype(np.uint16)[:, None]
    narrow = np.exp(grid.log_likelihood(code, places))
    wide = np.exp(-((places[:, 0] - code[0, 0].astype(float)) ** 2) / (2 * (4 * DEVIATION) ** 2))
    made = np.vstack([narrow, wide[None] / wide.sum()])
    return disguise_record(made, np.vstack([narrow, narrow]))


@cache
def _laws() -> Sequence[FloatArray]:
    """Return p_d(z′) of every record of three flags, of one hidden number in either model."""
    loadings = np.array([[0.8], [-0.5], [0.6]])
    factors = Factors(np.array([-0.6, 0.1, 0.4]), np.zeros(0), np.zeros(0), loadings)
    weights = np.cos(np.arange(NetworkShape(_FLAGS, 2, 1).weights))
    network = Network.of(NetworkShape(_FLAGS, 2, 1), weights)
    trained = Variational(network, np.zeros(1), np.full((1, 1), float(UNIT)))
    return (
        _law(LatentNoise(*OfFactors.with_grid(factors, _DISTURBED))),
        _law(LatentNoise(*OfNetwork.with_grid(trained, _DISTURBED, RandomInputs(1).source))),
    )


def _law(model: LatentNoise) -> FloatArray:
    """Return p_d(z′) of every record, over the places in reach of any."""
    every = np.array(list(itertools.product((0, 1), repeat=_FLAGS)), dtype=np.uint16)
    codes = model.locate(every)[:, 0].astype(np.int64)
    places = np.arange(codes.min() - model.reach, codes.max() + model.reach + 1)
    return np.exp(model.log_likelihood(every, places.astype(np.uint16)[:, None]))


_GROUPS: Final = ("in", "also in", "out")
_TEXT: Final = "GROUP = in or also in"
_GROUPED_TABLES: Final = 16
_DEALT: Final = 4
_SHARE: Final = 0.5


def list_subpopulation_checks() -> tuple[Check, ...]:
    """Check that one attempt keeps its statement, whoever is added: for the known number of seeds
    of the sub-population, and where each of them is dealt by its coin."""
    found = []
    for kind in _KINDS:
        name = kind.replace("-", " ")
        for said, claim, ratio in (
            ("a candidate that passed", "the statement for one attempt", attempt.with_seeds),
            ("rejections seen", "the same under the pass cap", attempt.rejections_seen),
        ):
            found.append(
                Check(
                    PART,
                    f"{name}, seeds of a sub-population, {said}",
                    f"{claim}, n being the seeds of the sub-population that are known of",
                    GUARANTEE,
                    partial(_measure_ratio, kind, ratio),
                )
            )
        found.append(
            Check(
                PART,
                f"{name}, seeds of a sub-population, each dealt by its coin",
                "the statement for one attempt where n is not known",
                GUARANTEE,
                partial(_deal_ways, kind),
            )
        )
    return tuple(found)


def list_subpopulation_mutants() -> tuple[Check, ...]:
    """Return the sub-population broken in the ways that would matter."""
    return (
        Check.mutant(
            "sub-population, the rarer group of the table",
            "seeds are of whichever group has fewer records, as the table shows",
            _rarer,
        ),
        Check.mutant(
            "sub-population, all records counted on as seeds",
            "n is the number of all records, those that cannot be seeds too",
            _all_counted,
        ),
        Check.mutant(
            "sub-population, plausible seeds among all records",
            "seeds are of the sub-population, and those that vouch for them need not be",
            _vouched_for_by_all,
        ),
    )


def _measure_ratio(kind: TestKind, ratio: _Ratio, effort: Effort) -> MeasuredValue:
    draw = RandomInputs(effort.seed + 31)
    return worst(_try_tables(kind, draw, effort.of(_GROUPED_TABLES)), ratio)


def _try_tables(kind: TestKind, draw: RandomInputs, count: int) -> Iterator[Pairs]:
    alike = _table({("in", 0): 10, ("out", 4): 10})
    yield _attempt(privacy_test(kind, 8, 1.0, 2.0 if kind == _KINDS[0] else None), alike)
    for _ in range(count):
        test = draw.test(kind)
        yield _attempt(test, draw.table(len(_records()), 3 * test.k))


def _attempt(test: PrivacyTest, table: IntArray, scores: Scores | None = None) -> Pairs:
    """Return the laws on a table of all records, and with one more of each kind."""
    inside = _inside().astype(np.int64)
    added = np.diag(inside)
    return pairs(
        test, _record_law(), table * inside, added=added, scores=scores, name="a sub-population"
    )


def _deal_ways(kind: TestKind, effort: Effort) -> MeasuredValue:
    """Return two kinds of records, one or both of them inside; every way to deal them is written
    out."""
    draw, found = RandomInputs(effort.seed + 37), MeasuredValue(0, 0.0)
    for _ in range(effort.of(_DEALT)):
        test = draw.test(kind)
        table = np.zeros(len(_records()), dtype=np.int64)
        table[draw.several(0, len(table) - 1, 2)] = draw.several(1, 5, 2)
        unit = unit_of(test)
        assert unit is not None
        t = np.arange(1, test.k)
        one = _mix_attempts(test, table)
        for more in range(len(table)):
            other = table.copy()
            other[more] += 1
            apart = hockey_stick(one, _mix_attempts(test, other)[None], unit.epsilon(t))
            ratio = float(over(apart, unit.delta(t)).max())
            found |= MeasuredValue(1, ratio, f"{test.kind}, records {table.tolist()}")
    return found


def _mix_attempts(test: PrivacyTest, table: IntArray) -> FloatArray:
    """Return (Y,) what one attempt releases, where each record of the sub-population is a seed by a
    coin; nothing where none is."""
    inside = np.flatnonzero(table * _inside())
    found = np.zeros(_record_law().shape[1])
    for dealt in itertools.product(*(range(int(table[each]) + 1) for each in inside)):
        if not sum(dealt):
            continue
        chance = math.prod(
            math.comb(int(table[each]), some) * _SHARE ** int(table[each])
            for each, some in zip(inside, dealt, strict=True)
        )
        seeds = np.zeros(len(table), dtype=np.int64)
        seeds[inside] = dealt
        nobody = np.zeros((0, len(table)), dtype=np.int64)
        found += chance * pairs(test, _record_law(), seeds, added=nobody).released[0]
    return found


def _rarer(_: Effort) -> MeasuredValue:
    """Return ten of one group and ten of another, far apart; one more decides which are the
    seeds."""
    table = _table({("in", 0): 10, ("also in", 4): 10})
    test = privacy_test("plausible-deniability", 8, 1.0, 2.0)
    released, rejected, tables = [], [], []
    for more in (0, 1):
        held = table.copy()
        held[_row("in", 0)] += more
        many = {group: int(held[_of_group(group)].sum()) for group in ("in", "also in")}
        seeds = np.where(_of_group(min(many, key=lambda each: many[each])), held, 0)
        one = pairs(test, _record_law(), seeds, added=np.zeros((0, len(held)), dtype=np.int64))
        released.append(one.released[0])
        rejected.append(one.rejected[0])
        tables.append(seeds)
    tried = Pairs(test, np.array(tables), np.array(released), np.array(rejected))
    return worst([tried], attempt.with_seeds)


def _all_counted(_: Effort) -> MeasuredValue:
    """Return ten that may be seeds, and five hundred that may not."""
    table = _table({("in", 0): 10, ("out", 0): 500})
    test = privacy_test("plausible-deniability", 8, 1.0, 2.0)
    tried = _attempt(test, table)
    unit = unit_of(test, int(table.sum()))
    assert unit is not None
    apart = hockey_stick(tried.released[0], tried.released[1:, None], unit.epsilon(tried.t))
    return worst([tried], lambda each: over(apart, unit.delta(each.t)))


def _vouched_for_by_all(_: Effort) -> MeasuredValue:
    """Return ten that may be seeds, and far from them ten that may not and vouch for one more that
    may."""
    table = _table({("in", 0): 10, ("out", 4): 10})
    every = np.vstack([table, table + np.eye(len(table), dtype=np.int64)])

    def scores(test: PrivacyTest, model: FloatArray, _: IntArray) -> IntArray:
        return shipped_scores(test, model, every)

    test = privacy_test("plausible-deniability", 8, 1.0, 2.0)
    return worst([_attempt(test, table, scores)], attempt.with_seeds)


@cache
def _records() -> tuple[tuple[str, int], ...]:
    """Return every group with every code."""
    return tuple(itertools.product(_GROUPS, _codes()))


def _codes() -> range:
    return range(len(law_of_codes(1)))


def _of_group(group: str) -> BoolArray:
    return np.array([each == group for each, _ in _records()])


def _row(group: str, code: int) -> int:
    return _records().index((group, code))


def _table(held: dict[tuple[str, int], int]) -> IntArray:
    return np.array([held.get(each, 0) for each in _records()], dtype=np.int64)


@cache
def _record_law() -> FloatArray:
    """Return p_d(z′) of every record, which follows from its code."""
    return law_of_codes(1)[[code for _, code in _records()]]


@cache
def _inside() -> IntArray:
    """Return whether each record may be a seed, as the shipped reading of the text has it."""
    schema = Schema(
        columns=(
            Column(name="GROUP", domain=Categories(values=_GROUPS)),
            Column(name="CODE", domain=Categories(values=tuple(map(str, _codes())))),
        )
    )
    rows = [[_GROUPS.index(group), code] for group, code in _records()]
    found = Subpopulation.of(_TEXT, schema, "").holds(np.array(rows, dtype=np.uint16))
    return found.astype(np.int64)
