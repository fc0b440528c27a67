"""The most likely value of one column given all the others, under a model.

Pr{x_i = v | the rest} ∝ Pr{v | parents of i} · Π_{children c} Pr{x_c | parents of c, x_i = v}:
factors that do not mention column i are the same for every v. A network has them in its tables; any
other model is asked for each value in turn.
"""

from __future__ import annotations

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.sequential import Sequential

_CELLS = 1 << 21
_ROUNDING = 1e-12


def most_likely(network: Sequential, column: int, codes: CodeArray) -> IntArray:
    """(n,) the most likely code of a column for each record, the smallest of equals.

    What a record holds in that column is not looked at. Where the network gives the rest of the
    record no probability whatever the value, no value is likelier than another and it is 0.

    Args:
        network: whose probabilities they are.
        column: by its place in the schema.
        codes: (n, columns) in schema order.
    """
    rows = max(1, _CELLS // network.schema.columns[column].cardinality)
    blocks = [
        _most_likely(network, column, codes[first : first + rows])
        for first in range(0, len(codes), rows)
    ]
    return np.concatenate([np.empty(0, dtype=np.int64), *blocks])


def _most_likely(network: Sequential, column: int, codes: CodeArray) -> IntArray:
    if isinstance(network, BayesianNetwork):
        scores = _by_tables(network, column, codes)
    else:
        scores = _by_score(network, column, codes)
    # Equals can differ in the last digit, as their logarithms are added up.
    best = scores.max(axis=1, keepdims=True) - _ROUNDING
    return np.asarray((scores >= best).argmax(axis=1), dtype=np.int64)


def _by_score(network: Sequential, column: int, codes: CodeArray) -> FloatArray:
    """(n, values) ln Pr of the column's value and of all that looks at it."""
    columns = [np.ascontiguousarray(each) for each in codes.T]
    looking = [child for child, parents in enumerate(network.parents) if column in parents]
    scores = np.zeros((len(codes), network.schema.columns[column].cardinality))
    for value in range(scores.shape[1]):
        columns[column] = np.full(len(codes), value, dtype=np.uint16)
        for attribute in (column, *looking):
            scores[:, value] += network.log_likelihood(attribute, columns)
    return scores


def _by_tables(network: BayesianNetwork, column: int, codes: CodeArray) -> FloatArray:
    """Return the same, all values at once."""
    columns = list(codes.T)
    configuration = network.families[column].configuration(columns)
    scores = _log(network.tables[column].probabilities[configuration])
    buckets = network.schema.columns[column].bucket_map
    for child, parents in enumerate(network.structure.parents):
        if column in parents:
            scores += _of_child(network, column, child, codes)[:, buckets]
    return np.asarray(scores)


def _of_child(network: BayesianNetwork, column: int, child: int, codes: CodeArray) -> FloatArray:
    """(n, buckets of the column) ln Pr of what the child is, if the column were in that bucket."""
    family = network.families[child]
    bucket_map = network.schema.columns[column].bucket_map
    # A bucket is stood for by the first of its codes, as a child sees no more than the bucket.
    _, first = np.unique(bucket_map, return_index=True)
    place = family.places[family.parents.index(column)]
    rest = family.configuration(list(codes.T)) - place[codes[:, column]]
    configuration = rest[:, None] + place[first][None, :]
    table = network.tables[child].probabilities
    return _log(table[configuration, codes[:, child][:, None]])


def _log(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
