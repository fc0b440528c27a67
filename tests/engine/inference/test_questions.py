"""What noisy tables answer: estimates against direct sums, and intervals against the truth."""

from __future__ import annotations

from decimal import Decimal
from itertools import combinations

import numpy as np
import pytest

from understudy.core.refusal import Refusal
from understudy.inference import counted_cells
from understudy.inference.counted_cells import CountedCells
from understudy.inference.documents import answer_columns, intervals_csv, relations_csv
from understudy.inference.inversion import NoisyRatio
from understudy.inference.questions import IntervalQuestion, ReleasedCounts
from understudy.inference.relations import CountedPairs
from understudy.inference.wording import answer_rows, describe_intervals
from understudy.models.noisy_tables import NoisyTable, table_figures, unlike
from understudy.models.views import Marginal, Rows, View
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.grid import Grid
from understudy.table.known_totals import KnownTotals
from understudy.table.people import People
from understudy.table.records import Records
from understudy.table.rules.rule import Rule
from understudy.table.schema import Schema

SCHEMA = Schema(
    columns=(
        Column(name="sex", domain=Categories(values=("f", "m"), labels=("women", "men"))),
        Column(name="town", domain=Categories(values=("a", "b", "c")), missing=True),
        Column(
            name="pay",
            domain=Grid(minimum=Decimal(0), maximum=Decimal(11)),
            buckets=ByWidth(width=Decimal(4)),
        ),
    )
)
AMOUNTS = Schema(
    columns=(
        Column(name="sex", domain=Grid(minimum=Decimal(0), maximum=Decimal(1))),
        *SCHEMA.columns[1:],
    )
)
SEX, TOWN, PAY, RANGES = View(0), View(1), View(2), View(2, 1)


def drawn_records(rows: int = 4000, seed: int = 1) -> Records:
    random = np.random.default_rng(seed)
    sex = random.integers(0, 2, rows)
    town = random.choice(4, rows, p=[0.5, 0.3, 0.15, 0.05])
    pay = np.clip(np.rint(random.normal(4 + 2 * sex + town, 2)), 0, 11)
    return Records(SCHEMA, np.stack([sex, town, pay], axis=1).astype(np.uint8))


def noisy_tables(
    records: Records, marginals: list[Marginal], scale: float = 4.0, seed: int = 3
) -> tuple[NoisyTable, ...]:
    rows, noise = Rows.of(records), Noise(RandomSource.fixed(seed))
    return tuple(
        NoisyTable(each, noise.integers(rows.counts(each), scale), "geometric", scale)
        for each in marginals
    )


ASKED: list[Marginal] = [(SEX,), (TOWN,), (PAY,), (RANGES,), (SEX,), (PAY, SEX), (TOWN, RANGES)]


def released(scale: float = 4.0, share: float = 1.0) -> ReleasedCounts:
    return ReleasedCounts(SCHEMA, noisy_tables(drawn_records(), ASKED, scale), share)


def test_without_noise_every_answer_is_exact() -> None:
    rows = Rows.of(drawn_records())
    tables = tuple(NoisyTable(each, rows.counts(each), "gaussian", 0.05) for each in ASKED)
    counts = ReleasedCounts(SCHEMA, tables)
    sex, town, pay = (drawn_records().codes[:, place].astype(int) for place in range(3))
    mean = {name: pay[sex == code].mean() for code, name in enumerate(("women", "men"))}
    (answer,) = counts.answer(IntervalQuestion("mean", "pay"))
    assert answer.estimate == pytest.approx(pay.mean())
    *_, apart = counts.answer(IntervalQuestion("mean", "pay", by="sex", groups=("women", "men")))
    assert apart.estimate == pytest.approx(mean["women"] - mean["men"])
    (number,) = counts.answer(IntervalQuestion("count", "town", "missing"))
    assert number.estimate == pytest.approx((town == 3).sum())
    (share,) = counts.answer(IntervalQuestion("share", "pay", SCHEMA.columns[2].bucket_labels[0]))
    assert share.estimate == pytest.approx((pay < 4).mean())
    assert share.table.high - share.table.low < 1e-3
    assert share.population is not None
    assert share.population.high - share.population.low == pytest.approx(
        2 * 1.96 * np.sqrt(share.estimate * (1 - share.estimate) / len(pay)), rel=0.05
    )


