"""The published network, m → 6 → w → 6 → m, and the variational autoencoder that it is named after.

The published loss weighs, beside the likelihood, the divergence of the *mini-batch's* mean and
spread of codes from a standard normal law; its codes are functions of records. It is a regularised
autoencoder (“AE” here). A variational one (Kingma and Welling 2014) has a normal law of codes for
each record, whose own divergence is weighed.

Width, the six hidden neurons, 200 epochs, batches of 500, Adam at 0.004 and C = 0.5 are printed.
The activation is not: tanh here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from understudy.core.arrays import BoolArray, FloatArray, ShortFloatArray

Kind = Literal["AE-3", "true VAE-3"]

WIDTH: Final = 3
HIDDEN: Final = 6
BATCH: Final = 500
STRENGTH: Final = 0.5
_RATE: Final = 0.004
_MEAN, _SQUARE, _TINY = 0.9, 0.999, 1e-8
_RAREST: Final = 1e-4


@dataclass(frozen=True, eq=False)
class Network:
    """A trained network.

    Attributes:
        weights: of the four layers, in and out of the hidden ones, each a matrix and an offset.
    """

    weights: tuple[FloatArray, ...]

    def codes(self, flags: BoolArray) -> FloatArray:
        """(n, w) the code of each record; its mean, where it has a law."""
        inner, inner_at, code, code_at = self.weights[:4]
        found: FloatArray = np.tanh(flags @ inner + inner_at) @ code + code_at
        return found[:, :WIDTH]

    def decoded(self, codes: FloatArray) -> FloatArray:
        """(n, m) the chance of each flag."""
        inner, inner_at, out, out_at = self.weights[4:]
        found: FloatArray = 1 / (1 + np.exp(-(np.tanh(codes @ inner + inner_at) @ out + out_at)))
        return found

    def reconstructed(self, flags: BoolArray) -> FloatArray:
        """As `Reconstructing`."""
        return self.decoded(self.codes(flags))

    def seedless(self, count: int, random: np.random.Generator) -> FloatArray:
        """As `Reconstructing`: of standard normal codes."""
        return self.decoded(random.standard_normal((count, WIDTH)))


def trained(kind: Kind, flags: BoolArray, epochs: int, strength: float, seed: int) -> Network:
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
    return Network(tuple(each.astype(np.float64) for each in weights))


def _batches(flags: ShortFloatArray, epochs: int, random: np.random.Generator) -> Iterator[ShortFloatArray]:
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
    weights: list[ShortFloatArray], batch: ShortFloatArray, coding: Callable[[ShortFloatArray], Coded]
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
    """Codes as they are; C weighs ½Σ(s² + m² − 1 − ln s²) of the batch, beside the mean over its
    records of what is not likely."""
    mean, spread = output.mean(axis=0), output.std(axis=0) + np.float32(1e-6)
    apart = (output - mean) / spread
    extra = (mean + (spread - 1 / spread) * apart) * np.float32(strength / len(output))
    return output, lambda by_code: by_code + extra


def _variational(output: ShortFloatArray, strength: float, random: np.random.Generator) -> Coded:
    """Codes drawn of each record's law, mean and logarithm of the deviation; C weighs its
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
