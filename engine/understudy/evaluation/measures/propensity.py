"""Propensity scores (pMSE) of a logistic regression and of a classification tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse, special
from scipy.sparse.linalg import LinearOperator, cg

from understudy.core.arrays import BoolArray, FloatArray, IntArray, ShortFloatArray
from understudy.core.refusal import Refusal
from understudy.evaluation.cells import renumber_cells
from understudy.evaluation.classifiers import codes
from understudy.evaluation.intervals import (
    BLOCKS,
    block_jackknife,
    cut_to_range,
    deal,
    half_samples,
)
from understudy.evaluation.measure import (
    About,
    BreakdownEntry,
    Interval,
    Study,
    SubjectResult,
    Table,
    sample_of,
)
from understudy.table.records import Records

# Propensity scores: how well a classifier separates a table from held-out records (pMSE).
#
# pMSE = (1/N) Σ(p̂ᵢ − c)² over the N records of both, p̂ᵢ being the probability that record i is of
# the table, as fitted to these very records, and c the share that is. It is 0 where nothing tells
# them apart and c(1 − c) = 0.25 where everything does; what a classifier fits by chance is in it
# too. So it is also given beside its null: the expectation and the standard deviation for a table
# that is as unlike the held-out records as other records of the same law.
#
# Snoke, Raab, Nowok, Dibben and Slavković (2018) give that null for a table made from the very
# records it is compared with: their expectation is (k − 1)(1 − c)²c/N for a logistic regression of
# k parameters. Ours is compared with records that nothing was made from, so the differences by
# chance of *both* count, and all of it is 1/(1 − c) = 2 times as much.

Form = Literal["pMSE", "ratio", "standardised"]

LARGEST = 0.25
"""pMSE where the separation is perfect and both tables have the same number of records."""

SOURCE = "Snoke, Raab, Nowok, Dibben and Slavković (2018)"


@dataclass(frozen=True, eq=False)
class Pooled:
    """Records of a table pooled with as many held-out ones. Confidential.

    Attributes:
        records: N of them.
        made: (N,) whether each is of the table.
        block: (N,) the block of each; every block has records of both.
        blocks: how many blocks there are.
    """

    records: Records
    made: BoolArray
    block: IntArray
    blocks: int

    @classmethod
    def of(cls, table: Records, study: Study) -> Pooled:
        """Return the pooled records of one table; the larger side is cut to the smaller at random.

        Raises:
            Refusal: there are fewer than two records on a side.
        """
        size = min(len(table), len(study.held_out))
        if size < 2:
            raise Refusal(
                "Fewer than two records were held out.", "Hold more out, to compare tables with."
            )
        random = study.random("propensity")
        sides = [sample_of(each, size, random) for each in (study.held_out, table)]
        blocks = min(BLOCKS, size)
        return cls(
            Records(study.held_out.schema, np.concatenate([each.codes for each in sides])),
            np.repeat([False, True], size),
            np.concatenate([deal(size, random, blocks) for _ in sides]),
            blocks,
        )

    def __len__(self) -> int:
        return len(self.made)

    def halves(self, times: int, random: np.random.Generator) -> Iterator[BoolArray]:
        """`times` masks (N,) of half the records of either side, drawn at random."""
        size = len(self) // 2
        for _ in range(times):
            yield np.concatenate([deal(size, random, 2) for _ in range(2)]) == 0


@dataclass(frozen=True)
class PropensityFit:
    """The fit of one classifier to one table. Internal.

    Attributes:
        value: pMSE.
        interval: where pMSE lies.
        expected: of pMSE under the null.
        error: its standard deviation under the null.
        parts: pMSE by column.
    """

    value: float
    interval: Interval
    expected: float
    error: float
    parts: tuple[BreakdownEntry, ...]


@dataclass(frozen=True)
class Propensity:
    """A measure by one classifier: pMSE, or pMSE relative to its null.

    Attributes:
        about: what it says of itself.
        told: fits the classifier.
        form: pMSE; how many times the null's expectation it is; or by how many standard
            deviations of the null it exceeds that.
    """

    about: About
    told: Callable[[Pooled, Study], PropensityFit]
    form: Form

    def measure(self, study: Study) -> dict[str, SubjectResult]:
        """Return what it says of every table.

        Raises:
            Refusal: there are too few held-out records.
        """
        return study.each(lambda table: self._of(table, study))

    def _of(self, table: Table, study: Study) -> SubjectResult:
        told = study.once(
            f"propensity {self.told.__name__} {table.name}",
            lambda: self.told(Pooled.of(table.records, study), study),
        )
        ends = Interval(*(self._form(told, end) for end in (told.interval.low, told.interval.high)))
        return SubjectResult(
            self._form(told, told.value),
            cut_to_range(ends, self.about.low, self.about.high),
            told.parts if self.about.parts else (),
        )

    def _form(self, told: PropensityFit, value: float) -> float:
        if self.form == "pMSE":
            return value
        if self.form == "ratio":
            return value / told.expected if told.expected else 1.0
        return (value - told.expected) / told.error if told.error else 0.0


def three_forms(
    told: Callable[[Pooled, Study], PropensityFit],
    *,
    key: str,
    classifier: str,
    seen: str,
    breakdown: str,
    by: str,
) -> tuple[Propensity, Propensity, Propensity]:
    """Return pMSE of a classifier, pMSE as a ratio to its null, and pMSE standardised by it.

    Args:
        told: fits the classifier.
        key: of the first; the others add “-ratio” and “-standardised”.
        classifier: what fits the probabilities, with its article.
        seen: what the classifier tells records apart by, in the plural.
        breakdown: what pMSE of each column is, as the end of a sentence.
        by: what a table cannot be told from real records by, where it is close to 0.
    """

    def about(form: Form, name: str, sentence: str, low: float, high: float) -> About:
        return About(
            key=key if form == "pMSE" else f"{key}-{form}",
            name=f"{name} of {classifier}",
            sentence=sentence,
            low=low,
            high=high,
            better="lower",
            group="propensity",
            unit="number",
            parts="column" if form == "pMSE" else "",
            source=SOURCE,
            ideal={"pMSE": None, "ratio": 1.0, "standardised": 0.0}[form],
            headline=form == "pMSE",
        )

    raw = (
        f"How well {seen} give away whether a record is of the table or a held-out one: 0 if not "
        f"at all, 0.25 if always. The breakdown says {breakdown}."
    )
    ratio = (
        f"How many times as well {seen} give away a record of the table as they would by chance "
        "if it were made of other real records: 1 is as hard to tell as real ones."
    )
    standardised = (
        "By how many standard deviations pMSE exceeds what it is by chance for other real "
        f"records: between −2 and 2 the table cannot be told from them by {by}."
    )
    return (
        Propensity(about("pMSE", "pMSE", raw, 0, LARGEST), told, "pMSE"),
        Propensity(about("ratio", "pMSE ratio", ratio, 0, math.inf), told, "ratio"),
        Propensity(
            about("standardised", "Standardised pMSE", standardised, -math.inf, math.inf),
            told,
            "standardised",
        ),
    )


def pmse(probability: FloatArray, made: BoolArray) -> float:
    """Return (1/N) Σ(p̂ᵢ − c)², c being the share of `made`; in [0, c(1 − c)] for a fitted
    classifier."""
    return float(np.square(probability - made.mean()).mean())


# pMSE of a logistic regression on indicators of values, without interactions.
#
# Each value of each column has its own coefficient; combinations have none, so it sees differences
# between columns' shares and nothing of how columns go together. There is no penalty beyond what
# keeps the coefficient of a value that only one side has finite.

MOST_COEFFICIENTS = 2_000
"""Where the columns have more values than this, values are taken together, the rare ones first."""

_RIDGE = 1e-6
_ENOUGH = 1e-6
_STEPS = 60

FEWEST_EACH = 5
"""The null is that of many records: with fewer of them to a coefficient it is too narrow, and a
regression with as many coefficients as records separates any two tables."""

Matrix = Any
"""A sparse matrix; scipy's types do not say which arithmetic it has."""


