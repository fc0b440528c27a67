"""How work that was begun came to nothing, as an error for whoever waited for it."""

from __future__ import annotations

from understudy.runs.watched import Progress, State


class RunFailed(Exception):
    """A run, or an evaluation of one, that ended without a result.

    Attributes:
        state: “failed” or “cancelled”.
        problem: a sentence on what went wrong. Never a confidential value.
        remedy: a sentence on what to do about it.
        unforeseen: whether it was a fault of the program.
    """

    def __init__(
        self, state: State, problem: str, remedy: str = "", *, unforeseen: bool = False
    ) -> None:
        super().__init__(f"{problem} {remedy}".rstrip())
        self.state = state
        self.problem = problem
        self.remedy = remedy
        self.unforeseen = unforeseen


def failure_of(ended: Progress) -> RunFailed:
    """Return the error for work that failed or was cancelled."""
    if ended.state == "cancelled":
        return RunFailed("cancelled", "Cancelled. Nothing was released.")
    problem, _, remedy = ended.message.partition(". ")
    problem = f"{problem.rstrip('.')}."
    return RunFailed("failed", problem, remedy, unforeseen=ended.unforeseen)
