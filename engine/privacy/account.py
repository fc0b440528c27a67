"""What a planned run guarantees in all: one attempt, and all of them composed.

The number of attempts N and the target δ are given; t is free, as it appears in the proof
only, and is chosen to make the total ε smallest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import engine.privacy.composition as compose
from engine.privacy.best_t import EveryT
from engine.privacy.budget import Budget
from engine.privacy.coin import FINEST_DELTA
from engine.privacy.deniability import PlausibleDeniability
from engine.privacy.guarantee import pass_cap, plausible_deniability
from engine.privacy.rounding import upwards
from engine.refusal import Refusal

MOST_ATTEMPTS = 10**12

# A δ this large is no advice to give.
_USELESS_DELTA = 0.01


@dataclass(frozen=True)
class Attempt:
    """The guarantee of one attempt, and the t it is stated at; None where there is no t."""

    budget: Budget
    t: int | None


@dataclass(frozen=True)
class Account:
    """What `attempts` attempts guarantee together, for neighbours that differ by one seed.

    Attributes:
        test: the privacy test.
        attempts: N, how many attempts are made, the rejected ones included.
        target_delta: the δ that the composition may not exceed.
        attempt: one attempt.
        seeds_at_least: a public lower bound on the number of seeds, if one is stated.
        equal_likelihood: whether γ counts as 1.
        sampling: the probability with which each member of the population entered the
            input, where the input is claimed to be a secret random sample.
    """

    test: PlausibleDeniability
    attempts: int
    target_delta: float
    attempt: Attempt
    seeds_at_least: int | None = None
    equal_likelihood: bool = False
    sampling: float | None = None

    @cached_property
    def sequential(self) -> Budget:
        """The sum over the attempts."""
        if not self.attempt.budget.bounded:
            return Budget.unbounded()
        return compose.sequential(self.attempt.budget, self.attempts)

    @cached_property
    def advanced(self) -> Budget:
        """Advanced composition, its slack being all of the target that the attempts leave."""
        slack = self.target_delta - self.attempts * self.attempt.budget.delta
        if slack <= 0:
            return Budget.unbounded()
        return compose.advanced(self.attempt.budget, self.attempts, slack)

    @property
    def composition(self) -> Literal["sequential", "advanced"] | None:
        """The composition with the smaller ε; None where nothing is promised."""
        if not self.attempt.budget.bounded:
            return None
        return "sequential" if self.sequential.epsilon <= self.advanced.epsilon else "advanced"

    @property
    def unamplified(self) -> Budget:
        """The smaller of the two compositions, before amplification by sampling."""
        return self.advanced if self.composition == "advanced" else self.sequential

    @property
    def total(self) -> Budget:
        """The figure to report."""
        if self.sampling is None:
            return self.unamplified
        return compose.amplified(self.unamplified, self.sampling)

    @cached_property
    def pass_cap(self) -> float | None:
        """Probability of rejecting a candidate that passed, so that rejections are covered.

        None without a public lower bound on the seeds, or without a guarantee.
        """
        if self.seeds_at_least is None or self.test.epsilon0 is None:
            return None
        epsilon = self.attempt.budget.epsilon
        return pass_cap(epsilon, self.seeds_at_least, epsilon0=self.test.epsilon0)

    @property
    def covers(self) -> str:
        """What the total is about, in plain words."""
        if self.test.epsilon0 is None:
            return (
                "The deterministic test gives no differential privacy: a released record has "
                f"at least {self.test.k:,} plausible seeds, and nothing more is promised."
            )
        sentence = _covered(self.attempts, self.seeds_at_least, self.pass_cap)
        if self.sampling is None:
            return sentence
        return (
            f"{sentence} It counts on the input being a secret random sample that each member "
            f"of the population entered independently with probability {self.sampling:g}."
        )

    def as_dict(self) -> dict[str, Any]:
        """The account as plain values for strict JSON; an infinite ε becomes None."""
        figures: dict[str, Any] = {
            "test": {
                "name": self.test.kind,
                "k": self.test.k,
                "gamma": self.test.gamma,
                "epsilon0": self.test.epsilon0,
            },
            "attempts": self.attempts,
            "target_delta": self.target_delta,
            "equal_likelihood": self.equal_likelihood,
            "attempt": {**_plain(self.attempt.budget), "t": self.attempt.t},
            "composition": {
                "sequential": _plain(self.sequential),
                "advanced": _plain(self.advanced),
            },
            "total": _plain(self.total),
            "composed_by": self.composition,
            "covers": self.covers,
        }
        if self.seeds_at_least is not None:
            figures |= {"seeds_at_least": self.seeds_at_least, "pass_cap": self.pass_cap}
        if self.sampling is not None:
            figures |= {"sampling": self.sampling, "unamplified": _plain(self.unamplified)}
        return figures


def account(
    test: PlausibleDeniability,
    attempts: int,
    delta: float,
    *,
    t: int | None = None,
    seeds_at_least: int | None = None,
    equal_likelihood: bool = False,
    sampling: float | None = None,
) -> Account:
    """What a run of `attempts` attempts guarantees at a total δ of at most `delta`.

    Args:
        test: the privacy test; a deterministic one yields an account that promises nothing.
        attempts: N, fixed before the run.
        delta: target for the composition, before amplification by sampling.
        t: to state the figures at this t, not at the best one.
        seeds_at_least: a public lower bound on the number of seeds, which the pass cap needs.
        equal_likelihood: all seeds that can make a candidate make it equally likely (ω fixed,
            or announced per attempt), so that γ counts as 1.
        sampling: probability with which each member of the population independently entered
            the input, where the whole input is a secret random sample.

    Raises:
        Refusal: a number is out of range, or no t meets the target; `field` is one of k, t,
            attempts, delta, seeds_at_least and sampling.
    """
    _check_attempts(attempts)
    _check_delta(delta)
    _check_seeds(test, delta, seeds_at_least)
    if t is not None:
        _check_t(t, test.k)
    if test.epsilon0 is None:
        attempt = Attempt(Budget.unbounded(), None)
    else:
        every_t = _every_t(test, test.epsilon0, equal_likelihood)
        chosen = _chosen_t(every_t, int(attempts), delta, t, seeds_at_least)
        stated = plausible_deniability(
            k=test.k, gamma=every_t.gamma, epsilon0=test.epsilon0, t=chosen
        )
        attempt = Attempt(stated, chosen)
    figures = Account(
        test, int(attempts), float(delta), attempt, seeds_at_least, equal_likelihood, sampling
    )
    # Both refuse what they cannot be computed from, which must come up here and not later.
    _ = figures.pass_cap, figures.total
    return figures


@dataclass(frozen=True)
class Growth:
    """ε against the number of attempts at a fixed total δ; NaN where nothing is promised.

    Attributes:
        attempts: N, as asked.
        t: the t that an account of N attempts is stated at; 0 where the δ cannot be met.
        sequential: ε of sequential composition at that t.
        advanced: ε of advanced composition at that t.
    """

    attempts: npt.NDArray[np.int64]
    t: npt.NDArray[np.int64]
    sequential: npt.NDArray[np.float64]
    advanced: npt.NDArray[np.float64]

    @property
    def total(self) -> npt.NDArray[np.float64]:
        """The smaller of the two."""
        return np.fmin(self.sequential, self.advanced)


def growth(
    test: PlausibleDeniability,
    attempts: npt.ArrayLike,
    delta: float,
    *,
    t: int | None = None,
    equal_likelihood: bool = False,
) -> Growth:
    """How ε grows with the number of attempts: what `account` says, for many N at once.

    Args:
        test, delta, t, equal_likelihood: as for `account`.
        attempts: whole numbers of 1 or more, shape (P,).

    Raises:
        Refusal: a number is out of range.
    """
    counts = np.asarray(attempts, dtype=np.int64).ravel()
    for extreme in (counts.min(initial=1), counts.max(initial=1)):
        _check_attempts(extreme)
    _check_delta(delta)
    nothing = np.full(counts.size, math.nan)
    if test.epsilon0 is None:
        return Growth(counts, np.zeros_like(counts), nothing, nothing)
    every_t = _every_t(test, test.epsilon0, equal_likelihood)
    if t is None:
        chosen = np.array([every_t.best(n, delta) for n in counts.tolist()], dtype=np.int64)
    else:
        _check_t(t, test.k)
        met = [every_t.meets(t, n, delta) for n in counts.tolist()]
        chosen = np.where(met, t, 0)
    open_ = np.maximum(chosen, 1)
    epsilon, slack = every_t.epsilon(open_), delta - counts * every_t.delta(open_)
    advanced = compose.advanced_epsilon(epsilon, counts.astype(np.float64), np.maximum(slack, 0.0))
    return Growth(
        counts,
        chosen,
        np.where(chosen > 0, counts * epsilon, nothing),
        np.where((chosen > 0) & (slack > 0), advanced, nothing),
    )


def tradeoff(
    test: PlausibleDeniability, *, points: int = 1000, equal_likelihood: bool = False
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(t, ε, δ) of one attempt for every t from 1 to k − 1, or for `points` evenly spaced t.

    All three are empty for the deterministic test, and where k = 1.
    """
    if test.epsilon0 is None or test.k == 1:
        return np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
    t = np.unique(np.linspace(1, test.k - 1, min(points, test.k - 1)).round().astype(np.int64))
    every_t = _every_t(test, test.epsilon0, equal_likelihood)
    return t, every_t.epsilon(t), every_t.delta(t)


