"""Events as they stand in the chain."""

from __future__ import annotations

import pytest

from understudy.core.refusal import Refusal
from understudy.ledger.chain import next_link
from understudy.ledger.events import (
    ENDED,
    Abandoned,
    Budgeted,
    Cancelled,
    Debited,
    Event,
    Failed,
    Opened,
    Recognised,
    Released,
    Running,
    event_of,
    moment,
)
from understudy.ledger.totals import Spend
from understudy.privacy.budget import Budget

PLAN = {"test": {"k": 50}, "attempts": 10}


def debited(**changed: object) -> Debited:
    settings = {
        "purpose": "release", "plan": PLAN, "protocol": "attempts", "count": 10,
        "record": Budget(0.1, 1e-9), "records_per_person": 2, "sampling": 0.5,
    }  # fmt: skip
    return Debited(**{**settings, **changed})


@pytest.mark.parametrize(
    "event",
    [
        Opened(key="ab"),
        Recognised(name="census"),
        Recognised(name="census", fingerprint="cd"),
        Budgeted(epsilon=1.0, delta=1e-9),
        debited(),
        debited(record=None, stained=True, sampling=None),
        Running(),
        Released(artefacts={"synthetic.csv": "ef"}),
        Failed(),
        Cancelled(),
        Abandoned(),
    ],
)
def test_every_event_reads_back(event: Event) -> None:
    link = next_link(None, "2026-01-01T10:00:00.000001+00:00", event.kind, "d", "r", event.body())
    assert event_of(link) == event
    assert moment(link).isoformat() == link.at


def test_a_debit_is_a_spend_unless_it_promises_nothing() -> None:
    assert debited().spend == Spend(Budget(0.1, 1e-9), 2, 0.5)
    assert debited(record=None, stained=True).spend is None


@pytest.mark.parametrize(
    "changed",
    [
        {"stained": True},
        {"record": Budget.unbounded()},
        {"plan": {**PLAN, "policies": {"age": "clip"}}},
        {"records_per_person": 0},
        {"sampling": 0.0},
        {"count": -1},
    ],
)
def test_a_debit_that_contradicts_itself_or_tells_too_much_is_refused(
    changed: dict[str, object],
) -> None:
    with pytest.raises(Refusal):
        debited(**changed)


def test_events_of_another_version_are_refused() -> None:
    for kind, body in (("teleported", {}), ("running", {"speed": 9}), ("budget", {"epsilon": -1})):
        with pytest.raises(Refusal) as refused:
            event_of(next_link(None, "2026-01-01", kind, None, None, body))
        assert refused.value.field == "ledger"


def test_planned_and_running_are_not_ends() -> None:
    assert {"released", "failed", "cancelled", "abandoned"} == ENDED