def test_differences_and_slopes_err_by_sampling_where_there_is_no_noise() -> None:
    rows = Rows.of(drawn_records())
    asked = [*ASKED, (SEX, PAY)]
    tables = tuple(NoisyTable(each, rows.counts(each), "gaussian", 0.05) for each in asked)
    counts = ReleasedCounts(AMOUNTS, tables)
    sex, _, pay = (column.astype(float) for column in rows.columns)
    *_, apart = counts.answer(IntervalQuestion("mean", "pay", by="sex", groups=("0", "1")))
    (slope,) = counts.answer(IntervalQuestion("slope", "pay", on="sex"))
    own = [pay[sex == each] for each in (0, 1)]
    deviation = np.sqrt(sum(each.var() / len(each) for each in own))
    assert slope.estimate == pytest.approx(-apart.estimate) == own[1].mean() - own[0].mean()
    # On a column of two values the line goes through both means.
    for answer in (apart, slope):
        assert answer.population is not None
        width = answer.population.high - answer.population.low
        assert width == pytest.approx(2 * 1.96 * deviation, rel=0.06)


@pytest.mark.parametrize("marginal", [(SEX,), (PAY, SEX), (SEX, PAY), (RANGES, TOWN)])
def test_estimates_are_unbiased_and_best(marginal: Marginal) -> None:
    """Weights put on true counts give the true answer, whatever the scores; and no table by itself
    is more certain than all together."""
    counts = released()
    records = Rows.of(drawn_records())
    cells = CountedCells.of(SCHEMA, marginal, counts.tables)
    random = np.random.default_rng(5)
    true = records.counts(marginal)
    exact = [
        NoisyTable(each.marginal, records.counts(each.marginal), each.law, each.scale)
        for each in counts.tables
    ]
    without = CountedCells.of(SCHEMA, marginal, exact)
    for _ in range(4):
        scores = random.normal(size=len(true))
        assert without.statistic(scores).value == pytest.approx(float(scores @ true))
        own = [each.noise.variance for each in cells.observations[:1]]
        assert cells.statistic(scores).noise.variance <= own[0] * float(
            cells.observations[0].numbers @ scores**2
        ) * (1 + 1e-9)


def test_an_estimate_is_unbiased_though_the_equations_are_not_solved_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(counted_cells, "_ROUNDS", 1)
    rows = Rows.of(drawn_records())
    tables = tuple(NoisyTable(each, rows.counts(each), "geometric", 4.0) for each in ASKED)
    cells = CountedCells.of(SCHEMA, (PAY, SEX), tables)
    scores = np.random.default_rng(6).normal(size=24)
    assert cells.statistic(scores).value == pytest.approx(float(scores @ rows.counts((PAY, SEX))))


def test_a_ratio_is_tested_by_the_law_of_its_noise_and_of_chance() -> None:
    rows = Rows.of(drawn_records())
    tables = tuple(NoisyTable(each, rows.counts(each), "geometric", 4.0) for each in ASKED)
    cells = CountedCells.of(SCHEMA, (PAY,), tables)
    ratio = NoisyRatio.of(cells, np.arange(12.0), np.ones(12))
    pay = rows.columns[2].astype(float)
    for value in (5.5, 6.0):
        noise = ratio.top.subtract(value, ratio.bottom).noise.variance
        chance = float(((pay - value) ** 2).sum())
        assert ratio.sampling(np.array([value]))[0] == pytest.approx(chance)
        found = ratio.variances(np.array([value]), 0.3)[0]
        assert found == pytest.approx(noise + 0.3 * chance)


def test_the_variance_is_that_of_least_squares() -> None:
    cells = CountedCells.of(SCHEMA, (PAY, SEX), released().tables)
    assert len(cells.observations) == len(ASKED)
    rows, variances = [], []
    for each in cells.observations:
        for place in np.flatnonzero(each.numbers):
            rows.append((each.groups == place).astype(float))
            variances.append(each.numbers[place] * each.noise.variance)
    design = np.array(rows) / np.sqrt(np.array(variances))[:, None]
    covariance = np.linalg.inv(design.T @ design)
    scores = np.random.default_rng(2).normal(size=design.shape[1])
    found = cells.statistic(scores).noise.variance
    assert found == pytest.approx(float(scores @ covariance @ scores), rel=1e-6)


