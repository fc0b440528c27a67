"""pMSE of a tree that is grown greedily on the records themselves.

A split is made where it gains most at that node, and only where it lowers the weighted Gini
impurity by cp of the root's. Both let one record decide what is split next, so this score has no
sensitivity below its whole range; see `failing`.
"""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import FloatArray

_SEED = 0
_ROOT = 0.5
"""The Gini impurity of the root, where there are as many made records as real ones."""


def greedy_pmse(real: FloatArray, made: FloatArray, depth: int | None, cp: float, leaf: int = 1) -> float:
    """pMSE of CART by scikit-learn.

    Args:
        real, made: (n, columns) and (n_s, columns) numbers.
        depth: the most tests on the way to a leaf; None for any.
        cp: the least gain of a split, as a share of the root's impurity.
        leaf: the fewest records of a leaf.
    """
    from sklearn.tree import DecisionTreeClassifier

    both = np.concatenate([real, made])
    label = np.repeat([0, 1], [len(real), len(made)])
    tree = DecisionTreeClassifier(
        max_depth=depth,
        min_impurity_decrease=cp * _ROOT,
        min_samples_leaf=leaf,
        random_state=_SEED,
    )
    told = tree.fit(both, label).predict_proba(both)[:, 1]
    return float(np.square(told - len(made) / len(both)).mean())
