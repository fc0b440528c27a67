"""Slopes of the networks against differences of their losses, and what training is for.
Likelihoods of projections are exact, and scores are those of the general engine.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from understudy.models.scores import scan_scores
from understudy.privacy.plausibility.privacy_test import RelativeSensitivity
from understudy.studies.latent import models
from understudy.studies.latent.models import (
    WIDTH,
    Distinct,
    Kind,
    StudyComponents,
    draw_candidates,
    keys,
    log_likelihood,
    project_flags,
    train_published,
    whole_chances,
)

KINDS: tuple[Kind, ...] = ("AE-3", "true VAE-3")


def some(records: int) -> np.ndarray:
    """Eight flags that follow two."""
    random = np.random.default_rng(3)
    hidden = random.random((records, 2)) < 0.5
    return np.repeat(hidden, 4, axis=1) ^ (random.random((records, 8)) < 0.03)


def loss(kind: Kind, weights: list[np.ndarray], batch: np.ndarray, strength: float) -> float:
    """As the module says, written out."""
    inner, inner_at, code, code_at, outer, outer_at, last, last_at = weights
    output = np.tanh(batch @ inner + inner_at) @ code + code_at
    if kind == "AE-3":
        codes, mean, spread = output, output.mean(axis=0), output.std(axis=0)
        apart = 0.5 * (spread**2 + mean**2 - 1 - 2 * np.log(spread)).sum()
    else:
        mean, spread = output[:, :WIDTH], np.exp(output[:, WIDTH:])
        chance = np.random.default_rng(5).standard_normal(mean.shape, dtype=np.float32)
        codes = mean + spread * chance
        apart = 0.5 * (spread**2 + mean**2 - 1 - 2 * np.log(spread)).sum() / len(batch)
    chances = 1 / (1 + np.exp(-(np.tanh(codes @ outer + outer_at) @ last + last_at)))
    likely = np.where(batch > 0.5, chances, 1 - chances)
    return float(-np.log(likely).sum() / len(batch) + strength * apart)


@pytest.mark.parametrize("kind", KINDS)
def test_slopes_are_those_of_the_loss(kind: Kind) -> None:
    flags, random = some(20), np.random.default_rng(2)
    slope = models._variational if kind == "true VAE-3" else models._autoencoder
    weights = models._start(flags, 2 * WIDTH if kind == "true VAE-3" else WIDTH, random)
    weights = [each + 0.1 * random.standard_normal(each.shape) for each in weights]
    batch = flags.astype(np.float64)
    found = models._slopes(weights, batch, lambda out: slope(out, 0.7, np.random.default_rng(5)))
    for which, slopes in enumerate(found):
        place = tuple(random.integers(0, size) for size in slopes.shape)
        ends = []
        for step in (1e-4, -1e-4):
            moved = [each.copy() for each in weights]
            moved[which][place] += step
            ends.append(loss(kind, moved, batch, 0.7))
        assert slopes[place] == pytest.approx((ends[0] - ends[1]) / 2e-4, rel=2e-3, abs=2e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_trained_network_gives_records_back(kind: Kind) -> None:
    flags = some(3_000)
    model = train_published(kind, flags, 60, 0.05, 1)
    wrong = np.abs(model.reconstruct(flags).round() - flags).mean()
    assert wrong < 0.1 < 0.4 < np.abs(flags.mean(axis=0).round() - flags).mean()
    alone = model.seedless(500, np.random.default_rng(0))
    assert alone.shape == (500, 8)
    assert ((alone > 0) & (alone < 1)).all()


def test_the_same_seed_trains_the_same_network() -> None:
    one, again, other = (train_published("AE-3", some(200), 2, 0.5, seed) for seed in (1, 1, 2))
    assert (one.reconstruct(some(9)) == again.reconstruct(some(9))).all()
    assert (one.reconstruct(some(9)) != other.reconstruct(some(9))).any()


seeds_of = st.integers(0, 2**32 - 1)


def projecting_some(seed: int, records: int, columns: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).random((records, columns)) < 0.4


class Scanned:
    """The same model as the general engine sees it."""

    def __init__(self, model: StudyComponents) -> None:
        self.model = model

    def log_likelihood(self, seeds: np.ndarray, flags: np.ndarray) -> np.ndarray:
        likely = whole_chances(self.model.reconstruct(seeds.astype(bool)))
        return np.ascontiguousarray(log_likelihood(likely, flags.astype(bool)).T)


@given(seeds_of)
def test_chances_of_all_records_add_up_to_one(seed: int) -> None:
    likely = np.random.default_rng(seed).integers(1, 1 << 16, (3, 4))
    every = np.array(list(product([False, True], repeat=4)))
    assert np.exp(log_likelihood(likely, every)).sum(axis=0) == pytest.approx(1, abs=1e-9)
    record, row = every[5], [Fraction(int(each), 1 << 16) for each in likely[0]]
    exact = prod(p if bit else 1 - p for p, bit in zip(row, record, strict=True))
    found = np.exp(log_likelihood(likely[:1], record[None]))[0, 0]
    assert found == pytest.approx(float(exact), rel=2.0**-32)


@given(seeds_of)
def test_a_likelihood_is_the_same_whatever_is_asked_beside_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    likely = random.integers(1, 1 << 16, (37, 42))
    flags = random.random((29, 42)) < 0.2
    whole = log_likelihood(likely, flags)
    for rows, columns in ((1, 1), (3, 7), (29, 2), (5, 37)):
        part = log_likelihood(likely[:columns], flags[:rows])
        assert (part == whole[:rows, :columns]).all()


def test_nothing_is_impossible_and_nothing_certain() -> None:
    assert whole_chances(np.array([-3.0, 0.0, 0.5, 1.0, 7.0])).tolist() == [
        1,
        1,
        32768,
        65535,
        65535,
    ]


def test_flags_come_as_often_as_their_chances_say() -> None:
    likely = np.tile([655, 32768, 65535 - 655], (40_000, 1))
    found = project_flags(likely, np.random.default_rng(1)).mean(axis=0)
    assert found == pytest.approx(likely[0] / 65536, abs=0.012)


@given(seeds_of)
def test_equal_records_have_equal_keys(seed: int) -> None:
    flags = projecting_some(seed, 30, 3)
    known = Distinct.among(flags)
    assert (known.rows[known.of] == flags).all()
    assert known.sizes.sum() == len(flags)
    assert len(set(keys(flags))) == len(known.rows) == len({tuple(each) for each in flags})


@given(seeds_of)
def test_scores_are_those_of_a_scan_of_every_seed(seed: int) -> None:
    """By the candidate's own seed; the least is that of the likeliest."""
    seeds = projecting_some(seed, 60)
    model = StudyComponents.fit(projecting_some(seed + 1, 80), 2)
    made = draw_candidates(model, seeds, 15, np.random.default_rng(seed))
    scanned, test = Scanned(model), RelativeSensitivity(k=2, epsilon0=None)
    codes, own = seeds.astype(np.uint16), np.arange(60)
    every = np.stack(
        [
            scan_scores(test, scanned, codes, np.full(15, each), made.flags.astype(np.uint16))
            for each in own
        ]
    )
    assert (every.min(axis=0) == made.least).all()
    drawn = np.random.default_rng(seed).integers(0, 60, 15)
    assert (every[drawn, np.arange(15)] == made.scores).all()
