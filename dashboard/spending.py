"""What the release runs of this folder have spent, added up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from dashboard import words
from engine.privacy.budget import Budget
from engine.refusal import Refusal
from engine.runs.control import home, runs
from engine.runs.folder import Progress, RunFolder


@dataclass(frozen=True)
class Spent:
    """A running total.

    Attributes:
        runs: how many release runs are in it.
        total: what they add up to, as if all were about the same records.
        unpromised: further runs that promise nothing (fixed seed, or without noise), which
            no total can hold.
    """

    runs: int
    total: Budget
    unpromised: int


def spent() -> Spent:
    """The total of every release run in the home folder, whatever became of it."""
    total, counted, unpromised = Budget(0.0), 0, 0
    for run in runs(home()):
        spend = _spend(run)
        if spend.get("purpose") != "release":
            continue
        if spend.get("stained") or spend.get("epsilon") is None:
            unpromised += 1
        else:
            total, counted = total + Budget(spend["epsilon"], spend["delta"]), counted + 1
    return Spent(counted, total, unpromised)


def of_purpose(purpose: str) -> tuple[RunFolder, ...]:
    """The runs of one purpose, newest first."""
    return tuple(run for run in runs(home()) if _spend(run).get("purpose") == purpose)


def progress_of(run: RunFolder) -> Progress | None:
    """How far a run is; None where its folder can no longer be read."""
    try:
        return run.progress()
    except Refusal:
        return None


def stained(run: RunFolder) -> bool:
    """Whether a fixed seed was used."""
    return bool(_spend(run).get("stained"))


def title(run: RunFolder, *, with_state: bool = True) -> str:
    """A run in a line, for a list."""
    spend, progress = _spend(run), progress_of(run)
    try:
        when = f"{datetime.fromisoformat(spend['at']).astimezone():%-d %B %Y, %H:%M:%S}"
    except (KeyError, ValueError):
        when = run.identity
    state = "unreadable" if progress is None else words.STATES[progress.state].lower()
    said = f" · {state}" if with_state else ""
    tried = "" if progress is None else f" · {words.count(progress.attempts, 'attempt')}"
    return f"{when}{tried} · {_price(spend)}{said}"


def _price(spend: dict[str, Any]) -> str:
    if spend.get("stained"):
        return "demonstration, not private"
    epsilon = spend.get("epsilon")
    return f"ε = {words.epsilon(epsilon)}" if isinstance(epsilon, float) else "no promise"


def _spend(run: RunFolder) -> dict[str, Any]:
    try:
        return run.spend()
    except (OSError, ValueError):
        return {}
