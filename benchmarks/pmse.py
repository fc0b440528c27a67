"""What scoring and choosing a candidate of the pMSE mechanism takes, by class of partitions.

Two columns of numbers; every class on as many bins as it can bear. Scoring counts making the
candidate's records, and choosing is one choice among so many scores.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from benchmarks.size import Size
from understudy.mechanisms.pmse.expected_utility import seconds_a_candidate
from understudy.mechanisms.pmse.gini import Gini
from understudy.mechanisms.pmse.model_search import (
    Class,
    PublicSearch,
    over_prior,
    score_candidates,
    stages_of,
)
from understudy.mechanisms.pmse.regressions import Made, common_numbers
from understudy.mechanisms.pmse.units import lines_of, units_of
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.studies.pmse.common_practice import simulate_table
from understudy.studies.pmse.methods import study_schema, truncate_table

_CLASSES: Final[dict[Class, int]] = {
    "crossed": 8,
    "stump": 16,
    "depth-two": 16,
    "forest": 16,
    "guillotine": 12,
}
_RECORDS: Final = 5000
_CANDIDATES: Final[Mapping[Size, int]] = {"full": 10_000, "quick": 1000, "tiny": 40}


def measure(size: Size) -> dict[str, Any]:
    """Seconds of one core by class: for a candidate, and for all with the choice among them.

    Args:
        size: how many candidates.
    """
    candidates = _CANDIDATES[size]
    real = truncate_table(
        simulate_table(np.random.default_rng(1), _RECORDS).values, study_schema(400)
    )
    units = units_of(real.schema, real.schema.names, 1, narrowest=0.01, middles={})
    stage = stages_of(units, "whole", 1, candidates, 0.5)[0]
    points = over_prior(stage.prior, candidates)
    found = {}
    for partitions, bins in _CLASSES.items():
        setting = PublicSearch(
            real.schema,
            units,
            lines_of(real.schema, ()),
            common_numbers(units, _RECORDS, 1),
            partitions,
            bins,
            5,
            1,
        )
        start = time.process_time()
        scores = score_candidates(setting, stage, points, Made(), real.codes, None)
        made = time.process_time()
        scale = 2.0 * Gini(_RECORDS).sensitivity
        Noise(RandomSource.secure()).choose_best(-scores, scale, concentrated=False)
        end = time.process_time()
        found[partitions] = {
            "bins": bins,
            "candidates": candidates,
            "ms_a_candidate": 1000 * (made - start) / candidates,
            "ms_foreseen": 1000 * seconds_a_candidate(partitions, units, stage, _RECORDS),
            "seconds": end - start,
        }
    return {"records": _RECORDS, "classes": found}


def table(figures: dict[str, Any]) -> str:
    """The figures in Markdown."""
    rows = [
        f"| {name} | {each['bins']} | {each['candidates']:,} | {each['ms_a_candidate']:.2f} | "
        f"{each['ms_foreseen']:.2f} | {each['seconds']:.1f} |"
        for name, each in figures["classes"].items()
    ]
    return "\n".join(
        (
            f"{figures['records']:,} real and as many made records, two columns, one core.",
            "",
            "| partitions | bins | candidates | ms a candidate | foreseen | seconds, with choice |",
            "|:---|---:|---:|---:|---:|---:|",
            *rows,
        )
    )
