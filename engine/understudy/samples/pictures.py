"""Simulated pictures of simple shapes, with known truth: what each shows, where, how large and how
bright. And the digits that scikit-learn brings, which real people wrote and are published."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from understudy.core.arrays import ByteArray, FloatArray, IntArray, TextArray
from understudy.core.refusal import Refusal

SIDE: Final = 8
LEVELS: Final = 16
SHAPES: Final = ("disc", "square", "cross", "bar", "stroke")
SHIPPED_SEED: Final = 2018
_MOST: Final = 1_000_000


def simulate(count: int, seed: int = SHIPPED_SEED) -> tuple[ByteArray, TextArray]:
    """Return (n, 8, 8) pictures in levels 0 … 16, and (n,) what each shows. A longer set begins
    with the shorter one of the same seed.

    Raises:
        Refusal: there are to be none or too many, or the seed is negative.
    """
    if count < 1:
        raise Refusal("There are no pictures.", "Ask for at least one.", field="count")
    if count > _MOST:
        raise Refusal(
            f"{count:,} pictures are too many to be made at once.",
            f"Ask for at most {_MOST:,}.",
            field="count",
        )
    if seed < 0:
        raise Refusal("The seed is negative.", "Enter 0 or more.", field="seed")
    drawn = np.random.default_rng(seed).random((count, 6))
    kinds = (drawn[:, 0] * len(SHAPES)).astype(np.int64)
    return _grey(kinds, drawn[:, 1:]), np.array(SHAPES)[kinds]


def digits() -> tuple[ByteArray, TextArray]:
    """Return the 1,797 digits of scikit-learn, in levels 0 … 16, and which each is."""
    from sklearn.datasets import load_digits

    found = load_digits()
    return found.images.astype(np.uint8), found.target.astype(np.str_)


def write(pictures: ByteArray, labels: TextArray, destination: Path) -> None:
    """Write a file of arrays, whole or not at all.

    Raises:
        OSError: it cannot be written.
    """
    unfinished = destination.with_name(destination.name + ".part")
    try:
        with unfinished.open("wb") as sink:
            np.savez_compressed(sink, pictures=pictures, labels=labels)
        unfinished.replace(destination)
    finally:
        unfinished.unlink(missing_ok=True)


def _grey(kinds: IntArray, free: FloatArray) -> ByteArray:
    """Return (n, 8, 8) of (n,) kinds and (n, 5) numbers in 0 … 1: place across and down, size,
    brightness and slope."""
    middle = (SIDE - 1) / 2
    x, y = (middle + 2 * (free[:, at, None, None] - 0.5) for at in (0, 1))
    size = 1.6 + 1.4 * free[:, 2, None, None]
    bright = 0.6 + 0.4 * free[:, 3, None, None]
    slope = 2 * free[:, 4, None, None] - 1
    down, across = np.indices((SIDE, SIDE))
    right, below = across - x, down - y
    # How far each pixel lies within the shape, one for each of SHAPES.
    depths = np.stack([
        size - np.hypot(right, below),
        size - np.maximum(np.abs(right), np.abs(below)),
        np.minimum(size + 0.5 - np.maximum(np.abs(right), np.abs(below)),
                   0.9 - np.minimum(np.abs(right), np.abs(below))),
        np.minimum(size + 0.5 - np.abs(right), 0.9 - np.abs(below)),
        np.minimum(size + 0.5 - np.abs(below), 0.9 - np.abs(right - slope * below)),
    ])  # fmt: skip
    inside = np.clip(depths[kinds, np.arange(len(kinds))] + 0.5, 0, 1)
    return np.rint(LEVELS * bright * inside).astype(np.uint8)
