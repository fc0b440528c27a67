"""What a run of seedbased synthesis leaves to be looked at, and what an evaluation of it measures.

All of it is internal.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Final

from understudy.core.refusal import Refusal
from understudy.core.threads import Meanwhile
from understudy.evaluation.comparison import Compared, compare
from understudy.evaluation.measure import FEWEST, Study
from understudy.mechanisms.mechanism import EvaluationRequest, Evidence, Look, PlannedRun
from understudy.mechanisms.seedbased.attempts import Decision
from understudy.mechanisms.seedbased.evaluation.figures import (
    RunFigures,
    draw_pools,
    omegas_to_show,
)
from understudy.mechanisms.seedbased.evaluation.pool import Pools
from understudy.mechanisms.seedbased.evaluation.tables import (
    Making,
    comparable,
    made_from,
    models_of,
)
from understudy.mechanisms.seedbased.model_fit import learn_baseline
from understudy.mechanisms.seedbased.plan import Plan
from understudy.mechanisms.seedbased.promise import Promise
from understudy.mechanisms.seedbased.state import BASELINE, FORGOTTEN, SeedbasedState, arrays_of
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.sequential import Sequential
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.split import Split

_COMPARED: Final = 10_000
_PROPOSED: Final = 20_000


def look(
    decided: PlannedRun[Plan],
    split: Split,
    network: Sequential,
    released: Records | None,
    source: RandomSource,
) -> Look:
    """Measure a run as it ends.

    Args:
        decided: what was run.
        split: the parts of its table.
        network: the model its candidates came from.
        released: the first records that it released; None for a rehearsal.
        source: where whatever is random comes from.
    """
    plan = decided.plan
    baseline = learn_baseline(plan, split, source, made=decided.guarantee.account_as(Promise))
    omegas = omegas_to_show(plan.omega, len(decided.schema))
    compared: tuple[Compared, ...] = ()
    if released is not None:
        making = _making(decided, split, network, baseline)
        compared = compare(comparable(making, released, _COMPARED, source), split.held_out)
    drawn = draw_pools(network, split.seeds, plan.model.epsilon, omegas, source)
    figures = RunFigures(
        parents=network.parents,
        order=network.order,
        compared=compared,
        samples=tuple(each.sample for each in drawn),
        pools=Pools.around(drawn, split, baseline, source),
        effective=(
            network.effective(_PROPOSED, source) if isinstance(network, BayesianNetwork) else None
        ),
    )
    return Look(figures, arrays_of(BASELINE, baseline), FORGOTTEN)


def study(
    evidence: Evidence[Plan],
    asked: EvaluationRequest,
    source: RandomSource,
    told: Callable[[str], None],
) -> Study:
    """Return what an evaluation measures of a run.

    Raises:
        Refusal: too few records were held out, or are left to compare.
    """
    decided, begun = evidence.decided, begun_of(evidence)
    plan, split = decided.plan, Split.of(evidence.records, begun.parts)
    _check_records(plan, decided.schema, split)
    baseline = begun.baseline
    assert baseline is not None
    told("Making tables to compare")
    making = _making(decided, split, begun.network, baseline)
    tables = comparable(making, evidence.released, asked.most, source)
    # Most measures need none of these, so they are learned while those go on.
    models = Meanwhile(lambda: models_of(plan, begun.network, baseline, split, source))
    return Study(
        tables=tables,
        held_out=split.held_out,
        seeds=made_from(split, plan.omega),
        models=models,
        target=asked.target,
        repeats=asked.repeats,
        key=secrets.randbits(64),
    )


def begun_of(evidence: Evidence[Plan]) -> SeedbasedState:
    """Return what a run of this method had drawn and learned."""
    if not isinstance(evidence.state, SeedbasedState):
        raise TypeError("this run is of another method")
    return evidence.state


def _making(
    decided: PlannedRun[Plan], split: Split, network: Sequential, baseline: Sequential
) -> Making:
    plan = decided.plan
    return Making(
        split=split,
        network=network,
        baseline=baseline,
        decision=Decision(plan.test, decided.guarantee.account_as(Promise).pass_cap),
        planned=plan.omega,
        omegas=omegas_to_show(plan.omega, len(decided.schema)),
    )


def _check_records(plan: Plan, schema: Schema, split: Split) -> None:
    """Check that there are records to compare with.

    Raises:
        Refusal: there are too few.
    """
    if len(split.held_out) < FEWEST:
        raise Refusal(
            f"Fewer than {FEWEST} records of the table were held out, too few to compare with.",
            "Start a run that holds out a larger share of the records, or one on a larger table.",
        )
    if not len(made_from(split, plan.omega)):
        seedless = plan.omega.low == len(schema)
        raise Refusal(
            "The model was learned from too few records of the table to look at them."
            if seedless
            else "No record of the table became a seed.",
            "Start a run that gives the "
            + ("structure and the parameters" if seedless else "seeds")
            + " a larger share of the records, or one on a larger table.",
        )
