"""The census evaluation in words: what the published text says of its tables and figures and
whether it holds here, how every number is defined, and the errors of the paper of 2017 and of
the same parts of the dissertation of 2018.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

import numpy as np
from scipy.optimize import brentq
from scipy.stats import hypergeom

from understudy.evaluation.evaluation import Evaluation
from understudy.evaluation.measure import MARGINALS, WITHOUT_NOISE, BreakdownEntry, SubjectResult
from understudy.evaluation.measures.model_accuracy import FOREST, GUESS
from understudy.mechanisms.errata import DISSERTATION, PAPER, Errata, Erratum
from understudy.models.bayesnet.structure import entropy_sensitivity, published_count
from understudy.models.omega import Omega
from understudy.privacy.accounting.published_figures import published_k
from understudy.studies.comparison import StudyClaim
from understudy.studies.reproduction import Definition
from understudy.studies.seedbased import publication
from understudy.studies.seedbased.evaluation import LEAF, Passing, Timed
from understudy.studies.seedbased.publication import Found
from understudy.studies.seedbased.setting import PUBLISHED_ROWS, UNNOISED, SeedbasedStudySetting

MISSING = "–"


def format_percent(value: float | None) -> str:
    """Return a number that is in percent already."""
    return MISSING if value is None else f"{value:.1f}"


def format_share(value: float | None) -> str:
    """Return a share between 0 and 1 in percent."""
    return MISSING if value is None else f"{100 * value:.1f}".replace("-", "−")


def format_ratio(value: float | None) -> str:
    """Return a multiple, or a part of the way."""
    return MISSING if value is None else f"{value:.2f}".replace("-", "−")


def format_interval(low: float | None, high: float | None) -> str:
    """Return the two ends of an interval, in percent."""
    return MISSING if low is None or high is None else f"{low:.1f} to {high:.1f}"


def format_distance(value: float | None) -> str:
    """Return a distance between 0 and 1."""
    return MISSING if value is None else f"{value:.4f}"


def format_seconds(value: float) -> str:
    """Return seconds, or milliseconds where they are few, to about two digits."""
    if value < 0.1:
        return f"{1000 * value:.2g} ms"
    return f"{value:.2g} s" if value < 10 else f"{value:,.0f} s"


ByColumn = Mapping[str, Mapping[str, float]]
"""By kind of model, then by column, a share."""

_KEPT: Final = 0.75
_NEAR: Final = 0.015
_GRAPH: Final = ("RAC1P", "WAOB")
"""The columns whose gain the text says changes with the noise."""


def improvement_claims(kinds: ByColumn) -> tuple[StudyClaim, ...]:
    """Claim of Figure 1 a gain over the marginals, most of which noise leaves."""
    means = {name: float(np.mean(list(columns.values()))) for name, columns in kinds.items()}
    said = ", ".join(f"{name} {mean:.1%}" for name, mean in means.items())
    whole = means.get(WITHOUT_NOISE)
    others = [mean for name, mean in means.items() if name != WITHOUT_NOISE]
    known = whole is not None and bool(others)
    return (
        StudyClaim(
            "Models are clearly more accurate than the private marginals.",
            "Figure 1",
            f"Average shares of errors avoided: {said}." if said else "",
            min(means.values()) > 0 if known else None,
            "every average is above 0",
        ),
        StudyClaim(
            "At ε = 1 and at ε = 0.1 the gain is comparable to that without noise.",
            "Figure 1",
            f"Averages: {said}." if said else "",
            min(others) >= _KEPT * whole if known and whole is not None else None,
            f"each average is at least {_KEPT:.0%} of the one without noise",
        ),
        _graph_claim(kinds),
    )


def _graph_claim(kinds: ByColumn) -> StudyClaim:
    one, tenth = (kinds.get(f"ε = {publication.MODEL_EPSILON / by:g}", {}) for by in (1, 10))
    changes = {name: abs(one[name] - tenth[name]) for name in one if name in tenth}
    most = sorted(changes, key=lambda name: -changes[name])[: len(_GRAPH)]
    return StudyClaim(
        f"Noise changes the graph, and with it the gain of {' and '.join(_GRAPH)} most.",
        "Figure 1",
        ", ".join(f"{name} changes by {changes[name]:.1%}" for name in most) + "." if most else "",
        set(most) == set(_GRAPH) if len(changes) > len(_GRAPH) else None,
        because=""
        if set(most) == set(_GRAPH) or not most
        else "columns of simulated people depend on others than those of the survey's do",
    )


def model_claims(kinds: ByColumn) -> tuple[StudyClaim, ...]:
    """Compare in Figure 2 the model with the marginals, a guess and the forest."""
    model, forest = kinds.get(WITHOUT_NOISE, {}), kinds.get(FOREST, {})
    lower = [kinds[name] for name in (UNNOISED, GUESS) if name in kinds]
    known = bool(model and lower)
    ahead = [
        name for name in model if all(model[name] > each.get(name, 1) + 0.01 for each in lower)
    ]
    shared = [name for name in model if name in forest]
    above = [name for name in shared if forest[name] > model[name]]
    means = [float(np.mean([each[name] for name in shared])) for each in (model, forest) if shared]
    said = "" if not shared else f"Averages: model {means[0]:.1%}, forest {means[1]:.1%}."
    return (
        StudyClaim(
            "In many cases the model is significantly more accurate than marginals and a guess.",
            "Figure 2",
            f"By more than a point in {len(ahead)} of {len(model)} columns." if known else "",
            2 * len(ahead) > len(model) if known else None,
            "by more than a percentage point in more than half of the columns",
        ),
        StudyClaim(
            "A random forest is sometimes more accurate than the model.",
            "Figure 2",
            f"In {len(above)} of {len(shared)} columns." if shared else "",
            bool(above) if shared else None,
        ),
        StudyClaim(
            "The model does not perform as well as the random forest.",
            "Figure 2",
            said,
            means[1] > means[0] if shared else None,
            "the forest's average is higher",
            because="people are simulated from a graph much like the model's own"
            if shared and means[1] <= means[0]
            else "",
        ),
    )


def single_claim(evaluation: Evaluation, key: str) -> StudyClaim:
    """Check that the marginals are competitive on single columns."""
    found = _distances(evaluation, key)
    return StudyClaim(
        "The marginals are competitive on single columns.",
        "Figure 3",
        _list_medians(found),
        None if not _has_marginals(found) else not _above(found[MARGINALS], _synthetic(found)),
        "the interval of their median, at 95 %, does not lie above that of every synthetic table",
    )


def pairs_claim(evaluation: Evaluation, key: str) -> StudyClaim:
    """Check that the marginals are clearly worse than every synthetic table on pairs of columns."""
    found = _distances(evaluation, key)
    return StudyClaim(
        "The marginals are clearly worse on pairs of columns.",
        "Figure 4",
        _list_medians(found),
        None if not _has_marginals(found) else _above(found[MARGINALS], _synthetic(found)),
        "the interval of their median, at 95 %, lies above that of every synthetic table",
    )


def classification_claim(found: Found) -> StudyClaim:
    """Claim that accuracy and agreement of synthetic tables are nearer to those of real records."""
    apart = [
        _beyond(part, found[quantity][MARGINALS])
        for quantity in publication.CLASSIFICATION.quantities
        if MARGINALS in found.get(quantity, {})
        for name, part in found[quantity].items()
        if name.startswith("ω = ")
    ]
    return StudyClaim(
        "Accuracy and agreement of synthetic tables are significantly closer to those of real "
        "records than the marginals' are.",
        "Table 3",
        f"{sum(apart)} of {len(apart)} numbers lie beyond the marginals'." if apart else "",
        all(apart) if apart else None,
        "no interval, at 95 %, overlaps that of the marginals",
    )


def linear_claims(found: Found) -> tuple[StudyClaim, ...]:
    """Compare classifiers from synthetic tables with private training."""
    logistic, machine = (found.get(each, {}) for each in publication.LINEAR.quantities)
    return (
        _private(logistic, (publication.OUTPUT, publication.OBJECTIVE), 0.0,
                 "Logistic regression from synthetic tables outperforms private training.",
                 "every ω is more accurate than both kinds of private training"),
        _private(machine, (publication.OBJECTIVE,), -_NEAR,
                 "A linear SVM from synthetic tables is only about 1 % less accurate than "
                 "objective perturbation.",
                 f"no ω is more than {100 * _NEAR:g} percentage points behind"),
    )  # fmt: skip


def _private(
    found: Mapping[str, BreakdownEntry], ways: Sequence[str], by: float, said: str, rule: str
) -> StudyClaim:
    """Claim that every ω is at least by so much more accurate than these ways of private
    training."""
    values = [part.value for name, part in found.items() if name.startswith("ω = ")]
    best = [found[name].value for name in ways if name in found]
    known = bool(values) and len(best) == len(ways)
    named = ", ".join(f"{name} {value:.1%}" for name, value in zip(ways, best, strict=False))
    return StudyClaim(
        said,
        "Table 4",
        f"{named}; ω {min(values):.1%} to {max(values):.1%}." if known else "",
        min(values) > max(best) + by if known else None,
        rule,
        ""
        if known and min(values) > max(best) + by
        else "of so many records objective "
        "perturbation loses next to nothing, with λ picked on real records at no price",
    )


def distinguishing_claim(found: Found) -> StudyClaim:
    """Claim that synthetic records are told from real ones much less well than the marginals'
    are."""
    below = []
    for quantity in publication.DISTINGUISHING.quantities:
        each = found.get(quantity, {})
        if MARGINALS in each:
            below += [
                _beyond(each[MARGINALS], part)
                for name, part in each.items()
                if name.startswith("ω = ")
            ]
    return StudyClaim(
        "Synthetic records are told from real ones much less well than records of the marginals.",
        "Table 5",
        f"{sum(below)} of {len(below)} numbers lie below the marginals'." if below else "",
        all(below) if below else None,
        "every interval, at 95 %, lies below that of the marginals",
    )


def timing_claim(timed: Sequence[Timed]) -> StudyClaim:
    """Return the claim that one core makes 10,000 records in less than ten minutes."""
    wanted = publication.TIMED_RECORDS
    found = next((each for each in timed if each.records == wanted), None)
    return StudyClaim(
        f"One core makes {wanted:,} records in less than "
        f"{publication.TIMED_SECONDS / 60:.0f} minutes, {wanted / publication.TIMED_SECONDS:.0f} a "
        f"second or more (ω = {publication.TIMED_OMEGA}).",
        "Figure 5",
        ""
        if found is None
        else f"{format_seconds(found.seconds)}, {found.records / found.seconds:,.0f} a second.",
        None if found is None else found.seconds < publication.TIMED_SECONDS,
    )


def passing_claims(passing: Sequence[Passing]) -> tuple[StudyClaim, ...]:
    """Claim of Figure 6 that more than half pass at k = 100, and fewer the larger k and the smaller
    ω are."""
    low, high = publication.PASSING_OMEGA
    wanted = str(Omega(low=low, high=high))
    found = next((each for each in passing if each.omega == wanted), None)
    k = publication.PASSING_K
    rate = None if found is None else found.published_at(k)
    falls = [all(np.diff(each.published) <= 0) for each in passing if min(each.published) < 1]
    fixed = [each for each in passing if "-" not in each.omega]
    by_omega = [each.published_at(k) for each in sorted(fixed, key=lambda each: int(each.omega))]
    return (
        StudyClaim(
            f"More than half of the candidates pass at k = {k} where ω is drawn from {wanted} "
            f"(γ = {publication.PASSING_GAMMA:g}).",
            "Figure 6",
            ""
            if found is None
            else f"{rate:.1%} pass where counting stops as published, {found.at(k):.1%} where "
            "all plausible seeds count.",
            None if rate is None else rate > publication.PASSING_RATE,
        ),
        StudyClaim(
            "The share falls as k grows.",
            "Figure 6",
            f"For {sum(falls)} of {len(falls)} ω." if falls else "",
            all(falls) if falls else None,
            "for every ω that is tested at all no larger k passes more, on average",
        ),
        StudyClaim(
            "The smaller ω is, the harder it is to pass.",
            "section 8",
            ", ".join(f"{rate:.1%}" for rate in by_omega) + " from the smallest fixed ω up."
            if by_omega
            else "",
            by_omega == sorted(by_omega) if len(by_omega) > 1 else None,
        ),
    )  # fmt: skip


def _beyond(one: BreakdownEntry, other: BreakdownEntry) -> bool:
    """Return whether the interval of one lies above that of another; values stand for unknown
    ones."""
    low = one.value if one.interval is None else one.interval.low
    return low > (other.value if other.interval is None else other.interval.high)


def _distances(evaluation: Evaluation, key: str) -> Mapping[str, SubjectResult]:
    finding = evaluation.finding(key)
    return {} if finding is None else finding.by_subject


def _synthetic(found: Mapping[str, SubjectResult]) -> list[SubjectResult]:
    return [each for name, each in found.items() if name.startswith("ω = ")]


def _has_marginals(found: Mapping[str, SubjectResult]) -> bool:
    return MARGINALS in found and bool(_synthetic(found))


def _above(one: SubjectResult, others: Sequence[SubjectResult]) -> bool:
    """Return whether the interval of one lies above those of all others; values stand for those not
    known."""
    low = one.value if one.interval is None else one.interval.low
    return all(
        low > (each.value if each.interval is None else each.interval.high) for each in others
    )


def _list_medians(found: Mapping[str, SubjectResult]) -> str:
    medians = ", ".join(f"{name} {each.value:.4f}" for name, each in found.items())
    return f"Medians: {medians}." if found else ""


_FULL: Final = SeedbasedStudySetting.of(len(publication.CARDINALITIES))

DEFINITIONS: Final = (
    Definition(
        "Tables 1 and 2",
        f"{publication.RECORDS:,} clean records of the American Community Survey of 2013; values "
        "of each column, possible records, and those that occur once.",
        f"The same of {PUBLISHED_ROWS:,} simulated people.",
        "the survey is not here; possible records are the product of the values, which the printed "
        "number is not",
    ),
    Definition(
        "Table 3",
        f"Trees, forests and AdaBoostM1 trained on {publication.TRAINING:,} records or more, "
        f"tested on a disjoint set of at least 30 % as many; the average of {publication.RUNS} "
        "runs with other samples. Agreement: with a classifier trained on real records.",
        f"Trained on {_FULL.most:,} records, tested on as many held-out ones, once; the interval "
        f"is of {_FULL.repeats} more fits, each without a fifth. Agreement as published, with a "
        "classifier trained on seeds.",
        "one fit of all records says more than the mean of several, and blocks give the interval; "
        "which base learner AdaBoostM1 had was not printed (stumps here)",
    ),
    Definition(
        "Table 4",
        "Logistic regression and SVM, with output and objective perturbation at ε = 1 by the "
        "code of their authors; one-hot features in [0, 1], rows of a norm of at most 1; λ of "
        "10⁻³ to 10⁻⁶, picked on the classifier without noise.",
        "The same, by an implementation of our own from the publication.",
    ),
    Definition(
        "Table 5",
        f"{publication.DISTINGUISHED:,} real and {publication.DISTINGUISHED:,} synthetic records "
        "to learn from, tested on as many of each that were not learned from.",
        f"The same: half of {_FULL.most:,} of each.",
    ),
    Definition(
        "Figure 1",
        "Errors of the most likely value given all others, relative to those of private marginals, "
        f"on records of the input, drawn millions of times; the average of {publication.MODELS} "
        "models at each ε.",
        f"The same on {_FULL.tested:,} held-out records, {_FULL.models} models: "
        f"{_FULL.tested * _FULL.models:,} guesses at each ε and column.",
        "records that nothing was learned from",
    ),
    Definition(
        "Figure 2",
        "The model without noise beside marginals without noise, a guess, and a random forest "
        "trained on as many records as the model.",
        f"The same: the forest learns from {publication.PARAMETERS:,} records, with leaves of "
        f"{LEAF} or more; private marginals stand beside.",
        "the text has the best classifier that was found without its settings, and trees that are "
        "grown out know less",
    ),
    Definition(
        "Figures 3 and 4",
        "Total variation of every column, and of every pair, from other real records, as box "
        "plots; the number of records is not said.",
        f"The same, of {_FULL.most:,} records each.",
    ),
    Definition(
        "Figure 5",
        "Seconds of one core until so many candidates are made, those that fail the test "
        f"included; the test stops at {publication.TIMED_PLAUSIBLE} plausible seeds or after "
        f"{publication.TIMED_EXAMINED:,} of {publication.SEEDS:,}.",
        f"Seconds until so many records are released, with the candidates made; all "
        f"{publication.SEEDS:,} seeds count, by an index. The share that passes is given for both.",
        "released records are what is wanted, and an exact count costs no more; it is also what "
        "the guarantee is proven for",
    ),
    Definition(
        "Figure 6",
        f"The share of candidates that pass at γ = {publication.PASSING_GAMMA:g}, where plausible "
        f"seeds are counted among {publication.PASSING_EXAMINED:,} of {publication.SEEDS:,}, drawn "
        "at random for each candidate.",
        "The same, and beside it where all seeds count, as a run here does; expected shares, over "
        f"the noise on k, of {_FULL.scored:,} candidates of each ω.",
        "both are printed: a limit on what is looked at lets fewer pass and saves nothing here",
    ),
)


_ATTRIBUTES: Final = len(publication.CARDINALITIES)


def passes(count: int, k: int, epsilon0: float) -> float:
    """Return the chance that so many plausible seeds pass the randomised test."""
    over = epsilon0 * (count - k)
    return 1 - math.exp(-over) / 2 if over >= 0 else math.exp(over) / 2


def rejected_beyond_delta() -> float:
    """Return, of 400 equal records and one more that differs, the chance of a rejection beyond e^ε
    times that without it, over the printed δ. The model is the identity."""
    records, k, t, gamma, epsilon0 = 400, 20, 5, 2.0, 1.0
    one = 1 - passes(records, k, epsilon0)
    other = (records * one + 1 - passes(1, k, epsilon0)) / (records + 1)
    epsilon = epsilon0 + math.log1p(gamma / t)
    delta = math.exp(-epsilon0 * (k - t))
    return (other - math.exp(epsilon) * one) / delta


def passes_early(count: int, records: int, examined: int, k: int, epsilon0: float) -> float:
    """Return the chance of passing if so many of the records, at random, are looked at."""
    found = np.arange(min(count, examined) + 1)
    chances = hypergeom.pmf(found, records, count, min(examined, records))
    passing = np.array([passes(int(each), k, epsilon0) for each in found])
    return float(chances @ passing)


def other_partition_falls() -> float:
    """Return by how many times q of a partition falls as a record joins another one, if the
    published tool looks at twenty records."""
    return passes_early(20, 20, 20, 25, 1.0) / passes_early(20, 21, 20, 25, 1.0)


def advanced_over_basic() -> float:
    """Return what each column's counts may spend by basic composition, over what advanced
    composition gives them."""
    delta = publication.DELTA

    def total(each: float) -> float:
        m = _ATTRIBUTES
        return each * math.sqrt(2 * m * math.log(1 / delta)) + m * each * math.expm1(each) - 1

    return 1 / _ATTRIBUTES / float(brentq(total, 1e-6, 1.0))


def mean_over_mode() -> float:
    """Return the mode of a share over its mean, of counts 3 and 1 and a prior of 2 and 2."""
    return ((3 + 2 - 1) / (4 + 4 - 2)) / ((3 + 2) / (4 + 4))


def least_k(epsilon: float, delta: float) -> int:
    """Return the smallest k with which one release of the second test keeps to ε and δ."""
    k = 2
    while not any(
        math.log(1 / delta) / (k - t) + math.log1p(1 / t) <= epsilon for t in range(1, k)
    ):
        k += 1
    return k


def strings(length: int) -> Iterator[tuple[int, ...]]:
    """Yield all strings of zeros and ones."""
    yield from product((0, 1), repeat=length)


def hybrid(seed: Sequence[int], made: Sequence[int], share: float) -> float:
    """Return the chance of a string by the hybrid model of Example 3.6."""
    length, ones = len(seed), sum(seed)
    alike = 1 / math.comb(length, ones) if sum(made) == ones else 0.0
    return share * alike + (1 - share) * 0.5**length


def hybrid_sensitivity(share: float) -> float:
    """Return the largest relative sensitivity of the hybrid model, of three strings of four."""
    records = [(0, 0, 0, 0), (0, 0, 0, 1), (0, 0, 1, 1)]
    ratios = []
    for made in strings(4):
        chances = [hybrid(each, made, share) for each in records]
        whole = sum(chances) / len(records)
        for at in range(len(records)):
            without = (sum(chances) - chances[at]) / (len(records) - 1)
            ratios += [whole / without, without / whole]
    return max(ratios)


_OF_PAPER: Final = (
    Erratum(
        "Theorem 1, proof (dissertation: Theorems 4.1, 4.2)",
        "The range of the mechanism is U, so any outcome is a set of records.",
        "It may also release nothing, and who learns that learns of a record.",
        "A pass cap, or a run that tells nothing of rejections: docs/guarantee.md.", "unsafe",
        "Pr{⊥ | one more} beyond e^ε·Pr{⊥}, over δ: 400 equal records, k = 20, t = 5, ε0 = 1",
        rejected_beyond_delta,
    ),
    Erratum(
        "Theorem 1", "δ = e^{−ε0(k − t)}.", "Laplace noise reaches so far with half that chance.",
        "δ = ½e^{−ε0(k − t)}; with geometric noise e^{−ε0(k − t)}/(1 + e^{−ε0}).", "loose",
        "δ, k = 50, t = 29, ε0 = 1",
        lambda: math.exp(-21) / passes(29, 50, 1.0),
    ),
    Erratum(
        "Section 5, Lemma C.12 (a)",
        "max_check_plausible affects performance, but not privacy; and a record that joins one "
        "partition leaves q of all others as it was.",
        "Where so many records are looked at, one that joins crowds out others, and q of their "
        "partitions falls. Corollary C.13 fails with it, and what is proven here of rejections.",
        "Count all plausible seeds, as here. With the limit ε and δ still hold for what is "
        "released (docs/guarantee.md), with e^{ε0}(1 + 1/n) in the place of 1 + 1/k.",
        "proves nothing",
        "q without the record over q with it: 20 looked at of 20 and 21, k = 25, ε0 = 1",
        other_partition_falls,
    ),
    Erratum(
        "3.5 (dissertation: 6.2.5)", "Structure learning takes m(m + 1) entropies.",
        "That leaves out those of two parents with each other, which (6.14) needs: "
        f"{_ATTRIBUTES * (_ATTRIBUTES + 1)} are paid for and "
        f"{published_count(_ATTRIBUTES)} asked for, of {_ATTRIBUTES} columns.",
        "m(m + 1) + m(m − 1)/2.", "unsafe", f"entropies, m = {_ATTRIBUTES}",
        lambda: published_count(_ATTRIBUTES) / (_ATTRIBUTES * (_ATTRIBUTES + 1)),
    ),
    Erratum(
        "Appendix B, Lemma 1 (dissertation: A.1)",
        "An entropy moves by up to (2 + 1/ln 2 + 2 log₂ n)/n.",
        "Proven for a record that is replaced, where the guarantee is for one more or less.",
        "(log₂ n + 1/ln 2)/n for one more or less: docs/guarantee.md.", "loose",
        f"Δ_H, n = {publication.STRUCTURE:,}",
        lambda: (2 + 1 / math.log(2) + 2 * math.log2(publication.STRUCTURE)) / publication.STRUCTURE
        / entropy_sensitivity(publication.STRUCTURE),
    ),
    Erratum(
        "3.3.1 (dissertation: (6.20))", "Δ_H is worked out at a noisy number of records.",
        "Where the noise is above 0 that is less than Δ_H, and too little noise is added.",
        "A lower bound on the number, which is missed with a chance that is part of δ.", "unsafe",
        "Δ_H at n = 1,000 over that at a noisy number of 1,010",
        lambda: entropy_sensitivity(1_000) / entropy_sensitivity(1_010),
    ),
    Erratum(
        "3.5 (dissertation: 6.2.5)", "Advanced composition is used for the counts of the columns.",
        "Of so few columns it allows less than basic composition does.",
        "The best of several compositions.", "loose",
        f"ε of a column's counts, m = {_ATTRIBUTES}, ε = 1, δ = 2^−30", advanced_over_basic,
    ),
    Erratum(
        "(13) (dissertation: (6.23))", "(α + n)/Σ(α + n) are the most likely parameters.",
        "They are the mean of the posterior, and not its mode.", "The posterior mean.", "wrong",
        "the mode of a share over its mean, α = 2, 2, n = 3, 1", mean_over_mode,
    ),
    Erratum(
        "Table 2 (dissertation: Table 8.2)", f"{publication.POSSIBLE:,} records are possible.",
        "That takes 79 ages and 99 numbers of hours, where Table 1 has 80 and 100.",
        f"{math.prod(publication.CARDINALITIES.values()):,}.", "a misprint", "possible records",
        lambda: math.prod(publication.CARDINALITIES.values()) / publication.POSSIBLE,
    ),
)  # fmt: skip

_OF_DISSERTATION: Final = (
    Erratum(
        "2.1, 6.3.1, 9.2, 10.2", "Gaus(μ, σ) has the standard deviation σ; Gaus(0, βI) is used.",
        "There β is a variance.", "Codes get noise of variance β.", "a misprint",
        "the standard deviation of β = 0.8", lambda: math.sqrt(0.8) / 0.8,
    ),
    Erratum(
        "Example 3.6", "The closer b is to 1, the smaller the relative sensitivity.",
        "b is the share of the model that depends on its seed.", "The closer b is to 0.", "wrong",
        "relative sensitivity at b = 0.9 over that at b = 0.1, of 0000, 0001 and 0011",
        lambda: hybrid_sensitivity(0.9) / hybrid_sensitivity(0.1),
    ),
    Erratum(
        "(4.3), Tests 4.1 and 4.2", "i is the unique positive integer with r^{−i−1} < p ≤ r^{−i}.",
        "A likelihood above 1/r has i = 0.", "i ≥ 0; for densities any integer.", "a misprint",
        "read", None,
    ),
    Erratum(
        "Observation 4.2", "κ ≥ t leaves a record a share of the likelihood of at most 1/t.",
        "Its own likelihood is part of the whole.", "1/(t + 1).", "loose", "the share, t = 5",
        lambda: (1 / 5) / (1 / 6),
    ),
    Erratum(
        "Lemma 4.1, Theorem 4.2, proofs", "“Less than” in the one, Σ over D in the other.",
        "Ties belong to it; the sum is over the smaller data set.", "≤, and D⋆.", "a misprint",
        "read", None,
    ),
    Erratum(
        "Theorem 4.2", "Pr{y | D1} ≤ e^ε·Pr{y | D2} + δ(t) for every y.",
        "Added up over the outcomes of a set that is as many δ.",
        "δ(t) for every set: the proof gives each y a part of it (docs/guarantee.md).", "loose",
        "δ added up over the records of four flags", lambda: float(len(list(strings(4)))),
    ),
    Erratum(
        "(4.6), k = 2t", "k and ε0 follow from advanced composition with k = 2t.",
        "Of few releases it asks for far more than is needed.",
        "k, t, ε0 and δ are searched for with the best composition.", "loose",
        "k, one release, ε = 1, δ = 2^−40",
        lambda: (published_k(1.0, 2.0**-40, 1, 1.0) or math.inf) / least_k(1.0, 2.0**-40),
    ),
    Erratum(
        "Lemma 5.1", "η̃ = ((1 + 1/|D|)η − 1)^{−1}.",
        "Definition 3.3 compares n records with n − 1, so the factor is n/(n − 1).",
        "η̃ = (η·n/(n − 1) − 1)^{−1}.", "wrong", "the factor, n = 10",
        lambda: (10 / 9) / (1 + 1 / 10),
    ),
)  # fmt: skip

ERRATA: Final = (
    Errata(PAPER, "", _OF_PAPER),
    Errata(DISSERTATION, "Chapters 2 to 6 and 8, beside what the paper has too", _OF_DISSERTATION),
)
