"""Pools of a run at other ε of the model and other ω: models learned again from the same parts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Evidence
from understudy.mechanisms.seedbased.evaluation.figures import RunFigures, draw_pools
from understudy.mechanisms.seedbased.evaluation.pool import Pool, Pools, load_pools, save_pools
from understudy.mechanisms.seedbased.inspection import begun_of
from understudy.mechanisms.seedbased.model_fit import learn
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.models.sequential import Sequential
from understudy.privacy.randomness import RandomSource
from understudy.runs.folder import RunFolder
from understudy.runs.inquiry import TellProgress, find_inquiry
from understudy.table.split import Split

MOST = 100
"""The most pools that are asked for at once."""

_FILE = "pools.npz"


@dataclass(frozen=True)
class Pooling:
    """Draw candidates at every ω of a model learned with every ε, the rest as in the run.

    A later one takes the place of an earlier one: it is asked for all pools that are wanted
    beside the run's own.

    Attributes:
        epsilons: ε of the models; that of the run's own is not learned again.
        omegas: which candidates are drawn of each.

    Raises:
        Refusal: there are too many; `field` is "model_epsilon".
    """

    name: ClassVar[str] = "pools"

    epsilons: tuple[float | None, ...]
    omegas: tuple[Omega, ...]

    def __post_init__(self) -> None:
        if len(self.epsilons) * len(self.omegas) > MOST:
            raise Refusal(
                f"These make {len(self.epsilons) * len(self.omegas):,} pairs of an ε of the model "
                f"and an ω, and at most {MOST} are drawn at once.",
                "Give fewer values.",
                field="model_epsilon",
            )

    def work(self, evidence: Evidence[Plan], folder: Path, told: TellProgress) -> None:
        """Learn each model from the parts that the run's own was learned from, and draw.

        Raises:
            Refusal: a model cannot be learned with its ε.
        """
        source = RandomSource.secure()
        split = Split.of(evidence.records, begun_of(evidence).parts)
        drawn: list[Pool] = []
        for done, epsilon in enumerate(self.epsilons):
            at = "Learning without noise" if epsilon is None else f"Learning with ε = {epsilon:g}"
            told(done, at, len(self.epsilons))
            network = _network(evidence, split, epsilon, source)
            drawn += draw_pools(network, split.seeds, epsilon, self.omegas, source)
        save_pools(drawn, folder / _FILE)


def all_pools(run: RunFolder) -> Pools:
    """Return every pool of a run: its own, and those that were asked for since.

    Raises:
        Refusal: it has none, as it was made before candidates were kept or has no figures, or
            they cannot be read.
    """
    with run.intact():
        figures = RunFigures.load(run.internal)
        asked = find_inquiry(run, Pooling)
        more = () if asked is None else load_pools(asked.result / _FILE)
    if figures is None or figures.pools is None:
        raise Refusal(
            f"The run “{run.identity}” kept no candidates: it has not finished, was made without "
            "figures, or is older than that.",
            "Rehearse, or choose another run.",
        )
    return figures.pools.join(more)


def _network(
    evidence: Evidence[Plan], split: Split, epsilon: float | None, source: RandomSource
) -> Sequential:
    plan, schema = evidence.decided.plan, evidence.decided.schema
    if epsilon == plan.model.epsilon:
        return begun_of(evidence).network
    changed = plan.change(schema, model=plan.model.at(epsilon))
    return learn(changed, schema, split, source).network
