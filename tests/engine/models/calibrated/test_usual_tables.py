"""Whether pairs are asked about: what that would leave of a usual table, beside columns only."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.engine.table.builders import grouped
from tests.support import category_schema
from understudy.evaluation.comparison import distances
from understudy.models.bayesnet.as_learner import Marginals
from understudy.models.calibrated.column_levels import column_views
from understudy.models.calibrated.expected_error import expected_errors
from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.measurement import QuestionShares, Steps
from understudy.models.calibrated.questions import CERTAIN, ENOUGH, Way
from understudy.models.calibrated.selection import Misfit, every_view, shrinking, worth_measuring
from understudy.models.calibrated.usual_tables import Asking, Chosen, Usual
from understudy.models.learner import Terms
from understudy.models.marks import EVEN, Marks
from understudy.models.prediction import USUAL, usual_strengths
from understudy.models.views import View
from understudy.privacy.accounting.budget_shares import Allowance, Currency
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples.shapes import SHAPES, TableShape, picture_shape
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.split import Shares

SMALL = Budget(0.1, 1e-9)
ALL = Shares(seeds=0, structure=0, parameters=1, held_out=0)


def asking(sizes: list[int], records: float, allowance: Allowance, deviation: float) -> Asking:
    schema = category_schema(*sizes)
    usual = Usual(schema, EVEN, records, every_view(schema), column_views(schema))
    return Asking(usual, allowance, allowance, QuestionShares(), deviation)


@given(
    columns=st.integers(3, 8),
    size=st.integers(2, 30),
    records=st.floats(100, 1e6),
    amount=st.floats(1e-4, 10),
    currency=st.sampled_from(["epsilon", "rho"]),
    data=st.data(),
)
def test_what_is_taken_to_be_measured_is_what_the_learners_own_rule_chooses(
    columns: int,
    size: int,
    records: float,
    amount: float,
    currency: Currency,
    data: st.DataObject,
) -> None:
    """Of tables of one size, whatever is answered about them."""
    pairs = tuple((View(one), View(other)) for one, other in combinations(range(columns), 2))
    shares = st.lists(st.floats(0, 0.5), min_size=len(pairs), max_size=len(pairs))
    answers = np.array(data.draw(shares))
    made = asking([size] * columns, records, Allowance(amount, currency), 0.1)
    found = Misfit(pairs, answers * records, 0.0, np.full(len(pairs), size**2))
    spend = QuestionShares()
    for share, trial in zip((0.0, 0.1, 0.2), made._trials(answers), strict=False):
        rest = made.allowance.part((1 - share) * spend.rounds)
        told = worth_measuring(found, answers * records, rest)
        assert sorted(pairs[each] for each in trial.chosen.tolist()) == sorted(told)


_TIE = 1e-9
"""How much more or less a pair is taken to be tied, so that it does not matter which of two that
seem equal comes first: all do where noise explains their differences."""


@settings(max_examples=40)
@example([16, 16, 15], False, 170_455.0, 1e-4, "rho", 0.03, False)
@example([5, 4, 5], False, 100.0, 8.0, "epsilon", 0.03, False)
@given(
    sizes=st.lists(st.integers(2, 40), min_size=2, max_size=6),
    leveled=st.booleans(),
    records=st.floats(100, 1e6),
    amount=st.floats(1e-4, 10),
    currency=st.sampled_from(["epsilon", "rho"]),
    deviation=st.sampled_from([0.0, 0.03, 0.2]),
    marked=st.booleans(),
)
def test_a_pair_is_counted_that_the_rule_of_the_decision_measures_if_it_is_tied_as_usual(
    sizes: list[int],
    leveled: bool,
    records: float,
    amount: float,
    currency: Currency,
    deviation: float,
    marked: bool,
) -> None:
    """The rule is gone through again for each pair, all others being answered about as dealt."""
    schema = category_schema(*sizes)
    if leveled:
        schema = Schema(columns=(grouped((40, 12, 3), "long"), *schema.columns))
    marks = Marks(columns=(schema.names[0],)) if marked else Marks()
    usual = Usual(
        schema, marks.importance(schema.names), records, every_view(schema), column_views(schema)
    )
    allowance = Allowance(amount, currency)
    made = Asking(usual, allowance, allowance, QuestionShares(), deviation)
    times = np.zeros((2, len(made._weighs)))
    for deal in made.deals:
        mean, kept = shrinking(deal.answers, deviation)
        for side, pair in np.ndindex(times.shape):
            own = made._pair == pair
            told = np.where(own, made._tables.shown * USUAL, deal.answers)
            answers = np.maximum(mean + kept * (told - mean), 0.0)
            answers[own] *= 1 + (2 * side - 1) * _TIE
            (again,) = (
                each
                for each in made._trials(answers)
                if (each.rest, each.finest) == (deal.trial.rest, deal.trial.finest)
            )
            times[side, pair] += pair in made._pair[again.chosen]
    counted = np.isfinite(made.counted)
    perhaps, surely = (
        2 * each >= len(made.deals) for each in (times.max(axis=0), times.min(axis=0))
    )
    assert (surely <= counted).all()
    assert (counted <= perhaps).all()


@settings(deadline=None)
@given(
    sizes=st.lists(st.integers(2, 300), min_size=2, max_size=20),
    records=st.integers(100, 10**6),
    epsilon=st.floats(0.01, 10),
    delta=st.sampled_from([0.0, 1e-9]),
)
def test_where_pairs_are_asked_about_no_further_off_is_foreseen_than_of_columns_only(
    sizes: list[int], records: int, epsilon: float, delta: float
) -> None:
    """By the squares by which that is decided, and models are compared. Where answers are so
    certain that relations are never given up, they may cost a usual table more than they gain."""
    schema, budget = category_schema(*sizes), Budget(epsilon, delta)
    learner = CalibratedLearner.within(schema, budget)
    way = learner.way(records)
    if way.scope == "none" or learner._answer_noise(way, records) < CERTAIN:
        return
    asking = expected_errors(learner, records, 1_000)
    terms = Terms(schema, budget, ALL)
    columns = Marginals().foreseen(terms, records, 1_000)
    assert asking.relates
    assert asking.all_pairs < columns.all_pairs


def test_what_is_foreseen_is_what_the_decision_compares() -> None:
    for records, epsilon in ((3_000, 1.0), (20_000, 0.3), (20_000, 3.0)):
        learner = CalibratedLearner.within(
            category_schema(*[4] * 9, 30), Budget(epsilon, 1e-9), steps=Steps(triples=False)
        )
        asking = learner.asking(learner.way(records), records)
        single = asking.usual.by_noise(asking.usual.of_columns(learner.columns, learner.spend))
        one, other = np.triu_indices(len(single), 1)
        columns = asking._strengths**2 + single[one] ** 2 + single[other] ** 2
        foreseen = expected_errors(learner, records, 1_000)
        assert foreseen.all_pairs**2 == pytest.approx(
            asking.remaining_error * columns.mean(), rel=1e-3
        )


def test_with_certain_answers_and_hardly_any_noise_nothing_is_left() -> None:
    assert asking([3] * 6, 1e6, Allowance(100.0, "rho"), 0.0).remaining_error < 1e-5


def test_without_any_hope_what_asking_costs_is_lost() -> None:
    """The share of the budget that the answers cost; no pair is worth measuring then."""
    made = asking([3] * 20, 2_000.0, Allowance(1e-4, "rho"), 1.0)
    assert 1 < made.remaining_error < 1.1
    cheaper = replace(made, columns=Allowance(4e-4, "rho"))
    assert cheaper.remaining_error > 1.5 * made.remaining_error


def test_the_noisier_the_answers_the_less_they_gain() -> None:
    found = [
        asking([3] * 12, 20_000.0, Allowance(1e-3, "rho"), each).remaining_error
        for each in (0.0, 0.1, 1.0)
    ]
    assert found == sorted(found)
    assert found[0] < 0.7


@pytest.mark.parametrize(
    ("name", "epsilon", "choices"),
    [
        ("16 flags", 0.03, 0),
        ("34 mixed", 1.0, 0),
        ("12 loose", 0.3, 0),
        ("16 flags", 0.03, 8),
        ("34 mixed", 1.0, 30),
        ("12 loose", 0.2, 4),
    ],
)
def test_what_is_dealt_leaves_about_as_much_as_what_is_drawn_many_times(
    name: str, epsilon: float, choices: int
) -> None:
    shape, random = picture_shape(name), np.random.default_rng(1)
    learner = CalibratedLearner.within(shape.schema, Budget(epsilon, 1e-9))
    way = Way(every_view(shape.schema), "some" if choices else "all", choices)
    dealt, drawn = learner.asking(way, shape.records), learner.asking(way, shape.records)
    size = (20_000 // len(dealt._one), len(dealt._one))
    strengths = random.choice(usual_strengths(100_000, 1)[0], size)
    noise = random.standard_normal((len(strengths), len(dealt._pair))) * drawn.deviation
    chances = random.gumbel(size=noise.shape) * (drawn.chosen.scale if drawn.chosen else 0.0)
    deals = tuple(map(drawn._divide_deal, strengths, noise, chances))
    vars(drawn).update(_strengths=strengths, deals=deals)
    assert dealt.remaining_error == pytest.approx(drawn.remaining_error, rel=0.1)


@given(choices=st.integers(0, 12), marked=st.booleans(), deal=st.integers(0, 5))
def test_a_pair_would_be_asked_about_if_it_were_chosen_when_tied_as_usual(
    choices: int, marked: bool, deal: int
) -> None:
    """The choice is made again for each pair, all others being tied as dealt."""
    schema = Schema(columns=(grouped((40, 12, 3), "long"), *category_schema(3, 9, 2, 5).columns))
    marks = Marks(together=((schema.names[0], schema.names[2]),)) if marked else Marks()
    importance = marks.importance(schema.names)
    usual = Usual(schema, importance, 9_000, every_view(schema), column_views(schema))
    allowance = Allowance(1e-3, "rho")
    chosen = Chosen(choices, 0.03, 1e-4)
    made = Asking(usual, allowance, allowance, QuestionShares(), 0.03, chosen)
    one = made.deals[deal]
    found = np.zeros(len(made._pair), dtype=bool)
    for pair in range(len(made._one)):
        strengths = made._strengths[deal].copy()
        strengths[pair] = USUAL
        asked, _ = made._ask_about(made._tables.shown * strengths[made._pair], one.chance)
        found[asked[made._pair[asked] == pair]] = True
    assert made._asked_if_usual(one).tolist() == found.tolist()


ASKED = {
    "16 flags": {0.03: "some", 0.1: "all", 0.3: "all", 1.0: "all"},
    "42 mixed": {0.03: "none", 0.1: "some", 0.3: "all", 1.0: "all"},
    "34 mixed": {0.1: "none", 0.3: "none", 0.5: "none", 1.0: "some", 3.0: "all"},
    "50 mixed": {0.03: "none", 0.3: "some", 1.0: "all"},
    "35 mixed": {0.03: "some", 0.1: "all"},
    "17 mixed": {0.03: "none", 0.1: "all"},
    "12 loose": {0.03: "none", 0.1: "none"},
    "24 paired": {0.03: "none", 0.1: "all"},
}
"""Which pairs are asked about where `python -m benchmarks shapes` finds that it gains."""


@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: each.name)
def test_pairs_are_asked_about_where_that_gains_and_foreseen_to_be(shape: TableShape) -> None:
    for epsilon, scope in ASKED.get(shape.name, {}).items():
        learner = CalibratedLearner.within(shape.schema, Budget(epsilon, 1e-9))
        way = learner.way(shape.records)
        assert (way.scope, way.choices > 0) == (scope, scope == "some")
        assert bool(learner.list_candidates(shape.records)) == (scope != "none")
        foreseen = expected_errors(learner, shape.records, 1_000)
        assert bool(foreseen.unrelated) == (scope == "none")
        if scope != "none":
            terms = Terms(shape.schema, Budget(epsilon, 1e-9), ALL)
            columns = Marginals().foreseen(terms, shape.records, 1_000)
            assert foreseen.all_pairs < columns.all_pairs


def test_where_a_usual_table_would_gain_little_a_weak_one_loses_nothing() -> None:
    """48 columns of stays in a hospital, with long lists, of which few pairs hang together."""
    schema = category_schema(*[2] * 28, *[20] * 8, *[60, 60, 120, 250, 400, 400, 900, 900, 900])
    learner = CalibratedLearner.within(schema, SMALL)
    assert ENOUGH < learner._expected_left(Way(every_view(schema), "all"), 60_000) < 1
    assert learner.way(60_000).scope == "none"


def test_where_answers_are_nearly_certain_relations_are_never_given_up() -> None:
    """A long list makes pairs dear for a usual table, and four short columns may be strong ones."""
    schema = category_schema(900, 8, 5, 12, 4)
    learner = CalibratedLearner.within(schema, Budget(1.0, 1e-9))
    assert learner._expected_left(Way(every_view(schema), "all"), 9_000) > 1
    assert learner._answer_noise(Way(every_view(schema), "all"), 9_000) < 0.01
    assert learner.way(9_000).scope == "all"


def typical_pair(epsilon: float, steps: Steps) -> float:
    """Of 16 flags of one cause."""
    learned, held_out, _ = picture_shape("16 flags").parts(1, 18_000, 8_000)
    source = RandomSource.fixed(1)
    learner = CalibratedLearner.within(learned.schema, Budget(epsilon, 1e-9), steps=steps)
    model = learner.learn(learned, Noise(source), source.child())
    drawn = np.ascontiguousarray(model.network.records(8_000, source).T)
    return distances(Records(learned.schema, drawn), held_out).typical_pair


def test_at_a_small_epsilon_relations_are_not_given_up_where_they_can_be_kept() -> None:
    """At ε = 0.1 the typical pair is a fifth as far off as of columns by themselves."""
    columns = typical_pair(0.1, Steps(pairs=False))
    assert columns > 0.15
    assert typical_pair(0.1, Steps()) < 0.045


def test_where_no_pair_was_worth_measuring_the_model_is_the_columns() -> None:
    records = Records(
        category_schema(*[4] * 6),
        np.random.default_rng(5).integers(0, 4, (9_000, 6)).astype(np.uint16),
    )
    learner = CalibratedLearner.within(records.schema, Budget(1.0, 1e-9))
    found = learner.learn(records, Noise(RandomSource.fixed(1)), RandomSource.fixed(2))
    assert found.misfits
    assert len(found.measured) == 6
    assert found.network.structure.edges == ()
    for each, law in zip(found.measured, found.network.tables, strict=True):
        shares = law.weights[0] / law.weights[0].sum()
        assert shares == pytest.approx(each.counts / found.records, abs=1e-6)