def fit_logistic_propensity(pooled: Pooled, study: Study) -> PropensityFit:
    """Fit it to the pooled records; without each block by one Newton step from the full fit.

    The null is that of N·pMSE/(c(1 − c)), which is χ² of k − 1 degrees of freedom for k
    estimable coefficients: a column of c values counts for c − 1, and what follows from other
    columns for nothing.

    Raises:
        Refusal: there are too few records for so many coefficients.
    """
    x = design(pooled.records)
    degrees = estimable(x) - 1
    if degrees * FEWEST_EACH > len(pooled):
        raise Refusal(
            f"The columns have {degrees + 1:,} values to tell records by, too many for "
            f"{len(pooled):,} records: a regression would fit whatever it is shown.",
            "Look at more records, or leave columns of many values out.",
        )
    coefficients = fit_logistic(x, pooled.made)
    spread = LARGEST / len(pooled)
    value = pmse(special.expit(x @ coefficients), pooled.made)
    without = [_without(x, pooled, coefficients, block) for block in range(pooled.blocks)]
    return PropensityFit(
        value,
        block_jackknife(value, np.array(without)),
        degrees * spread,
        math.sqrt(2 * degrees) * spread,
        _by_column(pooled),
    )


def design(records: Records) -> Matrix:
    """Return (N, k) of 0 and 1: the intercept, then for each column its values but the
    commonest."""
    count, columns = records.codes.shape
    most = max(2, MOST_COEFFICIENTS // columns)
    rows, places, width = [np.arange(count)], [np.zeros(count, dtype=np.int64)], 1
    for column in range(columns):
        value = _values(records, column, most)
        commonest = int(np.bincount(value).argmax())
        other = np.flatnonzero(value != commonest)
        rows.append(other)
        places.append(width + value[other] - (value[other] > commonest))
        width += int(value.max())
    where = (np.concatenate(rows), np.concatenate(places))
    return sparse.csr_array((np.ones(len(where[0])), where), shape=(count, width))


def _values(records: Records, column: int, most: int) -> IntArray:
    """Return (N,) the value of each record, numbered without gaps, at most `most` of them.

    Where there are more, neighbours are taken together until each number stands for about as
    many records: neighbours on the grid, or, where there is no order, neighbours in commonness.
    """
    described = records.schema.columns[column]
    value, values = renumber_cells(records.codes[:, column].astype(np.int64), described.cardinality)
    if values <= most:
        return value
    counts = np.bincount(value)
    order = np.arange(values) if described.ordered else np.argsort(-counts, kind="stable")
    before = np.empty(values, dtype=np.int64)
    before[order] = np.cumsum(counts[order]) - counts[order]
    return renumber_cells(before[value] * most // len(value), most)[0]


def estimable(x: Matrix) -> int:
    """Return how many coefficients the design can tell from each other: its rank."""
    return int(np.linalg.matrix_rank((x.T @ x).toarray(), hermitian=True))


def fit_logistic(x: Matrix, made: BoolArray) -> FloatArray:
    """Return (k,) the coefficients of largest likelihood, to less than 10⁻⁶ of its logarithm."""
    coefficients = np.zeros(x.shape[1])
    for _ in range(_STEPS):
        step, gain = _newton(x, made, coefficients)
        if gain < _ENOUGH:
            break
        length = 1.0
        before = _loss(x, made, coefficients)
        while _loss(x, made, coefficients + length * step) > before and length > _ENOUGH:
            length /= 2
        coefficients = coefficients + length * step
    return coefficients


def _newton(x: Matrix, made: BoolArray, coefficients: FloatArray) -> tuple[FloatArray, float]:
    """Return a step towards the largest likelihood, and what it promises to gain of its
    logarithm."""
    probability = special.expit(x @ coefficients)
    weight = probability * (1 - probability)
    slope = x.T @ (made - probability) - _RIDGE * coefficients
    shape = (len(slope), len(slope))
    curvature = LinearOperator(
        shape, matvec=lambda v: x.T @ (weight * (x @ v)) + _RIDGE * v, dtype=np.float64
    )
    scale = x.T @ weight + _RIDGE
    by_scale = LinearOperator(shape, matvec=lambda v: v / scale, dtype=np.float64)
    step, _ = cg(curvature, slope, rtol=1e-5, maxiter=500, M=by_scale)
    return step, float(slope @ step) / 2


def _loss(x: Matrix, made: BoolArray, coefficients: FloatArray) -> float:
    score = x @ coefficients
    fitted = float(np.logaddexp(0, np.where(made, -score, score)).sum())
    return fitted + _RIDGE / 2 * float(coefficients @ coefficients)


def _without(x: Matrix, pooled: Pooled, coefficients: FloatArray, block: int) -> float:
    rest = np.flatnonzero(pooled.block != block)
    left, made = x[rest], pooled.made[rest]
    step, _ = _newton(left, made, coefficients)
    return pmse(special.expit(left @ (coefficients + step)), made)


def _by_column(pooled: Pooled) -> tuple[BreakdownEntry, ...]:
    """Return pMSE of each column by itself: p̂ is then the share of `made` among those of its
    value."""
    parts = []
    for column, name in enumerate(pooled.records.schema.names):
        value = pooled.records.codes[:, column]
        share = np.bincount(value, pooled.made) / np.maximum(1, np.bincount(value))
        parts.append(BreakdownEntry((name,), pmse(share[value], pooled.made)))
    return tuple(parts)


LOGISTIC, LOGISTIC_RATIO, LOGISTIC_STANDARDISED = three_forms(
    fit_logistic_propensity,
    key="propensity-logistic",
    classifier="a logistic regression",
    seen="the values of single columns",
    breakdown="what each column gives away by itself",
    by="single columns",
)


# pMSE of a classification tree, with interactions of columns.
#
# The tree splits by Gini impurity, as CART does, until a leaf would hold fewer than one record in
# 200 (or than 10): its probabilities are then those of groups large enough to be no accident of a
# few records, and it has at most 200 leaves. There is no other limit. What a tree fits by chance
# has no formula, so its null is the same tree fitted to shuffled labels.

LEAF = 200
"""A leaf holds at least one record in so many …"""

FEWEST = 10
"""… and at least so many."""

SHUFFLES = 20
"""How many times labels are shuffled, and how many halves are looked at, at least."""


def fit_tree_propensity(pooled: Pooled, study: Study) -> PropensityFit:
    """Fit it to the pooled records, to halves of them, and to shuffled labels."""
    random = study.random("propensity tree")
    times = max(SHUFFLES, 5 * study.repeats)
    seen, made = codes(pooled.records), pooled.made
    whole = fit_tree(seen, made)
    halves = [separation(fit_tree(seen[half], made[half])) for half in pooled.halves(times, random)]
    null = [separation(fit_tree(seen, random.permutation(made))) for _ in range(times)]
    return PropensityFit(
        separation(whole),
        half_samples(separation(whole), np.array(halves)),
        float(np.mean(null)),
        float(np.std(null, ddof=1)),
        tuple(
            BreakdownEntry((name,), float(share) / 2)
            for name, share in zip(pooled.records.schema.names, _decrease(whole), strict=True)
        ),
    )


def fit_tree(seen: ShortFloatArray, made: BoolArray) -> Any:
    """Return a fitted tree."""
    from sklearn.tree import DecisionTreeClassifier

    leaf = max(FEWEST, math.ceil(len(made) / LEAF))
    tree = DecisionTreeClassifier(criterion="gini", min_samples_leaf=leaf, random_state=0)
    return tree.fit(seen, made)


def separation(tree: Any) -> float:
    """Return pMSE of a fitted tree: half of what its splits take off the Gini impurity 2p(1 − p).

    With the n of m records of a leaf that are of the table, (1/N) Σ m (n/m − c)² is
    c(1 − c) − (1/N) Σ n(1 − n/m), so it is found without asking for the records' probabilities.
    """
    return float(_decrease(tree).sum()) / 2


def _decrease(tree: Any) -> FloatArray:
    """Return (columns,) what the splits of each column take off the impurity."""
    found: FloatArray = tree.tree_.compute_feature_importances(normalize=False)
    return found


TREE, TREE_RATIO, TREE_STANDARDISED = three_forms(
    fit_tree_propensity,
    key="propensity-tree",
    classifier="a classification tree",
    seen="combinations of values",
    breakdown="how much of it each column contributes",
    by="such a tree",
)
