"""Models as published, fitted to simulated stays without noise, candidates of each, and
how well these are told apart. They promise nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, IntArray, ShortFloatArray
from understudy.evaluation.cells import count_flag_pairs, pair_shares, share_flags
from understudy.evaluation.classifiers import ADABOOST, BOOSTING, FOREST, LOGISTIC, TREE, Classifier
from understudy.evaluation.measure import Study, Table
from understudy.evaluation.measures.distinguishing import distinguishing_advantage
from understudy.evaluation.measures.shares import hellinger, kullback_leibler, total_variation
from understudy.models.latent.projection import Bernoulli
from understudy.privacy.plausibility.privacy_test import LikelihoodClasses, RelativeSensitivity
from understudy.privacy.plausibility.threshold import PassCoin
from understudy.privacy.randomness import RandomSource
from understudy.samples.discharges import schema, simulate
from understudy.studies.latent.publication import AE, PCA, VAE, LatentStudySizes
from understudy.studies.reproduction import Told
from understudy.table.records import Records
from understudy.table.schema import Schema

NO_GUARANTEE = "No guarantee: fitted to the records themselves, without noise, as published."


class Reconstructing(Protocol):
    """A model that encodes a record into a few numbers, and makes chances of flags of them."""

    def reconstruct(self, flags: BoolArray) -> FloatArray:
        """Return (n, m) the chance of each flag, decoded from the code of each of (n, m) records;
        it may leave [0, 1]."""

    def seedless(self, count: int, random: np.random.Generator) -> FloatArray:
        """Return (count, m) the same of codes that are drawn from the model's own law."""


@dataclass(frozen=True, eq=False)
class StudyComponents:
    """Principal components.

    Attributes:
        mean: (m,) of the flags.
        directions: (m, w) those in which the flags vary most, of length 1.
        variances: (w,) along each.
    """

    mean: FloatArray
    directions: FloatArray
    variances: FloatArray

    @classmethod
    def fit(cls, flags: BoolArray, width: int) -> StudyComponents:
        """Return the components of these (n, m) records."""
        found = flags.astype(np.float32)
        mean = flags.mean(axis=0)
        covariance = (found.T @ found).astype(np.float64) / len(flags) - np.outer(mean, mean)
        values, vectors = np.linalg.eigh(covariance)
        return cls(mean, vectors[:, ::-1][:, :width], np.maximum(values[::-1][:width], 0.0))

    def reconstruct(self, flags: BoolArray) -> FloatArray:
        """Return (n, m) the projection of each record."""
        found: FloatArray = (flags - self.mean) @ self.directions @ self.directions.T + self.mean
        return found

    def seedless(self, count: int, random: np.random.Generator) -> FloatArray:
        """Return (count, m) of normal codes with the variances of the components."""
        codes = random.standard_normal((count, len(self.variances))) * np.sqrt(self.variances)
        found: FloatArray = codes @ self.directions.T + self.mean
        return found


Kind = Literal["AE-3", "true VAE-3"]

WIDTH: Final = 3
HIDDEN: Final = 6
BATCH: Final = 500
STRENGTH: Final = 0.5
_RATE: Final = 0.004
_MEAN, _SQUARE, _TINY = 0.9, 0.999, 1e-8
_RAREST: Final = 1e-4


@dataclass(frozen=True, eq=False)
class StudyNetwork:
    """A trained network.

    Attributes:
        weights: of the four layers, in and out of the hidden ones, each a matrix and an offset.
    """

    weights: tuple[FloatArray, ...]

    def codes(self, flags: BoolArray) -> FloatArray:
        """Return (n, w) the code of each record; its mean, where it has a law."""
        inner, inner_at, code, code_at = self.weights[:4]
        found: FloatArray = np.tanh(flags @ inner + inner_at) @ code + code_at
        return found[:, :WIDTH]

    def decode(self, codes: FloatArray) -> FloatArray:
        """Return (n, m) the chance of each flag."""
        inner, inner_at, out, out_at = self.weights[4:]
        found: FloatArray = 1 / (1 + np.exp(-(np.tanh(codes @ inner + inner_at) @ out + out_at)))
        return found

    def reconstruct(self, flags: BoolArray) -> FloatArray:
        return self.decode(self.codes(flags))

    def seedless(self, count: int, random: np.random.Generator) -> FloatArray:
        """As `Reconstructing`: of standard normal codes."""
        return self.decode(random.standard_normal((count, WIDTH)))