def _every_t(test: PlausibleDeniability, epsilon0: float, equal_likelihood: bool) -> EveryT:
    return EveryT(test.k, 1.0 if equal_likelihood else test.gamma, epsilon0)


def _chosen_t(
    every_t: EveryT, attempts: int, delta: float, t: int | None, seeds_at_least: int | None
) -> int:
    if every_t.k == 1:
        raise Refusal(
            "k = 1 gives no differential privacy, as t has to be smaller than k.",
            "Choose k of at least 2.",
            field="k",
        )
    if t is None:
        chosen = every_t.best(attempts, delta)
    else:
        chosen = int(t) if every_t.meets(int(t), attempts, delta) else 0
    if chosen == 0:
        raise _out_of_reach(every_t, attempts, delta, t, seeds_at_least)
    return chosen


def _out_of_reach(
    every_t: EveryT, attempts: int, delta: float, t: int | None, seeds_at_least: int | None
) -> Refusal:
    """Why no t meets the target, and each single change that would."""
    where = "" if t is None else f" at t = {t:,}"
    problem = f"A total δ of {delta:g} is out of reach for {_counted(attempts)}{where}."
    least = float(every_t.delta(np.array(1 if t is None else t)))
    remedies = []
    if attempts * FINEST_DELTA > delta:
        problem += f" An attempt is never stated with a δ under {FINEST_DELTA:g}."
    else:
        k = every_t.smallest_k(t or 1, attempts, delta)
        if seeds_at_least is None or k <= seeds_at_least:
            remedies.append(f"k of {k:,} or more")
        if last := every_t.last(attempts, delta):
            remedies.append(f"t of {last:,} or less")
    if attempts * least < _USELESS_DELTA:
        remedies.append(f"δ of {upwards(attempts * least * (1 + 1e-9), 2)} or more")
    if most := math.floor(delta / least):
        remedies.append(f"no more than {_counted(most)}")
    return Refusal(problem, f"Choose {', or '.join(remedies) or 'a larger ε0'}.", field="delta")


