"""What makes the outputs of a run: cores of this machine, or workers of a cluster."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Workers:
    """What may be used.

    Attributes:
        cores: how many cores of this machine; None for all there are.
        scheduler: the address of a Dask scheduler whose workers do the work; None for this machine.
        shared: where those workers put what they made.
    """

    cores: int | None = None
    scheduler: str | None = None
    shared: str | None = None