def train_published(
    kind: Kind, flags: BoolArray, epochs: int, strength: float, seed: int
) -> StudyNetwork:
    """Train on (n, m) records, without noise.

    Args:
        kind: the published network, or a variational one.
        flags: the records; a rest below a batch is left out of each epoch.
        epochs: how often each record is seen.
        strength: C.
        seed: where chance starts.
    """
    random = np.random.default_rng((seed, int(1000 * strength)))
    slope = _variational if kind == "true VAE-3" else _autoencoder
    weights = _start(flags, 2 * WIDTH if kind == "true VAE-3" else WIDTH, random)
    adam = _Adam(weights)
    for batch in _batches(flags.astype(np.float32), epochs, random):
        adam.step(_slopes(weights, batch, lambda output: slope(output, strength, random)))
    return StudyNetwork(tuple(each.astype(np.float64) for each in weights))


def _batches(
    flags: ShortFloatArray, epochs: int, random: np.random.Generator
) -> Iterator[ShortFloatArray]:
    size = min(BATCH, len(flags))
    for _ in range(epochs):
        order = random.permutation(len(flags))
        for start in range(0, len(flags) - size + 1, size):
            yield flags[order[start : start + size]]


def _start(flags: BoolArray, codes: int, random: np.random.Generator) -> list[ShortFloatArray]:
    """Glorot's normal weights, and offsets that decode the shares of the flags."""
    shares = flags.mean(axis=0).clip(_RAREST, 1 - _RAREST)
    weights: list[ShortFloatArray] = []
    many = flags.shape[1]
    for wide, out in ((many, HIDDEN), (HIDDEN, codes), (WIDTH, HIDDEN), (HIDDEN, many)):
        matrix = random.standard_normal((wide, out)) * np.sqrt(2 / (wide + out))
        weights += [matrix.astype(np.float32), np.zeros(out, dtype=np.float32)]
    weights[-1] = np.log(shares / (1 - shares)).astype(np.float32)
    return weights


Coded = tuple[ShortFloatArray, Callable[[ShortFloatArray], ShortFloatArray]]
"""Codes that are decoded, and what turns their slope into that of the encoder's output."""


def _slopes(
    weights: list[ShortFloatArray],
    batch: ShortFloatArray,
    coding: Callable[[ShortFloatArray], Coded],
) -> list[ShortFloatArray]:
    """Return the slope of the loss, a mean over records, by every weight."""
    inner, inner_at, code, code_at, outer, outer_at, last, last_at = weights
    hidden = np.tanh(batch @ inner + inner_at)
    codes, back = coding(hidden @ code + code_at)
    shown = np.tanh(codes @ outer + outer_at)
    chances = 1 / (1 + np.exp(-(shown @ last + last_at)))
    by_out = (chances - batch) / len(batch)
    by_shown = (by_out @ last.T) * (1 - shown * shown)
    by_code = back(by_shown @ outer.T)
    by_hidden = (by_code @ code.T) * (1 - hidden * hidden)
    return [
        batch.T @ by_hidden, by_hidden.sum(axis=0), hidden.T @ by_code, by_code.sum(axis=0),
        codes.T @ by_shown, by_shown.sum(axis=0), shown.T @ by_out, by_out.sum(axis=0),
    ]  # fmt: skip


def _autoencoder(output: ShortFloatArray, strength: float, _: np.random.Generator) -> Coded:
    """Return codes as they are; C weighs ½Σ(s² + m² − 1 − ln s²) of the batch, beside the mean over
    its records of what is not likely."""
    mean, spread = output.mean(axis=0), output.std(axis=0) + np.float32(1e-6)
    apart = (output - mean) / spread
    extra = (mean + (spread - 1 / spread) * apart) * np.float32(strength / len(output))
    return output, lambda by_code: by_code + extra


def _variational(output: ShortFloatArray, strength: float, random: np.random.Generator) -> Coded:
    """Return codes drawn of each record's law, mean and logarithm of the deviation; C weighs its
    divergence from a standard normal one."""
    mean, log_spread = output[:, :WIDTH], output[:, WIDTH:]
    spread = np.exp(log_spread)
    chance = random.standard_normal(mean.shape, dtype=np.float32)
    weight = np.float32(strength / len(output))

    def back(by_code: ShortFloatArray) -> ShortFloatArray:
        by_spread = by_code * chance * spread + weight * (spread * spread - 1)
        return np.concatenate([by_code + weight * mean, by_spread], axis=1)

    return np.asarray(mean + spread * chance, dtype=np.float32), back


