"""The resources of a run: cores, memory, time, a cluster, and the kind of file that it writes.

They are no part of a plan: what is promised does not depend on them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from understudy.core.refusal import Refusal
from understudy.mechanisms.outputs import Workers
from understudy.runs.folder import TableForm

GIGABYTE = 10**9
LEAST_MEMORY = 500_000_000
MOST_MEMORY = 1 << 62
"""Bytes."""
MOST_MINUTES = 10 * 366 * 24 * 60


@dataclass(frozen=True)
class Resources:
    """The resources that a run may use.

    Attributes:
        form: the kind of file that the table is released in.
        cores: how many cores of this machine make attempts; None for all there are.
        memory: the most bytes that its process may hold; None for no limit.
        minutes: the longest that it may take; None for no limit.
        scheduler: the address of a Dask scheduler whose workers make the attempts; None for this
            machine.
        shared: where those workers put what passed; see `Cluster`.

    Raises:
        Refusal: a limit leaves nothing to work with; `field` is its name.
    """

    form: TableForm = "csv"
    cores: int | None = None
    memory: int | None = None
    minutes: float | None = None
    scheduler: str | None = None
    shared: str | None = None

    def __post_init__(self) -> None:
        for name in ("cores", "minutes"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise Refusal(
                    f"A limit of {value:g} leaves nothing to work with.",
                    "Enter a number above zero, or leave the limit out.",
                    field=name,
                )
        for name, most in (("memory", MOST_MEMORY), ("minutes", MOST_MINUTES)):
            value = getattr(self, name)
            if value is not None and value > most:
                raise Refusal(
                    f"A limit that large on {name} limits nothing.",
                    "Enter a smaller one, or leave the limit out.",
                    field=name,
                )
        if self.memory is not None and self.memory < LEAST_MEMORY:
            raise Refusal(
                f"A run holds {LEAST_MEMORY / 1e9:g} GB before it has looked at a record.",
                "Allow it more, or leave the limit out.",
                field="memory",
            )

    @staticmethod
    def bytes_of(gigabytes: float | None) -> int | None:
        """Return a limit on memory in bytes; None for no limit.

        Raises:
            Refusal: it is no number of gigabytes; `field` is “memory”.
        """
        if gigabytes is None:
            return None
        if not math.isfinite(gigabytes * GIGABYTE):
            raise Refusal(
                "The limit is not a number of gigabytes.",
                "Enter one such as 4, or leave the limit out.",
                field="memory",
            )
        return int(gigabytes * GIGABYTE)

    @property
    def workers(self) -> Workers:
        """The workers that do the work."""
        return Workers(self.cores, self.scheduler, self.shared)
