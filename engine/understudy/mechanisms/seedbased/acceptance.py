"""The acceptance test of a run: its noise drawn as the run begins, its figures made at its end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from understudy.acceptance.measurement import ReleasedTally, add_drawn_noise, draw_noise, of_records
from understudy.acceptance.outcome import ABOUT, NAME, as_figures
from understudy.core.arrays import CodeArray, IntArray
from understudy.mechanisms.outputs import Output
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.state import SeedbasedState
from understudy.models.count_tables import CountSource, as_counted
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import Secret
from understudy.privacy.tape import Tape
from understudy.table.records import Records
from understudy.table.schema import Schema

OUTPUT: Final = Output(NAME, "figures", ABOUT)


def noise(plan: Plan, schema: Schema, secret: Secret, tape: Tape | None) -> IntArray | None:
    """Return the noise that the test will add; None where the plan has none."""
    if plan.acceptance is None:
        return None
    return draw_noise(plan.acceptance, schema, Noise(secret.source("acceptance"), tape))


def begin_tally(
    plan: Plan, schema: Schema, released: Iterable[CodeArray] = ()
) -> ReleasedTally | None:
    """Return counts of the released records, those of them that are there; None where nothing is
    asked."""
    if plan.acceptance is None:
        return None
    tally = ReleasedTally.start(plan.acceptance, schema)
    for codes in released:
        tally.add(codes)
    return tally


def acceptance_figures(
    released: ReleasedTally, held_out: Records | CountSource, state: SeedbasedState
) -> dict[str, Any]:
    """Return what is released of the test.

    Raises:
        Refusal: the held-out records are read piece by piece, and cannot be read to their end.
    """
    test, schema = released.test, released.schema
    assert state.acceptance_noise is not None
    held = of_records(test, as_counted(held_out))
    numbers = add_drawn_noise(test, schema, held, released.tables, state.acceptance_noise)
    return as_figures(test, schema, numbers.tolist(), released)
