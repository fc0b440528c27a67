"""The method through a run: what is drawn, kept, resumed and released. Numbers on a fine lattice:
exact centres, right deviations, and the rounding to steps. Rows from an urn, against the law of
the urn. Every statement that is printed wrongly is as wrong as is said.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, truncnorm

from tests.engine.mechanisms.imputation.conftest import N
from tests.engine.runs.interrupting import killed_and_gone_on
from understudy.core.refusal import Refusal
from understudy.mechanisms.imputation import mechanism
from understudy.mechanisms.imputation.accounting import FINE
from understudy.mechanisms.imputation.draws import (
    RESOLUTION,
    ColumnLattice,
    Sampler,
    Urn,
    below,
    counts,
    value_places,
)
from understudy.mechanisms.imputation.errata import ERRATA
from understudy.mechanisms.imputation.mechanism import MECHANISM
from understudy.mechanisms.imputation.outputs import ReleasedOutputs
from understudy.mechanisms.imputation.parts import Histogram, Mean, parts
from understudy.mechanisms.imputation.plan import ImputationPlan
from understudy.mechanisms.registry import plan_run
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource, Secret
from understudy.runs.work import Job
from understudy.table.declared_reading import usual
from understudy.table.encoding import encode
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records
from understudy.table.schema import Schema

Planned = Callable[..., ImputationPlan]


def sampler(plan: ImputationPlan, schema: Schema, seed: int = 1) -> Sampler:
    source = RandomSource.fixed(seed)
    return Sampler(plan, parts(plan, schema), source, Noise(source.child()))


@pytest.mark.parametrize(
    "release", ["rows-from-mode", "rows-from-one-draw", "rows-from-own-draws", "imputations"]
)
def test_rows_are_like_the_records(
    release: Any, schema: Schema, records: Records, planned: Planned
) -> None:
    plan = planned(release=release, rows=4000)
    places = value_places(records)
    tables = list(sampler(plan, schema).tables(places))
    assert len(tables) == (3 if release == "imputations" else 1)
    rows = np.concatenate(tables)
    assert (rows >= 0).all()
    # Squared: of what rows are drawn from, where that is drawn, and of the mean of so many rows.
    drawn = {"rows-from-one-draw": 1, "imputations": 1 / 3}.get(release, 0.0) / (N + 4)
    errors = (drawn + 1 / len(rows)) ** 0.5
    for column, sizes in ((0, 2), (1, 4)):
        ours = np.bincount(rows[:, column], minlength=sizes) / len(rows)
        theirs = (np.bincount(places[:, column], minlength=sizes) + 4) / (N + 4 * sizes)
        assert (np.abs(ours - theirs) < 5 * errors * (theirs * (1 - theirs)) ** 0.5).all()
    for column, middle, deviation in ((2, 36, 12), (3, 100, 30)):
        mean = (N * places[:, column].mean() + 4 * middle) / (N + 4)
        assert rows[:, column].mean() == pytest.approx(mean, abs=5 * errors * deviation)
    assert rows[:, 3].std() == pytest.approx(30, rel=0.06)


def test_a_column_hangs_on_another(schema: Schema, records: Records, planned: Planned) -> None:
    """Whoever is in town a is f, all others m."""
    codes = records.codes.copy()
    codes[:, 0] = codes[:, 1] > 0
    told = Records(schema, codes, records.numbers)
    plan = planned(given={"sex": ("town",)}, strength=0.5, rows=3000, delta=1e-4)
    (rows,) = sampler(plan, schema).tables(value_places(told))
    assert (rows[rows[:, 1] == 0, 0] == 0).mean() > 0.97
    assert (rows[rows[:, 1] == 1, 0] == 1).mean() > 0.97


def test_counts_are_of_groups_and_cells(schema: Schema, records: Records, planned: Planned) -> None:
    plan = planned(joint=(("sex", "town"),))
    part = parts(plan, schema)[0]
    assert isinstance(part, Histogram)
    found = counts(part, value_places(records))
    both = records.codes[:, 0] * 4 + records.codes[:, 1]
    assert found[0].tolist() == np.bincount(both, minlength=8).tolist()


@pytest.mark.parametrize("release", ["posterior-draw", "noised-mode"])
def test_parameters_are_near_those_of_the_table(
    release: Any, schema: Schema, records: Records, planned: Planned
) -> None:
    plan = planned(release=release, epsilon=40.0, given={"sex": ("town",)})
    town, sex, age, pay = sampler(plan, schema).parameters(value_places(records), schema)
    exact = np.bincount(records.codes[:, 1], minlength=4) / len(records)
    assert town["shares"] == pytest.approx(exact.tolist(), abs=0.12)
    assert sum(town["shares"]) == pytest.approx(1.0, abs=1e-5)
    assert [each["of"] for each in sex["groups"]] == [["a"], ["b"], ["c"], [""]]
    assert age["mean"] == pytest.approx(18 + records.codes[:, 2].mean(), abs=4)
    assert records.numbers is not None
    assert pay["mean"] == pytest.approx(records.numbers.mean(), abs=4)
    if release == "posterior-draw":
        rows = [each * RESOLUTION for each in town["shares"]]
        assert rows == pytest.approx([round(each) for each in rows])


def test_the_same_secret_draws_the_same(schema: Schema, records: Records, planned: Planned) -> None:
    made = plan_run(planned(used=300, delta=1e-4), schema)
    secret = Secret.fixed(4)
    one, other = (MECHANISM.begin(made, records, secret, None).arrays() for _ in range(2))
    assert all(np.array_equal(one[name], other[name]) for name in one)
    assert int(one["held_out"].sum()) == 100


def test_who_is_left_out_is_drawn_evenly(
    schema: Schema, records: Records, planned: Planned
) -> None:
    made = plan_run(planned(used=100, delta=1e-4, strength=1.0, rows=1), schema)
    out = sum(
        MECHANISM.begin(made, records, Secret.fixed(each), None).arrays()["held_out"].astype(int)
        for each in range(60)
    )
    assert np.asarray(out).mean() == 45
    assert np.asarray(out).min() > 25
    assert np.asarray(out).max() < 60


@pytest.mark.parametrize("after", [1, 2, 4])
def test_a_run_that_was_killed_comes_to_the_same_outputs(
    after: int, records: Records, planned: Planned, tmp_path: Path
) -> None:
    job = Job(records, planned(release="imputations"), seed=3, figures=False)
    run = killed_and_gone_on(job, after, tmp_path)
    assert len([*run.release.iterdir()]) == 5


def test_one_column_makes_no_table(schema: Schema, records: Records, planned: Planned) -> None:
    plan = planned(columns=("pay",), deviations={"pay": 15.0}, rows=20)
    made = plan_run(plan, schema)
    assert [each.name for each in made.outputs] == ["rows", "inference"]
    state = MECHANISM.begin(made, records, Secret.fixed(1), None)
    released = ReleasedOutputs.of(plan, schema)
    table = state.arrays()["table.0"].astype(np.int64)
    said = released.texts([table])
    assert len(said["tables"][0]) == 20
    assert all(float(each) * 2 == int(float(each) * 2) for each in said["tables"][0])
    json.dumps(released.inference([table]))


def test_the_number_of_records_has_to_be_confirmed_and_right(
    schema: Schema, planned: Planned
) -> None:
    with pytest.raises(Refusal, match="confirmed") as refused:
        MECHANISM.check_public(plan_run(planned(public_records=None), schema))
    assert refused.value.remedy
    MECHANISM.check_public(plan_run(planned(), schema))
    with pytest.raises(Refusal, match="another number") as refused:
        MECHANISM.check_records(plan_run(planned(), schema), 401)
    assert refused.value.remedy
    MECHANISM.check_records(plan_run(planned(), schema), 400)


def test_the_plan_that_one_begins_with(schema: Schema) -> None:
    plan = MECHANISM.default_plan(schema)
    assert plan.columns == ("sex", "town")
    assert plan_run(plan, schema).guarantee.total.bounded


def test_values_beyond_the_bounds_are_refused_or_moved_to_them(
    schema: Schema, planned: Planned
) -> None:
    """R is public and kept to before anything is counted or averaged."""
    texts = {
        "sex": ["f", "m", "f", "m"],
        "town": ["a", "b", "c", ""],
        "age": ["-7", "1000", "18", "90"],
        "pay": ["1e9", "-0.5", "0", "100"],
    }
    columns = [text_column(np.arange(4), each) for each in texts.values()]
    raw = RawTable(table_of(list(texts), columns), usual("csv"))
    with pytest.raises(Refusal) as refused:
        encode(raw, schema)
    assert refused.value.field == "age"
    assert "clip" in refused.value.remedy
    assert "1000" not in str(refused.value)
    moved = value_places(encode(raw, schema, {"age": "clip", "pay": "clip"}))
    _, _, age, pay = parts(planned(), schema)
    assert isinstance(age, Mean)
    assert isinstance(pay, Mean)
    assert moved[:, 2].tolist() == [0, age.steps, 0, age.steps]
    assert moved[:, 3].tolist() == [pay.steps, 0, 0, pay.steps]


def test_how_such_values_were_settled_is_not_released(schema: Schema, planned: Planned) -> None:
    """It tells whether there were any."""
    plan = planned(policies={"age": "clip"})
    assert "policies" not in plan.publish()
    seen = " ".join(plan_run(plan, schema).guarantee.scope.reader_sees)
    assert "except for how values outside the schema were settled" in seen


def test_every_row_is_written_once_whatever_fits_into_a_part(
    schema: Schema, planned: Planned, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = planned(release="imputations", rows=50)
    released = ReleasedOutputs.of(plan, schema)
    drawn = {f"{mechanism._PLACES}{at}": np.tile([1, 2, at, 4], (50, 1)) for at in range(3)}
    monkeypatch.setattr(mechanism, "_BATCH", 7)
    monkeypatch.setattr(ReleasedOutputs, "content", lambda _, places: places)
    monkeypatch.setattr(ReleasedOutputs, "inference", lambda *_: {})
    *found, (_, _, last) = mechanism._chunks(released, drawn, MECHANISM.steps(plan))
    whole = np.concatenate([content for _, content, _ in found])
    np.testing.assert_array_equal(whole, np.concatenate(list(drawn.values())))
    assert [done for *_, done in found] == [
        50 * table + min(50, end) for table in range(3) for end in range(7, 57, 7)
    ]
    assert last == 150


def test_parameters_are_one_step_and_rows_are_theirs(planned: Planned) -> None:
    assert MECHANISM.steps(planned(release="noised-mode")) == 1
    assert MECHANISM.steps(planned(release="imputations", rows=50)) == 150


def part(records: int = 100, prior: Fraction = Fraction(3, 2), deviation: float = 12.0) -> Mean:
    return Mean(0, 72, Decimal(1), Decimal(18), deviation, prior, records)


@given(
    records=st.integers(1, 1000),
    prior=st.fractions(0, 50, max_denominator=1000),
    share=st.floats(0, 1),
)
def test_the_centre_is_the_mean_of_the_posterior_exactly(
    records: int, prior: Fraction, share: float
) -> None:
    lattice = ColumnLattice.of(part(records, prior))
    total = int(share * 72 * records)
    mean = (Fraction(total) - 36 * records) / (records + prior)
    assert Fraction(lattice.centre(total), lattice.per_step) == mean
    moved = lattice.centre(total + 72) - lattice.centre(total)
    assert moved / lattice.mean == pytest.approx(
        lattice.part.model.shift / lattice.part.model.deviation
    )
    assert lattice.mean >= FINE


def test_rows_spread_as_they_should_and_keep_within_bounds() -> None:
    """Within five standard errors of what so many rows come to."""
    lattice, noise, rows = ColumnLattice.of(part()), Noise(RandomSource.fixed(6)), 20_000
    centres = np.full(rows, lattice.centre(2700), dtype=np.int64)
    centre = -9 * 100 / 101.5
    found = lattice.around(centres, lattice.row, noise, conditioned=False) / lattice.per_step
    assert found.mean() == pytest.approx(centre, abs=5 * 12 / rows**0.5)
    assert found.std() == pytest.approx(12.0, rel=5 / (2 * rows) ** 0.5)
    within = lattice.around(centres, 10 * lattice.row, noise, conditioned=True)
    assert np.abs(within).max() <= 36 * lattice.per_step
    law = truncnorm((-36 - centre) / 120, (36 - centre) / 120, centre, 120)
    kept = within / lattice.per_step
    assert kept.mean() == pytest.approx(law.mean(), abs=5 * law.std() / rows**0.5)
    assert kept.std() == pytest.approx(law.std(), rel=5 / (5 * rows) ** 0.5)


def test_places_are_the_nearest_and_the_bounds_beyond() -> None:
    lattice = ColumnLattice.of(part())
    numbers = np.array([-40.0, -36.0, -35.6, -0.5, 0.0, 0.49, 35.9, 99.0])
    found = lattice.places((numbers * lattice.per_step).astype(np.int64))
    assert found.tolist() == [0, 0, 0, 36, 36, 36, 72, 72]
    assert lattice.value(0) == 54.0


def test_numbers_beyond_64_bits_are_refused() -> None:
    with pytest.raises(Refusal, match="too many"):
        ColumnLattice.of(Mean(0, 10**9, Decimal(1), Decimal(0), 1e8, Fraction(1, 10**6), 10**6))


@pytest.mark.parametrize("deviation", [5e-324, 1e-300, 1e-12, 1e300])
def test_a_deviation_without_a_lattice_is_refused(deviation: float) -> None:
    with pytest.raises(Refusal, match="too many for its deviation"):
        ColumnLattice.of(part(deviation=deviation))


def test_whoever_is_out_of_bounds_is_asked_again_around_the_same_centre_at_the_same_scale() -> None:
    """So that the law is that of the first draw, given that it is within."""
    asked: list[tuple[list[int], float]] = []

    class Far(Noise):
        def gaussians(self, values: np.ndarray, scale: float) -> np.ndarray:
            asked.append((values.tolist(), scale))
            return values + np.where(np.arange(len(values)) < 2 - len(asked), 10**15, 0)

    lattice = ColumnLattice.of(part())
    noise = Far(RandomSource.fixed(1))
    centres = np.array([lattice.centre(2_000), lattice.centre(4_000), lattice.centre(5_000)])
    found = lattice.around(centres, 12.5, noise, conditioned=True)
    assert found.tolist() == centres.tolist()
    assert asked == [(centres.tolist(), 12.5), (centres[:1].tolist(), 12.5)]
    del asked[:]
    lattice.around(centres, 12.5, noise, conditioned=False)
    assert asked == [(centres.tolist(), 12.5)]


TIMES = 20_000


@pytest.mark.parametrize("one_draw", [True, False])
def test_every_sequence_of_rows_is_as_likely_as_it_should_be(one_draw: bool) -> None:
    urn, source = Urn(np.array([3, 1, 4]), 2), RandomSource.fixed(5)
    found = Counter(tuple(urn.rows(3, source, one_draw=one_draw).tolist()) for _ in range(TIMES))
    expected = {}
    for rows in product(range(3), repeat=3):
        weights, chance = [3.0, 1.0, 4.0], 1.0
        for row in rows:
            chance *= weights[row] / sum(weights)
            weights[row] += 2 * one_draw
        expected[rows] = chance * TIMES
    assert chisquare([found[each] for each in expected], list(expected.values())).pvalue > 1e-6


def test_a_cell_without_weight_is_never_drawn() -> None:
    rows = Urn(np.array([0, 5, 0, 1]), 1).rows(5000, RandomSource.fixed(1), one_draw=True)
    assert set(rows.tolist()) <= {1, 3}


def test_long_urns_come_to_a_share_of_the_draw() -> None:
    urn = Urn(np.array([30, 70]), 1)
    shares = [
        float((urn.rows(20_000, RandomSource.fixed(each), one_draw=True) == 0).mean())
        for each in range(200)
    ]
    assert np.mean(shares) == pytest.approx(0.3, abs=0.015)
    assert np.std(shares) == pytest.approx((0.3 * 0.7 / 101) ** 0.5, rel=0.2)


def test_numbers_below_their_bounds() -> None:
    bounds = np.array([1, 2, 3, (1 << 62) + 1] * 5000)
    found = below(bounds, RandomSource.fixed(3))
    assert (found >= 0).all()
    assert (found < bounds).all()
    assert np.bincount(found[2::4]) == pytest.approx([5000 / 3] * 3, rel=0.1)
    assert float((found[3::4] / bounds[3::4]).mean()) == pytest.approx(0.5, abs=0.02)


def test_words_that_do_not_fill_a_round_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """2⁶⁴ is 1 above a multiple of 3, so that its last word would be one too many for 0."""
    source, last = RandomSource.fixed(1), (1 << 64) - 1
    words = iter([[last, last, 8], [last], [5]])
    monkeypatch.setattr(source, "words", lambda _: np.array(next(words), dtype=np.uint64))
    assert below(np.array([3, 4, 9]), source).tolist() == [2, 3, 8]
    assert next(words, None) is None


BY_NUMBER = {each.number: each for each in ERRATA}


@pytest.mark.parametrize("number", [*BY_NUMBER])
def test_each_is_as_wrong_as_is_said(number: str) -> None:
    erratum = BY_NUMBER[number]
    assert (erratum.factor() or 0) > 1
    assert erratum.prints
    assert erratum.instead


def test_every_error_is_there_once() -> None:
    said = " ".join(BY_NUMBER)
    for number in (
        "2.10", "3.3.1", "on 4.2", "4.3", "6.2", "6.4", "6.5", "6.9, 6.10", "6.11, 6.12", "6.13",
        "6.16", "6.19", "6.21, 6.22", "7, introduction", "7.3", "7.7", "7.8", "one draw",
        "7.12, 7.13", "7.14", "7.15", "7.16", "7, summary", "Figure 7.1",
        "7.14, its δ", "7.15, its tail",
    ):  # fmt: skip
        assert number in said
    assert len(BY_NUMBER) == len(ERRATA) == 26


def test_only_what_promises_too_much_is_unsafe() -> None:
    found = {each.number for each in ERRATA if each.verdict == "unsafe"}
    assert found == {
        "6, on 4.2", "6.2", "7.3", "7.8", "7.8, rows from one draw", "7.12, 7.13", "7.14",
    }  # fmt: skip
