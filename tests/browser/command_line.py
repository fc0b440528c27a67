"""What the command line says of the same things, asked in this process."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from dataclasses import dataclass

from understudy.cli import main
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import seed_share


@dataclass(frozen=True)
class Ended:
    """How a verb ended, and what it printed."""

    status: int
    out: str


def understudy(*arguments: str) -> Ended:
    """Run a verb."""
    out = io.StringIO()
    with redirect_stdout(out):
        status = main(arguments)
    return Ended(status, out.getvalue())


def account(plan: Plan, *more: str) -> str:
    """What `understudy account` prints for a plan, at the δ that is left for its attempts."""
    test = plan.test
    assert plan.omega.is_fixed
    words = [
        *("--test", test.kind, "--k", test.k, "--epsilon0", test.epsilon0),
        *("--protocol", plan.protocol, "--attempts", plan.attempts),
        *("--delta", seed_share(plan) * plan.delta, "--seeds-at-least", plan.seeds_at_least),
        *("--equal-likelihood", *more),
    ]
    said = understudy("account", *(str(word) for word in words))
    assert said.status == 0
    return said.out
