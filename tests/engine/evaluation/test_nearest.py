"""Distances by blocks, against scikit-learn and against one record at a time."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from tests.engine.evaluation.disclosing import study_of
from understudy.core.refusal import Refusal
from understudy.evaluation import nearest
from understudy.evaluation.nearest import (
    distances,
    nearest_by_block,
    nearness,
    peers,
    sample_size,
    surroundings,
)

RNG = np.random.default_rng(8)


def codes(count: int, *sizes: int) -> np.ndarray:
    return np.column_stack([RNG.integers(0, size, count) for size in sizes]).astype(np.uint16)


def whole(these: np.ndarray, those: np.ndarray, without: int | None = None) -> np.ndarray:
    return np.concatenate([found.copy() for _, found in distances(these, those, without)])


@pytest.mark.parametrize("sizes", [(3,), (2, 300, 5), (4,) * 11, (900,) * 255])
def test_distances_are_those_of_every_pair(sizes: tuple[int, ...]) -> None:
    these, those = codes(70, *sizes), codes(41, *sizes)
    slow = (these[:, None, :] != those[None]).sum(axis=2)
    assert whole(these, those).tolist() == slow.tolist()
    differ = these[:, None, :] != those[None]
    differ[:, :, 0] = False
    assert whole(these, those, without=0).tolist() == differ.sum(axis=2).tolist()


def test_many_blocks_are_no_different(monkeypatch: pytest.MonkeyPatch) -> None:
    these, those = codes(70, 4, 4, 4), codes(41, 4, 4, 4)
    expected = whole(these, those).tolist()
    for entries in (1, 100, 41 * 7):
        monkeypatch.setattr(nearest, "_ENTRIES", entries)
        assert whole(these, those).tolist() == expected


def test_what_stands_around_is_what_scikit_learn_finds() -> None:
    these, those = codes(80, *(3,) * 7), codes(300, *(3,) * 7)
    found = surroundings(these, those)
    near, _ = NearestNeighbors(n_neighbors=1, metric="hamming").fit(those).kneighbors(these)
    assert found.nearest == pytest.approx(7 * near[:, 0])
    every = (these[:, None, :] != those[None]).sum(axis=2)
    assert found.density == pytest.approx(np.exp(-every.astype(float)).sum(axis=1))


def test_the_nearest_of_each_block() -> None:
    these, those = codes(30, 3, 3, 3, 3), codes(47, 3, 3, 3, 3)
    found = nearest_by_block(these, those, 5)
    every = (these[:, None, :] != those[None]).sum(axis=2)
    runs = [0, 9, 18, 28, 37, 47]
    for block in range(5):
        expected = every[:, runs[block] : runs[block + 1]].min(axis=1)
        assert found[:, block].tolist() == expected.tolist()


def test_seeds_and_control_are_equally_many_and_each_record_is_taken_once() -> None:
    study = study_of(codes(300, 50, 50), codes(500, 50, 50), codes(200, 50, 50))
    among = peers(study)
    assert len(among.seeds) == len(among.control) == 200
    held = sorted(map(tuple, study.held_out.codes.tolist()))
    assert sorted(map(tuple, among.control.tolist())) == held
    assert among is peers(study)


def test_no_more_are_looked_at_than_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "MOST", 60)
    study = study_of(codes(300, 5, 5), codes(500, 5, 5), codes(200, 5, 5))
    near = nearness(study, study.tables[0])
    assert len(peers(study).seeds) == 60
    assert near.to_seeds.shape == (60, nearest.BLOCKS)
    assert near is nearness(study, study.tables[0])


def test_wide_tables_are_cut_further() -> None:
    assert sample_size(11) == nearest.MOST
    assert sample_size(200) ** 2 * 200 <= 3e9
    assert sample_size(200) > 3_000


def test_too_few_are_refused_in_words() -> None:
    for seeds, held in ((20, 200), (200, 20)):
        with pytest.raises(Refusal, match="Fewer than 50"):
            peers(study_of(codes(300, 5, 5), codes(seeds, 5, 5), codes(held, 5, 5)))
