"""The protocol of a model that draws attributes one after another, and their likelihoods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from understudy.core.arrays import CodeArray, FloatArray
from understudy.privacy.randomness import RandomSource
from understudy.table.schema import Schema

Columns = Sequence[CodeArray]
"""One array of codes per attribute, in schema order, all of one length."""


class Sequential(Protocol):
    """A model that completes a prefix and scores what it completed.

    `draw` and `log_likelihood` are the same distribution, so that the likelihood in the test is
    that of the sampler. Both depend on nothing of a record but the attribute's `conditions`.
    """

    @property
    def schema(self) -> Schema:
        """The domains of its attributes."""
        ...

    @property
    def order(self) -> tuple[int, ...]:
        """The attributes, by index in the schema, in the order they are drawn in."""
        ...

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """For each attribute, in schema order, the earlier ones it is conditioned on."""
        ...

    @property
    def conditions(self) -> tuple[tuple[int, ...], ...]:
        """For each attribute, in schema order, the earlier ones that its likelihood depends on:
        its parents, and those that rules bind it to."""
        ...

    @property
    def is_tilted(self) -> bool:
        """Whether `records` follows another distribution than drawing attribute by attribute."""
        ...

    def draw(self, attribute: int, columns: Columns, source: RandomSource) -> CodeArray:
        """Return fresh codes of one attribute given its parents among the columns."""
        ...

    def log_likelihood(self, attribute: int, columns: Columns) -> FloatArray:
        """Return ln Pr{code | parents} of one attribute; −inf where it cannot happen."""
        ...

    def records(self, count: int, source: RandomSource) -> CodeArray:
        """Return (m, count) whole records in schema order, without a seed."""
        ...
