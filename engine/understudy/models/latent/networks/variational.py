"""The variational autoencoder as a private model of tables of flags: planned, learned, drawn from.

Three questions are asked of the records, under one (ε, δ): the sums of training, noisy second
moments of the codes of all records, and noisy counts of the flags. The moments correct the effect
that clipping slopes has on the codes: rows are decoded from a normal law with those moments, not
from N(0, I).

Codes follow a normal law only approximately, so rows decoded from one set flags a little too often
or too seldom. The counts of the flags correct that: one record moves all of them together by √m.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np

from understudy.core.arrays import AnyArray, BoolArray, CodeArray, FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.models.latent.features import S
from understudy.models.latent.moments import SecondMoments, measure_sums
from understudy.models.latent.networks.autoencoder import (
    FINE,
    MOST_WEIGHT,
    REACH,
    UNIT,
    Network,
    NetworkShape,
    chances,
    divide_rounded,
    standard_normals,
)
from understudy.models.latent.networks.training import Training, train
from understudy.privacy.accounting.budget_shares import Allowance
from understudy.privacy.accounting.loss_laws import Sampled, noise_multiplier, share_of_rho
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource

_OWN: Final = 0.005
"""About how far off a network's own shares are: what noisy ones are weighed against."""
_ROUNDS: Final = 18


def count_flags(inputs: BoolArray, rho: float, noise: Noise) -> IntArray:
    """Return (m,) how many of (n, m) records have each flag set, with noise for ρ."""
    many = inputs.shape[1]
    exact = inputs.sum(axis=0, dtype=np.int64)
    return Allowance(rho, "rho").vector(exact, many, many**0.5, noise)


def with_shares(
    network: Network, codes: FloatArray, counts: IntArray, records: int, rho: float
) -> Network:
    """Return a network with other offsets, whose chances are nearer to noisy counts on average.

    Args:
        network: that decodes.
        codes: (n, w) drawn of the law that rows will be decoded from.
        counts: (m,) of `counted`.
        records: about how many records were counted, declared.
        rho: that was spent on counting.
    """
    sums = network.sums(codes)
    own = chances(sums).mean(axis=0) / FINE
    deviation = (len(counts) / (2 * rho)) ** 0.5 / records
    weight = _OWN**2 / (_OWN**2 + deviation**2)
    aim = own + weight * (np.clip(counts / records, 0.0, 1.0) - own)
    return network.with_offsets(_shift_offsets(sums, network.layers[-1][-1], aim))


def _shift_offsets(sums: FloatArray, offsets: FloatArray, aim: FloatArray) -> FloatArray:
    """Return the offsets with which chances are `aim` on average: between their bounds, by
    halving."""
    low, high = np.full_like(offsets, -MOST_WEIGHT), np.full_like(offsets, MOST_WEIGHT)
    for _ in range(_ROUNDS):
        middle = np.rint((low + high) / 2)
        above = chances(sums + (middle - offsets) * UNIT).mean(axis=0) / FINE > aim
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return low


CODES: Final = 0.2
"""The share of ε that the moments of the codes get, were they all that is asked."""
SHARES: Final = 0.3
"""The same of the counts of the flags."""
SIZES: Final = ((64, 8), (24, 4))
"""Hidden neurons and numbers of a code, the largest first."""
_EASY: Final = 0.5
_HARDEST: Final = 1.0
"""How long the noise of a step may be beside the slopes of its records."""
_BLOCK: Final = 1 << 13


@dataclass(frozen=True)
class Planned:
    """What is decided beforehand, by public numbers alone.

    Attributes:
        training: how the network is trained.
        multiplier: σ of a step's noise, in lengths that a record's slope may have.
        rho: what the moments of the codes cost.
        rho_shares: what the counts of the flags cost.
        cost: the (ε, δ) of all three together.
    """

    training: Training
    multiplier: float
    rho: float
    rho_shares: float
    cost: Budget

    @property
    def noise(self) -> float:
        """How long the noise on a step's sum is beside the slopes of an average sample, if they
        all pointed one way."""
        return _noise(self.training, self.multiplier)