def _check_attempts(attempts: object) -> None:
    if not _whole(attempts, 1, MOST_ATTEMPTS):
        raise Refusal(
            f"The number of attempts has to be a whole number from 1 to {MOST_ATTEMPTS:,}.",
            "Enter how many candidates to propose, such as 20,000.",
            field="attempts",
        )


def _check_delta(delta: object) -> None:
    if isinstance(delta, bool) or not isinstance(delta, Real) or not 0 < float(delta) < 1:
        raise Refusal(
            "δ has to lie strictly between 0 and 1.",
            "Enter a small δ such as 1e-9.",
            field="delta",
        )


def _check_t(t: object, k: int) -> None:
    if not _whole(t, 1, k - 1):
        raise Refusal(
            f"t has to be a whole number from 1 to k − 1, and k is {k:,}.",
            "Choose a smaller t or a larger k, or leave t out to get the best one.",
            field="t",
        )


def _check_seeds(test: PlausibleDeniability, delta: float, seeds_at_least: int | None) -> None:
    if seeds_at_least is None:
        return
    if not _whole(seeds_at_least, 1, 10**18):
        raise Refusal(
            "The public lower bound on the number of seeds has to be a whole number, 1 or more.",
            "Enter a number of records everybody may know the table to exceed.",
            field="seeds_at_least",
        )
    if test.k > seeds_at_least:
        raise Refusal(
            f"k is {test.k:,}, but only {seeds_at_least:,} seeds are certain.",
            "Choose a smaller k, or raise the public lower bound on the number of seeds.",
            field="k",
        )
    if delta >= 1 / seeds_at_least:
        raise Refusal(
            f"δ is {delta:g}; at 1/{seeds_at_least:,} or more it would allow giving away a "
            "seed outright.",
            f"Choose δ well under {1 / seeds_at_least:.2g}.",
            field="delta",
        )


def _whole(value: object, least: int, most: int) -> bool:
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    return is_whole and least <= int(value) <= most  # type: ignore[call-overload]


def _counted(attempts: int) -> str:
    return f"{attempts:,} attempt{'' if attempts == 1 else 's'}"


def _plain(budget: Budget) -> dict[str, float | None]:
    epsilon = budget.epsilon if math.isfinite(budget.epsilon) else None
    return {"epsilon": epsilon, "delta": budget.delta}


def _covered(attempts: int, seeds_at_least: int | None, cap: float | None) -> str:
    if seeds_at_least is None or cap is None:
        return (
            f"It bounds what adding or removing one seed record changes in the records that "
            f"{_counted(attempts)} can release; it leaves out the rejections, and so how many "
            "attempts passed."
        )
    return (
        f"It bounds what adding or removing one seed record changes in everything that "
        f"{_counted(attempts)} can yield, released records and rejections alike, provided that "
        f"there are at least {seeds_at_least:,} seeds and that every candidate which passes is "
        f"still rejected with probability {cap:.3g}."
    )