class _Adam:
    """Adam (Kingma and Ba 2015), on weights that it changes in place."""

    def __init__(self, weights: list[ShortFloatArray]) -> None:
        self.weights = weights
        self.means = [np.zeros_like(each) for each in weights]
        self.squares = [np.zeros_like(each) for each in weights]
        self.steps = 0

    def step(self, slopes: list[ShortFloatArray]) -> None:
        self.steps += 1
        bias = np.sqrt(1 - _SQUARE**self.steps) / (1 - _MEAN**self.steps)
        rate = np.float32(_RATE * bias)
        for weight, slope, mean, square in zip(
            self.weights, slopes, self.means, self.squares, strict=True
        ):
            mean += np.float32(1 - _MEAN) * (slope - mean)
            square += np.float32(1 - _SQUARE) * (slope * slope - square)
            weight -= rate * mean / (np.sqrt(square) + np.float32(_TINY))


_ONE: Final = 1 << 16
_ENTRIES: Final = 1 << 22
_TEST: Final = RelativeSensitivity(k=2, epsilon0=None)


def whole_chances(reconstructed: FloatArray) -> IntArray:
    """Return chances as multiples of 2^−16, none 0 and none 1."""
    return np.clip(np.rint(reconstructed * _ONE), 1, _ONE - 1).astype(np.int64)


def project_flags(chances: IntArray, random: np.random.Generator) -> BoolArray:
    """Return a flag of each chance."""
    found: BoolArray = random.integers(0, _ONE, chances.shape) < chances
    return found


@dataclass(frozen=True, eq=False)
class Distinct:
    """The different records among some, and how often each occurs.

    Attributes:
        rows: (distinct, m) flags.
        sizes: (distinct,) how often.
        of: (n,) the row of each record.
    """

    rows: BoolArray
    sizes: IntArray
    of: IntArray

    @classmethod
    def among(cls, flags: BoolArray) -> Distinct:
        """Of (n, m) records, m at most 63."""
        _, first, of, sizes = np.unique(
            keys(flags), return_index=True, return_inverse=True, return_counts=True
        )
        return cls(flags[first], sizes, of.ravel())


def keys(flags: BoolArray) -> IntArray:
    """Return (n,) a number for each of (n, m) records, m at most 63: the same for equal ones."""
    found: IntArray = flags @ (1 << np.arange(flags.shape[1], dtype=np.int64))
    return found


@dataclass(frozen=True, eq=False)
class FlagCandidates:
    """Records that were projected, before any test.

    Attributes:
        flags: (N, m) records.
        scores: (N,) ⌊κ⌋ of each and its own seed.
        least: (N,) the least ⌊κ⌋ over all seeds, which is that of the likeliest.
    """

    flags: BoolArray
    scores: IntArray
    least: IntArray


def draw_candidates(
    model: Reconstructing, seeds: BoolArray, count: int, random: np.random.Generator
) -> FlagCandidates:
    """So many candidates, each of a seed that is drawn with replacement, with their scores.

    Args:
        model: makes chances of a seed.
        seeds: (n, m) records.
        count: N.
        random: where chance comes from.
    """
    known = Distinct.among(seeds)
    likely = whole_chances(model.reconstruct(known.rows))
    own = known.of[random.integers(0, len(seeds), count)]
    flags = project_flags(likely[own], random)
    pair = own + len(known.sizes) * Distinct.among(flags).of
    _, first, back = np.unique(pair, return_index=True, return_inverse=True)
    scores, least = _score_candidates(likely, known.sizes, flags[first], own[first])
    return FlagCandidates(flags, scores[back.ravel()], least[back.ravel()])


def log_likelihood(chances: IntArray, flags: BoolArray) -> FloatArray:
    """Return (B, n) ln p_d(y) of each of (B, m) candidates under each of (n, m) chances."""
    found = Bernoulli().log_likelihood(chances, flags.astype(np.uint16))
    return np.ascontiguousarray(found.T)


