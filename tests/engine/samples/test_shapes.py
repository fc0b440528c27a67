"""Simulated tables of many shapes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from understudy.models.views import Rows, View
from understudy.samples.shapes import SHAPES, Shape, shape_of
from understudy.table.records import Records


def dependence(records: Records) -> list[float]:
    """How far every pair of columns is from independent, in total variation."""
    rows, found = Rows.of(records), []
    for one, other in combinations(range(len(records.schema)), 2):
        size = records.schema.columns[one].cardinality
        counts = rows.counts((View(one), View(other))).reshape(size, -1) / len(records)
        apart = counts - np.outer(counts.sum(axis=1), counts.sum(axis=0))
        found.append(float(np.abs(apart).sum()) / 2)
    return found


@pytest.mark.parametrize("shape", SHAPES, ids=lambda each: each.name)
def test_samples_are_of_one_law(shape: Shape) -> None:
    """Two samples have the same margins except for chance, and a seed has one sample."""
    one, again, other = (shape.simulate(3_000, seed) for seed in (1, 1, 2))
    assert np.array_equal(one.codes, again.codes)
    assert not np.array_equal(one.codes, other.codes)
    for place, size in enumerate(shape.sizes):
        counts = [np.bincount(each.codes[:, place], minlength=size) for each in (one, other)]
        assert len(counts[0]) == size
        assert np.abs(counts[0] - counts[1]).sum() / 6_000 < 0.02 + 0.014 * np.sqrt(size)


def test_what_is_kept_apart_is_of_the_same_sample_and_shared_with_nothing() -> None:
    shape = shape_of("16 flags")
    parts = shape.parts(1, 500, 200)
    whole = shape.simulate(900, 1)
    assert [len(each) for each in parts] == [500, 200, 200]
    assert np.array_equal(np.concatenate([each.codes for each in parts]), whole.codes)


@pytest.mark.parametrize(
    ("name", "typical", "strong"),
    [
        ("16 flags", (0.15, 0.19), (0.18, 0.24)),
        ("42 mixed", (0.05, 0.09), (0.20, 0.35)),
        ("12 loose", (0.0, 0.02), (0.0, 0.05)),
        ("24 paired", (0.0, 0.02), (0.0, 0.03)),
    ],
)
def test_columns_depend_on_one_another_as_said(
    name: str, typical: tuple[float, float], strong: tuple[float, float]
) -> None:
    found = dependence(shape_of(name).simulate(20_000, 1))
    assert typical[0] <= float(np.median(found)) <= typical[1]
    assert strong[0] <= float(np.quantile(found, 0.9)) <= strong[1]
    assert (max(found) > 0.3) == (name in {"42 mixed", "24 paired"})
