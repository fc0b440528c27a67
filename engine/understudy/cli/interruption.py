"""Ctrl-C, a closed terminal and a plea to end, noted down instead of breaking in anywhere."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any

_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Cancelled(Exception):
    """The user stopped the command."""

    def __init__(self, sentence: str = "Cancelled.") -> None:
        super().__init__(sentence)


class Interruption:
    """Counts the signals that ask the command to end, while it is entered.

    Attributes:
        times: how many have come.
    """

    def __init__(self) -> None:
        self.times = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interruption:
        for number in _SIGNALS:
            self._before[number] = signal.signal(number, self._note)
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.times += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