def _score_candidates(
    likely: IntArray, sizes: IntArray, flags: BoolArray, own: IntArray
) -> tuple[IntArray, IntArray]:
    """Return scores by each candidate's own seed, and by the likeliest."""
    scores, least = np.empty(len(own), dtype=np.int64), np.empty(len(own), dtype=np.int64)
    block = max(1, _ENTRIES // len(sizes))
    for start in range(0, len(own), block):
        here = slice(start, start + block)
        found = log_likelihood(likely, flags[here])
        many = np.broadcast_to(sizes, found.shape)
        scores[here] = _TEST.scores(LikelihoodClasses(many, found, own[here]))
        least[here] = _TEST.scores(LikelihoodClasses(many, found, found.argmax(axis=1)))
    return scores, least


CLASSIFIERS: Final = (LOGISTIC, TREE, ADABOOST, BOOSTING, FOREST)
FORMULAS: Final = (total_variation, hellinger, kullback_leibler)
"""As the columns of Table 9.1."""


@dataclass(frozen=True)
class Advantage:
    """An advantage γ of a classifier.

    Attributes:
        value: γ.
        low, high: its interval.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Telling:
    """Tells tables of one schema apart.

    Attributes:
        schema: of the flags.
        seed: where the randomness of classifiers starts.
    """

    schema: Schema
    seed: int

    def apart(
        self, one: BoolArray, other: BoolArray, by: Sequence[Classifier], most: int | None = None
    ) -> tuple[Advantage, ...]:
        """Return γ of each classifier between two tables; half of each is learned from.

        Args:
            one, other: records; the larger table is cut to the smaller.
            by: the classifiers.
            most: cut both to this many.
        """
        held = self._records(one[:most])
        study = Study((), held, key=self.seed, seeds=held, models={}, target="", repeats=1)
        tables = [
            Table(name, "candidates", self._records(each[:most]))
            for name, each in (("one", one), ("other", other))
        ]
        found = distinguishing_advantage(study, tables[0], tables[1], by)
        return tuple(
            Advantage(part.value, part.interval.low, part.interval.high)
            for part in found.parts
            if part.interval is not None
        )

    def forest(self, one: BoolArray, other: BoolArray) -> Advantage:
        """Return γ of a random forest."""
        return self.apart(one, other, (FOREST,))[0]

    def _records(self, flags: BoolArray) -> Records:
        return Records(self.schema, flags.astype(np.uint16))


def formula_distances(table: BoolArray, held_out: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return (3, m) and (3, pairs) the distances of `FORMULAS`, of every column and of every
    pair."""
    found = [
        np.stack([formula(pair_shares(of(table), of(held_out))) for formula in FORMULAS])
        for of in (share_flags, count_flag_pairs)
    ]
    return found[0], found[1]


_COMPONENTS: Final = 5


@dataclass(frozen=True, eq=False)
class StudySetting:
    """What is measured.

    Attributes:
        sizes: how much is done.
        seed: where chance starts.
        training: (n, 42) records that the models are fitted to.
        seeds: records that candidates are made of.
        marks: which of these have to do with alcohol, the sub-population.
        held_out: other records, as many as candidates.
        models: by name.
        candidates: of each model, by its name.
    """

    sizes: LatentStudySizes
    seed: int
    training: BoolArray
    seeds: BoolArray
    marks: BoolArray
    held_out: BoolArray
    models: dict[str, Reconstructing]
    candidates: dict[str, FlagCandidates]

    @property
    def telling(self) -> Telling:
        """Tells its tables apart."""
        return Telling(schema(), self.seed)

    def random(self, *purpose: int) -> np.random.Generator:
        """Return chance for a purpose that has these numbers."""
        return np.random.default_rng((self.seed, *purpose))

    def passes(self, made: FlagCandidates, k: int, epsilon0: float) -> BoolArray:
        """Return (N,) which candidates pass the test, k and ε0 being those for the published number
        of seeds."""
        least = self.sizes.scale_threshold(k)
        coin = PassCoin(least, epsilon0 * k / least, "geometric")
        return coin.decide(made.scores, RandomSource.fixed(self.seed + k))


def count_related(count: int, seed: int) -> BoolArray:
    """Return stays that have to do with alcohol, among so many."""
    stays, marks = simulate(count, seed)
    return stays[marks]


def simulate_setting(sizes: LatentStudySizes, seed: int, told: Told) -> StudySetting:
    """Simulate stays, fit the models, and make and score candidates."""
    told("simulating stays")
    training, _ = simulate(sizes.training, seed)
    seeds, marks = simulate(sizes.seeds, seed + 1)
    held_out, _ = simulate(sizes.candidates, seed + 2)
    models = _fit_model(training, sizes, seed, told)
    made = {}
    for place, (name, model) in enumerate(models.items()):
        told(f"{name}: scoring candidates")
        random = np.random.default_rng((seed, place))
        made[name] = draw_candidates(model, seeds, sizes.candidates, random)
    return StudySetting(sizes, seed, training, seeds, marks, held_out, models, made)


def _fit_model(
    training: BoolArray, sizes: LatentStudySizes, seed: int, told: Told
) -> dict[str, Reconstructing]:
    found: dict[str, Reconstructing] = {PCA: StudyComponents.fit(training, _COMPONENTS)}
    kinds: tuple[Kind, ...] = (AE, VAE)
    for kind in kinds:
        told(f"{kind}: training")
        found[kind] = train_published(kind, training, sizes.epochs, STRENGTH, seed)
    return found