QUESTIONS = (
    IntervalQuestion("count", "sex", "women"),
    IntervalQuestion("share", "town", "b"),
    IntervalQuestion("mean", "pay"),
    IntervalQuestion("mean", "pay", by="sex", groups=("f", "m")),
    IntervalQuestion("share", "pay", "0 to 3", by="town", groups=("a", "b")),
)


@pytest.mark.thorough("test_without_noise_every_answer_is_exact")
@pytest.mark.parametrize("scale", [3.0, 40.0])
def test_intervals_hold_the_truth_as_often_as_they_say(scale: float) -> None:
    records = drawn_records()
    rows = Rows.of(records)
    exact = ReleasedCounts(
        SCHEMA, tuple(NoisyTable(each, rows.counts(each), "gaussian", 0.05) for each in ASKED)
    )
    truths = [exact.answer(each)[-1].estimate for each in QUESTIONS]
    held = np.zeros(len(QUESTIONS))
    for seed in range(400):
        counts = ReleasedCounts(SCHEMA, noisy_tables(records, ASKED, scale, seed))
        answers = [counts.answer(each)[-1] for each in QUESTIONS]
        held += [each.table.covers(true) for each, true in zip(answers, truths, strict=True)]
    assert (held >= 0.925 * 400).all(), held
    assert (held <= 0.98 * 400).all(), held


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (IntervalQuestion("mean", "pay", by="town"), None),
        (IntervalQuestion("share", "sex", "f", by="town"), "never counted together"),
        (IntervalQuestion("mean", "town"), "no numbers"),
        (IntervalQuestion("mean", "height"), "no column"),
        (IntervalQuestion("share", "sex", "x"), "no value"),
        (IntervalQuestion("count", "sex", "f", by="sex"), "all records"),
        (IntervalQuestion("slope", "pay"), "on another"),
        (IntervalQuestion("share", "pay", "2", by="town"), "coarser groups"),
        (IntervalQuestion("mean", "pay", by="pay"), "named twice"),
    ],
)
def test_what_cannot_be_answered_is_said(question: IntervalQuestion, said: str | None) -> None:
    counts = released()
    if said is None:
        assert len(counts.answer(question)) == 4
        return
    with pytest.raises(Refusal, match=said):
        counts.answer(question)


def test_numbers_in_cells_are_known_as_far_as_their_cell() -> None:
    """Pay by town was counted in ranges alone."""
    counts = released(2.0)
    for answer in counts.answer(IntervalQuestion("mean", "pay", by="town")):
        assert answer.table_any is not None
        assert answer.table_any.low < answer.table.low < answer.table.high < answer.table_any.high
    codes = drawn_records().codes.astype(int)
    pair = IntervalQuestion("mean", "pay", by="town", groups=("a", "b"))
    *_, apart = counts.answer(pair)
    true = codes[codes[:, 1] == 0, 2].mean() - codes[codes[:, 1] == 1, 2].mean()
    assert apart.table_any is not None
    assert apart.table_any.covers(true)
    (mean,) = counts.answer(IntervalQuestion("mean", "pay"))
    assert mean.table_any is None
    rows = answer_rows([mean, apart])
    assert [len(row) for row in rows] == [4, 4, 4]
    assert any("cells" in each for each in describe_intervals(counts, [apart]))


def test_groups_that_rules_leave_empty_are_left_out() -> None:
    """Nobody of the town is a man: that cell counts as 0 without noise."""
    ruled = SCHEMA.with_rules((Rule(text='if (town == "a") sex == "f"'),))
    records = drawn_records()
    kept = records.take(np.flatnonzero((records.codes[:, 1] != 0) | (records.codes[:, 0] == 0)))
    tables = noisy_tables(kept, [(SEX, TOWN)])
    counts = ReleasedCounts(ruled, tables)
    question = IntervalQuestion("share", "sex", "m", by="town")
    first, *_ = counts.answer(question)
    assert first.estimate == first.table.high == 0.0
    assert len(counts.answer(IntervalQuestion("share", "town", "a", by="sex"))) == 2