@dataclass(frozen=True, eq=False)
class Variational:
    """A network and the normal law of its codes; both may be published.

    Attributes:
        network: that decodes.
        middle: (w,) the mean of codes, in units of 2^−12.
        root: (w, w) a root of their covariance, likewise: middle + root·ξ has it.
    """

    network: Network
    middle: FloatArray
    root: FloatArray

    def draw(self, count: int, source: RandomSource) -> BoolArray:
        """Return (count, m) rows of flags, without any seed."""
        parts = [
            self.flags(self.new_codes(min(_BLOCK, count - start), source), source)
            for start in range(0, count, _BLOCK)
        ]
        none = np.zeros((0, self.network.shape.columns), dtype=np.bool_)
        return np.concatenate([none, *parts])

    def arrays(self) -> Mapping[str, AnyArray]:
        """Return all that it is made of, for `restore`."""
        shape = self.network.shape
        layers = {f"layer-{place}": each for place, each in enumerate(self.network.layers)}
        sizes = np.array([shape.columns, shape.hidden, shape.width])
        return {"sizes": sizes, "middle": self.middle, "root": self.root, **layers}

    @classmethod
    def restore(cls, arrays: Mapping[str, AnyArray]) -> Variational:
        """Return the model that gave these arrays.

        Raises:
            KeyError, ValueError: there is none.
        """
        shape = NetworkShape(*(int(each) for each in arrays["sizes"].astype(np.int64)))
        kept = [arrays[f"layer-{place}"].astype(np.float64) for place in range(len(shape.layers))]
        middle, root = (arrays[name].astype(np.float64) for name in ("middle", "root"))
        return cls(Network(shape, tuple(kept)), middle, root)

    def new_codes(self, count: int, source: RandomSource) -> FloatArray:
        """Return (count, w) codes drawn of their law."""
        normals = standard_normals(count, self.network.shape.width, source)
        return np.clip(self.middle + divide_rounded(normals @ self.root.T, 12), -REACH, REACH)

    def flags(self, codes: FloatArray, source: RandomSource) -> BoolArray:
        """Return (n, m) flags drawn of what (n, w) codes are decoded to, exactly: T of 2^16
        cases."""
        chances = self.network.decode(codes)
        words = source.words((chances.size + 3) // 4).view(np.uint16)[: chances.size]
        return np.asarray(words.reshape(chances.shape) < chances)


@lru_cache(maxsize=64)
def plan_network(columns: int, records: int, budget: Budget) -> Planned:
    """Return the largest network for so many columns that noise leaves something to learn.

    Args:
        columns: how many flags.
        records: about how many records there are, declared.
        budget: what may be spent; its δ is above 0.

    Raises:
        Refusal: noise would leave nothing of any network.
    """
    if budget.delta <= 0:
        raise _too_small(budget)
    rho, shares = (share_of_rho(budget, share) for share in (CODES, SHARES))
    found = None
    for hidden, width in SIZES:
        training = Training(NetworkShape(columns, hidden, width), records, batch=min(1000, records))
        multiplier = _multiplier(budget, training.rate, training.steps, rho + shares)
        if multiplier is None or _noise(training, multiplier) > _HARDEST:
            continue
        all_of_it = Sampled(training.rate, training.steps, multiplier, rho + shares)
        found = Planned(training, multiplier, rho, shares, all_of_it.cost(budget.delta))
        if found.noise <= _EASY:
            break
    if found is None:
        raise _too_small(budget)
    return found


def learn_network(
    inputs: BoolArray, plan: Planned, noise: Noise, source: RandomSource
) -> Variational:
    """Train, and measure the codes.

    Args:
        inputs: (n, m) the flags of all records it may look at.
        plan: what was decided.
        noise: of the moments.
        source: of training; what is drawn of it is drawn again if a run is resumed.
    """
    numbers = inputs.astype(np.uint16) * UNIT
    network = train(numbers, plan.training, plan.multiplier, source)
    model = with_law(network, numbers, plan.rho, noise, source.child())
    counts = count_flags(inputs, plan.rho_shares, noise)
    codes = model.new_codes(_BLOCK, source)
    nearer = with_shares(network, codes, counts, plan.training.records, plan.rho_shares)
    return replace(model, network=nearer)


def with_law(
    network: Network, numbers: CodeArray, rho: float, noise: Noise, source: RandomSource
) -> Variational:
    """Return a network with the law of the codes that it gives (n, m) records, measured for ρ."""
    codes = np.concatenate(
        [
            _standardise_codes(network, numbers[start : start + _BLOCK], source)
            for start in range(0, max(1, len(numbers)), _BLOCK)
        ]
    )
    noisy = measure_sums(codes, Allowance(rho, "rho"), noise)
    moments = SecondMoments.of(noisy, np.ones(codes.shape[1]))
    values, vectors = np.linalg.eigh(moments.covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    return Variational(network, np.rint(moments.mean * (REACH / S)), np.rint(root * (REACH / S)))


def _standardise_codes(network: Network, numbers: CodeArray, source: RandomSource) -> IntArray:
    """Return (n, w) a code of each record as whole numbers from −S to S."""
    normals = standard_normals(len(numbers), network.shape.width, source)
    codes = network.codes(numbers.astype(np.float64), normals)
    return np.rint(codes * (S / REACH)).astype(np.int64)


def _noise(training: Training, multiplier: float) -> float:
    return multiplier * float(np.sqrt(training.shape.weights)) / training.divisor


@lru_cache(maxsize=256)
def _multiplier(budget: Budget, rate: float, steps: int, rho: float) -> float | None:
    return noise_multiplier(budget, rate, steps, rho)


def _too_small(budget: Budget) -> Refusal:
    if budget.delta <= 0:
        return Refusal(
            "A network is trained with Gaussian noise, which needs a δ above 0.",
            "Give the model a small δ such as 1e-9, or take another model.",
            field="delta",
        )
    return Refusal(
        "A network would learn nothing from so few records at this ε: the noise of every step of "
        "its training would be larger than what all records of the step say together.",
        "Take the calibrated model, which needs fewer records, or give the network a larger ε.",
        field="model",
    )
