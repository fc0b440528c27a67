"""pMSE of a classification tree, with interactions of columns.

The tree splits by Gini impurity, as CART does, until a leaf would hold fewer than one record in
200 (or than 10): its probabilities are then those of groups large enough to be no accident of a
few records, and it has at most 200 leaves. There is no other limit. What a tree fits by chance
has no formula, so its null is the same tree fitted to shuffled labels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, ShortFloatArray
from understudy.evaluation.features import codes
from understudy.evaluation.finding import Part
from understudy.evaluation.intervals import half_samples
from understudy.evaluation.propensity import Pooled, PropensityFit, three_forms
from understudy.evaluation.study import Study

LEAF = 200
"""A leaf holds at least one record in so many …"""

FEWEST = 10
"""… and at least so many."""

SHUFFLES = 20
"""How many times labels are shuffled, and how many halves are looked at, at least."""


def propensity_fit(pooled: Pooled, study: Study) -> PropensityFit:
    """Fit it to the pooled records, to halves of them, and to shuffled labels."""
    random = study.random("propensity tree")
    times = max(SHUFFLES, 5 * study.repeats)
    seen, made = codes(pooled.records), pooled.made
    whole = fit(seen, made)
    halves = [separation(fit(seen[half], made[half])) for half in pooled.halves(times, random)]
    null = [separation(fit(seen, random.permutation(made))) for _ in range(times)]
    return PropensityFit(
        separation(whole),
        half_samples(separation(whole), np.array(halves)),
        float(np.mean(null)),
        float(np.std(null, ddof=1)),
        tuple(
            Part((name,), float(share) / 2)
            for name, share in zip(pooled.records.schema.names, _decrease(whole), strict=True)
        ),
    )


def fit(seen: ShortFloatArray, made: BoolArray) -> Any:
    """Return a fitted tree."""
    from sklearn.tree import DecisionTreeClassifier

    leaf = max(FEWEST, math.ceil(len(made) / LEAF))
    tree = DecisionTreeClassifier(criterion="gini", min_samples_leaf=leaf, random_state=0)
    return tree.fit(seen, made)


def separation(tree: Any) -> float:
    """pMSE of a fitted tree: half of what its splits take off the Gini impurity 2p(1 − p).

    With the n of m records of a leaf that are of the table, (1/N) Σ m (n/m − c)² is
    c(1 − c) − (1/N) Σ n(1 − n/m), so it is found without asking for the records' probabilities.
    """
    return float(_decrease(tree).sum()) / 2


def _decrease(tree: Any) -> FloatArray:
    """(columns,) what the splits of each column take off the impurity."""
    found: FloatArray = tree.tree_.compute_feature_importances(normalize=False)
    return found


MEASURE, RATIO, STANDARDISED = three_forms(
    propensity_fit,
    key="propensity-tree",
    classifier="a classification tree",
    seen="combinations of values",
    breakdown="how much of it each column contributes",
    by="such a tree",
)
