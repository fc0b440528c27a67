"""Candidates decided by the records near them, against scoring every record."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import understudy.mechanisms.scored.attempts as nearby
import understudy.models.cells as cells
from tests.support import category_schema
from understudy.mechanisms.scored.attempts import GeneralSynthesizer
from understudy.models.categorical import WHOLE
from understudy.models.cells import Cells
from understudy.models.latent.features import S
from understudy.models.latent.grid import Decoder, Grid
from understudy.models.latent.latent_noise import LatentNoise, Linear
from understudy.models.scores import scan_scores
from understudy.privacy.plausibility.privacy_test import (
    PlausibleDeniability,
    PrivacyTest,
    RelativeSensitivity,
)
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records

TESTS = [
    PlausibleDeniability(k=4, gamma=2.5, epsilon0=1.0),
    RelativeSensitivity(k=3, epsilon0=1.0),
]


def model(seed: int, axes: int, flags: int = 9) -> LatentNoise:
    """Directions so long that most records are out of each other's reach."""
    directions = np.random.default_rng(seed).integers(-4, 5, (flags, axes))
    law = np.array([1, 4, 6, 4, 1], dtype=np.int64) * (WHOLE // 16)
    width = np.full(axes, S)
    grid = Grid(directions, np.zeros(axes, np.int64), width, law, 64)
    decoder = Decoder(np.zeros(flags), np.zeros((axes, flags)), np.zeros(flags))
    return LatentNoise(grid, Linear(decoder))


@pytest.mark.parametrize("scanned", [1 / 8, 2.0], ids=["as ever", "never all places"])
@pytest.mark.parametrize("test", TESTS, ids=lambda each: each.kind)
@given(seed=st.integers(0, 10**6), axes=st.integers(1, 7), count=st.integers(1, 150))
@settings(max_examples=8)
def test_outcomes_are_those_of_every_record(
    test: PrivacyTest, scanned: float, seed: int, axes: int, count: int
) -> None:
    made, rng = model(seed, axes), np.random.default_rng(seed)
    bits = (rng.random((count, 9)) < rng.random(9)).astype(np.uint16)
    held = GeneralSynthesizer(made, Records(category_schema(*[2] * 9), bits))
    source = RandomSource.fixed(seed)
    proposals = held.propose(40, source)
    rows = np.repeat(held.seeds.rows, held.seeds.sizes, axis=0)
    own = (np.cumsum(held.seeds.sizes) - held.seeds.sizes)[proposals.own]
    scores = scan_scores(test, made, rows, own, proposals.codes)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nearby, "_SCANNED", scanned)
        patched.setattr(cells, "_BLOCK", 60)
        for least in (scores, scores + 1, test.coin.least(40, source)):
            assert (held.reaches(test, proposals, least) == (scores >= least)).all()


@given(seed=st.integers(0, 10**6), axes=st.integers(1, 7), reach=st.integers(0, 9))
@settings(max_examples=20)
def test_the_places_in_a_box_are_found_each_once(seed: int, axes: int, reach: int) -> None:
    rng = np.random.default_rng(seed)
    located = rng.integers(0, 20, (60, axes)).astype(np.uint16)
    sizes = rng.integers(1, 5, 60)
    held = Cells.sorted_of(located, sizes, reach)
    assert (held.places[held.of] == located).all()
    assert (held.sizes == [sizes[held.of == each].sum() for each in range(len(held.sizes))]).all()
    candidates = rng.integers(0, 24, (15, axes)).astype(np.uint16)
    radii = rng.integers(0, reach + 1, 15)
    which = np.flatnonzero(rng.random(15) < 0.8)
    boxes = held.boxes(candidates, radii).only(which)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cells, "_BLOCK", 20)
        blocks = list(held.pairs(boxes))
    found = [(which[of], row) for each in blocks for of, row in zip(*each, strict=True)]
    apart = np.abs(held.places[:, None].astype(int) - candidates.astype(int)).max(axis=2)
    expected = {(of, row) for of in which for row in np.flatnonzero(apart[:, of] <= radii[of])}
    assert len(found) == len(expected)
    assert set(found) == expected
    assert [of for of, _ in found] == sorted(of for of, _ in found)
