"""When a run has enough."""

from __future__ import annotations

from dataclasses import dataclass

from understudy.core.arrays import CodeArray
from understudy.mechanisms.mechanism import FellShort
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise


@dataclass(frozen=True)
class Goal:
    """How far a run goes.

    Attributes:
        attempts: it makes no more than this many attempts.
        records: it needs this many records, and stops as soon as it has them; None where all
            that pass are released.
    """

    attempts: int
    records: int | None

    @classmethod
    def of(cls, plan: Plan, made: Promise) -> Goal:
        """Return the goal of a plan that makes this promise."""
        if plan.protocol == "attempts":
            return cls(plan.attempts, None)
        return cls(made.attempts_at_most or plan.attempts, plan.attempts)

    def reached(self, tried: int, released: int) -> bool:
        """Return whether no further attempt is to be made."""
        return tried >= self.attempts or released == self.records

    def done(self, tried: int, released: int) -> int:
        """Return how far it is: records where they are what is counted, else attempts."""
        return tried if self.records is None else released

    def cut(self, codes: CodeArray, released: int) -> CodeArray:
        """Return those of the records just made that are still needed, in their order."""
        return codes if self.records is None else codes[: self.records - released]

    def check(self, released: int) -> None:
        """Check that there are as many records as the plan says.

        Raises:
            FellShort: there are not; it tells no number that the run found out.
        """
        if self.records is not None and released < self.records:
            raise FellShort(
                "Fewer candidates pass the test than the pass floor of the plan says, so the run "
                "was stopped.",
                "Nothing was released, and its budget counts as spent. For another run, declare "
                "a lower pass floor, or choose a smaller k or a larger ω.",
                field="pass_floor",
            )
