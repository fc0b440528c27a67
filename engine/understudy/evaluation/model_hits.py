"""Whether a model's most likely value of a column is right for held-out records.

The accuracy of models and their improvement are computed from this.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from understudy.core.arrays import BoolArray
from understudy.core.refusal import Refusal
from understudy.evaluation.markov_blanket import most_likely
from understudy.evaluation.study import FEWEST, Study, sample_of
from understudy.models.sequential import Sequential
from understudy.table.records import Records


def test_records(study: Study, most: int) -> Records:
    """Return the held-out records that models are tested on, at most `most`.

    Raises:
        Refusal: there are fewer than `FEWEST`.
    """
    if len(study.held_out) < FEWEST:
        raise Refusal(
            f"There are fewer than {FEWEST} held-out records to test models on.",
            "Use a larger table, or hold out a larger share of it.",
        )
    return sample_of(study.held_out, most, study.random("records to test models on"))


def model_hits(study: Study, most: int) -> Mapping[str, BoolArray]:
    """For each model of the study, (records, columns) whether its most likely value is right."""
    return study.once(f"hits of models on {most}", lambda: _model_hits(study, most))


def _model_hits(study: Study, most: int) -> Mapping[str, BoolArray]:
    records = test_records(study, most)
    return {name: hits_of(network, records) for name, network in study.models.items()}


def hits_of(network: Sequential, records: Records) -> BoolArray:
    """(records, columns) whether the network's most likely value is what the record holds."""
    codes = records.codes
    return np.column_stack(
        [
            most_likely(network, column, codes) == codes[:, column]
            for column in range(codes.shape[1])
        ]
    )
