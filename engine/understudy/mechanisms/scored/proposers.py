"""What proposes candidates and scores them: by name, from this package or an installed one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Final, Protocol, runtime_checkable

from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.scored.flags import LatentNoiseLearner, ProjectionLearner
from understudy.mechanisms.scored.posterior import FactorNoiseLearner, NetworkNoiseLearner
from understudy.mechanisms.scored.projecting import ProjectingLearner
from understudy.mechanisms.scored.redrawing import RedrawingLearner
from understudy.mechanisms.scored.settings import Setting
from understudy.models.scores import SeedbasedProposer
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

GROUP: Final = "understudy.proposers"


class LearnedProposer(SeedbasedProposer, Protocol):
    """A proposer that can be kept, and whose candidates become records."""

    def decoded(self, candidates: CodeArray, source: RandomSource) -> CodeArray:
        """Records of candidates that passed the test, made without any seed: where candidates are
        records, these.

        Args:
            candidates: (B, w) as `propose` made them.
            source: randomness.

        Returns:
            (B, m) codes in schema order.
        """
        ...

    def arrays(self) -> Arrays:
        """Return all that it is made of, for `ProposerLearner.restore`."""
        ...


class ProposerLearner(Protocol):
    """Learns a proposer within a budget.

    An entry point of the group “understudy.proposers” names a callable without arguments that
    returns one.
    """

    source: str
    """Who stands behind what its learning promises, in a sentence; "" for this package's own."""

    settings: tuple[Setting, ...]
    """Its own settings; a form and a check of them are made from these."""

    def cost(self, schema: Schema, budget: Budget) -> Budget:
        """Return what learning costs one of the records that it sees, at most the budget."""
        ...

    def learn(
        self,
        records: Records,
        budget: Budget,
        numbers: Mapping[str, float],
        noise: Noise,
        source: RandomSource,
    ) -> LearnedProposer:
        """Learn from these records, within the budget.

        Args:
            records: the only ones that it may look at.
            budget: the most that it may spend.
            numbers: all of its settings, by name.
            noise: adds noise from which a run that was killed can go on.
            source: other randomness.
        """
        ...

    def restore(self, schema: Schema, arrays: Arrays) -> LearnedProposer:
        """Return the proposer that gave these arrays.

        Raises:
            KeyError, ValueError: there is none.
        """
        ...


@runtime_checkable
class ChecksNumbers(Protocol):
    """A learner that not every value of its settings suits."""

    def check(self, schema: Schema, budget: Budget, numbers: Mapping[str, float]) -> None:
        """Check that it can learn something so, by public numbers alone.

        Raises:
            Refusal: it cannot.
        """
        ...


OWN: Final[Mapping[str, ProposerLearner]] = {
    "redrawn": RedrawingLearner(),
    "projected": ProjectingLearner(),
    "projection": ProjectionLearner(),
    "latent-noise": LatentNoiseLearner(),
    "factor-noise": FactorNoiseLearner(),
    "network-noise": NetworkNoiseLearner(),
}
"""Those of this package, by name."""


def installed() -> tuple[str, ...]:
    """Return the names of those that other packages bring."""
    return _installed(tuple(sys.path))


@cache
def _installed(_: tuple[str, ...]) -> tuple[str, ...]:
    # To look takes longer than to draw a page that lists them.
    return tuple(sorted(entry_points(group=GROUP).names))


def learner_of(name: str) -> ProposerLearner:
    """Return the learner of this name.

    Raises:
        Refusal: there is none.
    """
    if name in OWN:
        return OWN[name]
    found = list(entry_points(group=GROUP, name=name))
    if not found:
        known = ", ".join([*OWN, *installed()])
        raise Refusal(
            f"No proposer is installed as “{name}”.",
            f"Install the package that brings it, or choose from: {known}.",
            field="proposer",
        )
    learner: ProposerLearner = found[0].load()()
    return learner


@cache
def settings_of(name: str) -> tuple[Setting, ...]:
    """Return the settings that the proposer of this name declares; none where it cannot be loaded,
    which is said to whoever chooses it."""
    try:
        return learner_of(name).settings
    except Exception:
        return ()