def test_records_held_out_widen_what_is_said_of_the_table() -> None:
    question = IntervalQuestion("share", "sex", "f")
    ends = [released(0.3, share).answer(question)[0] for share in (1.0, 0.9, 0.4)]
    widths = [each.table.high - each.table.low for each in ends]
    assert widths[0] < widths[1] < widths[2]
    assert all(
        each.population is not None and each.population.high - each.population.low > width
        for each, width in zip(ends, widths, strict=True)
    )


def test_a_count_of_some_records_errs_by_which_were_counted() -> None:
    """Half of the records, without noise: binomial, n is known to within 2·1.96·√n."""
    tables = tuple(
        NoisyTable(each, Rows.of(drawn_records()).counts(each), "gaussian", 0.05) for each in ASKED
    )
    (whole,) = ReleasedCounts(SCHEMA, tables).answer(IntervalQuestion("count", "sex", "f"))
    (half,) = ReleasedCounts(SCHEMA, tables, 0.5).answer(IntervalQuestion("count", "sex", "f"))
    assert half.estimate == pytest.approx(2 * whole.estimate)
    assert half.table.high - half.table.low == pytest.approx(
        2 * 1.96 * np.sqrt(half.estimate), rel=0.05
    )


def test_records_of_a_person_may_all_be_alike() -> None:
    people = People(person="who", order="visit", records_at_most=4)
    figures = table_figures(released(0.3).tables, SCHEMA)
    known, several = (
        ReleasedCounts.of(figures, each)
        for each in (SCHEMA, SCHEMA.model_copy(update={"people": people}))
    )
    ends = [each.answer(IntervalQuestion("share", "sex", "f"))[0] for each in (known, several)]
    assert ends[0].table == ends[1].table
    one, four = (each.population for each in ends)
    assert one is not None
    assert four is not None
    assert four.high - four.low == pytest.approx(2 * (one.high - one.low), rel=0.05)


def test_relations_that_were_never_counted_are_named() -> None:
    relations = CountedPairs.of(SCHEMA, released().tables)
    assert relations.never == (("sex", "town"),)
    assert relations.counted["town", "pay"] == "in groups"
    assert relations.counted["sex", "pay"] == "in full"
    assert relations.partners["pay"] == ("sex", "town")
    assert "Of 3 pairs of columns 2 were counted together" in relations.sentences[0]
    assert "sex,town,never together\n" in relations_csv(relations)
    lines = tuple(((sex, town), 9) for sex in "fm" for town in "abc")
    totals = KnownTotals(columns=("sex", "town"), of="table", source="a census", lines=lines)
    known = CountedPairs.of(SCHEMA.with_totals((totals,)), released().tables)
    assert known.never == ()
    assert known.counted["sex", "town"] == "known"
    assert "or have known totals" in known.sentences[0]
    alone = CountedPairs.of(SCHEMA, noisy_tables(drawn_records(50), [(SEX,), (TOWN,), (PAY,)]))
    assert "No two columns" in alone.sentences[0]


def test_of_many_triples_that_were_counted_only_some_are_named() -> None:
    schema = Schema(
        columns=tuple(
            Column(name=f"c{place}", domain=Categories(values=("a", "b"))) for place in range(6)
        )
    )
    counts = np.zeros(8, dtype=np.int64)
    tables = [
        NoisyTable(tuple(map(View, places)), counts, "geometric", 1.0)
        for places in combinations(range(6), 3)
    ]
    few, many = (CountedPairs.of(schema, tables[:most]).sentences[1] for most in (3, 20))
    assert few.endswith("c0 × c1 × c2, c0 × c1 × c3, c0 × c1 × c4.")
    assert many.count(" × ") == 20
    assert many.endswith(" and 10 more.")


def test_figures_are_read_as_they_were_released() -> None:
    counts = released(share=0.9)
    figures = table_figures(counts.tables, SCHEMA, 0.9)
    again = ReleasedCounts.of(figures, SCHEMA)
    assert again.share == 0.9
    assert intervals_csv(answer_columns(again)) == intervals_csv(answer_columns(counts))
    assert unlike(figures, SCHEMA, 0.9) is None
    assert unlike(figures, SCHEMA, 0.8) is not None
    lines = intervals_csv(answer_columns(counts)).splitlines()
    assert len(lines) == 1 + 2 + 4 + 1 + 3
