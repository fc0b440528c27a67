"""A third-party model as a model that can be learned, on its own word: learned, checked, and
rebuilt in a resumed run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from understudy.core.arrays import AnyArray, NamedArrays
from understudy.core.refusal import Refusal
from understudy.models.about import ModelAbout
from understudy.models.bayesnet.network import BayesianNetwork
from understudy.models.calibrated.as_learner import Calibrated
from understudy.models.learner import (
    CellNoise,
    Learner,
    Parts,
    PrivacyWord,
    Terms,
    at_once_shares,
    together,
)
from understudy.models.sequential import Sequential
from understudy.models.streamed_rows import StreamedSplit
from understudy.models.third_party.about import THIRD_PARTY
from understudy.models.third_party.claim import Claim, refusal
from understudy.models.third_party.offers import (
    LawModel,
    Offer,
    OfferedLaw,
    ThirdPartyModel,
    third_party_model,
)
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.split import Shares

_SLACK = 1 + 1e-12
"""The relative rounding error allowed where parts of a budget are summed."""
_PROBED = 64


def learn_third_party(
    claim: Claim, records: Records, budget: Budget, source: RandomSource
) -> BayesianNetwork | ThirdPartyLaw:
    """Return the model that a third-party learner makes of the records.

    A law is rebuilt from its arrays at once, as a resumed run can only use these.

    Args:
        claim: that of the learner, as in the plan.
        records: the only records that it may use.
        budget: the most that it may spend.
        source: randomness.

    Raises:
        Refusal: the learner is not installed or claims something else by now, it refuses or
            breaks down, it declares more than the budget, or its model does not fit the schema.
    """
    offer = third_party_model(claim.name)
    if offer.claim != claim:
        raise refusal(
            f"The third-party model “{claim.name}” that is installed makes another claim than the "
            "plan repeats.",
            "Make the plan again with the model that is installed.",
        )
    try:
        found = offer.learner.learn(records, budget, source)
    except Refusal:
        raise
    except Exception as error:
        # The message of an exception may quote a record.
        raise refusal(
            f"The third-party model “{claim.name}” broke down while learning: "
            f"{type(error).__name__}.",
        ) from None
    if not (
        isinstance(found, ThirdPartyModel) and isinstance(found.model, BayesianNetwork | OfferedLaw)
    ):
        raise refusal(f"The third-party model “{claim.name}” returned something else than a model.")
    _check_guarantee(claim.name, found.guarantee, budget)
    schema = records.schema
    if isinstance(found.model, BayesianNetwork):
        return _fitting(claim.name, found.model, schema)
    model = ThirdPartyLaw.of(offer, schema, _plain(claim.name, found.model))
    model.check()
    return model


@dataclass(frozen=True, eq=False)
class ThirdPartyLaw(LawModel):
    """The model of a third-party learner that returned a law, with the arrays to rebuild it.

    Attributes:
        version: of the package it comes from.
        arrays: what the law is rebuilt from.
    """

    version: str
    arrays: NamedArrays

    @classmethod
    def of(cls, offer: Offer, schema: Schema, arrays: NamedArrays) -> ThirdPartyLaw:
        """Rebuild the model from its arrays.

        Raises:
            Refusal: the learner cannot make it.
        """
        try:
            law = offer.learner.load(schema, arrays)
        except Refusal:
            raise
        except Exception as error:
            raise refusal(
                f"The third-party model “{offer.name}” cannot be made from what was kept of it: "
                f"{type(error).__name__}.",
                "Tell whoever made it, or choose another model.",
            ) from None
        return cls(schema, offer.name, law, offer.version, arrays)

    @classmethod
    def restore(cls, name: str, version: str, schema: Schema, arrays: NamedArrays) -> ThirdPartyLaw:
        """Rebuild the model from the arrays stored by a run.

        Raises:
            Refusal: the learner is not installed, or in another version.
        """
        offer = third_party_model(name)
        if offer.version != version:
            raise refusal(
                f"The run was begun with version {version} of the third-party model “{name}”, and "
                f"{offer.version} is installed.",
                f"Install version {version}, or start a new run, which is a new spend.",
            )
        return cls.of(offer, schema, arrays)

    def check(self) -> None:
        """Check the law of every attribute on a few records drawn from the model.

        Raises:
            Refusal: one of them is no law.
        """
        # These draws are discarded, so they need not be unpredictable.
        self.records(_PROBED, RandomSource.fixed(0))


def _check_guarantee(name: str, declared: Budget, budget: Budget) -> None:
    if not budget.bounded:
        return
    if not declared.bounded:
        raise refusal(
            f"The third-party model “{name}” promises nothing, and the plan counts on "
            f"ε = {budget.epsilon:g}.",
            "Choose a model with a guarantee.",
        )
    over = [
        f"{sign} = {said:.12g} where the plan allows {allowed:.12g}"
        for sign, said, allowed in (
            ("ε", declared.epsilon, budget.epsilon),
            ("δ", declared.delta, budget.delta),
        )
        if said > allowed * _SLACK
    ]
    if over:
        raise refusal(
            f"The third-party model “{name}” declares {' and '.join(over)}.",
            "Choose another model, or tell whoever made it that it has to keep to the budget.",
        )


def _fitting(name: str, network: BayesianNetwork, schema: Schema) -> BayesianNetwork:
    """Return the network, checked to fit this schema, with bucketed or full parents."""
    seen = network.schema
    if len(seen) == len(schema):
        tilted = schema if network.tilts is None else network.tilts.schema
        if schema.refine(seen.fine).columns == seen.columns and tilted.columns == schema.columns:
            return network
    raise refusal(
        f"The tables of the third-party model “{name}” do not fit the schema.",
        "Tell whoever made it, or choose another model.",
    )


def _plain(name: str, law: OfferedLaw) -> dict[str, AnyArray]:
    """Return the arrays of a law, checked to be numbers: no objects, which could hold code."""
    arrays = {str(key): np.asarray(each) for key, each in law.arrays().items()}
    if any(each.dtype.kind not in "biuf" for each in arrays.values()):
        raise refusal(
            f"The third-party model “{name}” cannot be kept: it is made of more than numbers.",
        )
    return arrays


@dataclass(frozen=True)
class ThirdParty(Learner):
    """See `Learner`. Nothing is foreseen of it, nor known of the time that it takes.

    Attributes:
        claim: which model, and what it claims; None before one is chosen.
    """

    claim: Claim | None = None

    about: ClassVar[ModelAbout] = THIRD_PARTY

    @property
    def word(self) -> PrivacyWord | None:
        """The word of whoever made the model; None before one is chosen."""
        if self.claim is None:
            return None
        return PrivacyWord(self.claim.name, self.claim.source, self.claim.covers)

    def check_rules(self, schema: Schema) -> None:
        """Refuse every rule: what another package draws is not this program's to say."""
        raise Refusal(
            "The schema has rules, and a third-party model may draw records that break them.",
            "Choose a model of this program's own, or set the rules aside for this release.",
            field="rules",
        )

    def shares(self, seeds: float, held_out: float) -> Shares:
        """Return the shares of `at_once_shares`."""
        return at_once_shares(seeds, held_out)

    def cost(self, schema: Schema, budget: Budget) -> Mapping[str, Budget]:
        """Return the whole budget, to which it is held, whatever less it declares when it has been
        learned."""
        return {"model": budget}

    def learn(self, split: Parts, terms: Terms, noise: Noise, source: RandomSource) -> Sequential:
        """Learn as `learn_third_party` says. It draws its own noise."""
        assert self.claim is not None, "plans of a third-party model name one"
        if isinstance(split, StreamedSplit):
            raise Refusal(
                "A third-party model has to see every record at once, and these are read piece by "
                "piece.",
                "Choose a model of this program's own, or a table that fits in memory.",
                field="model",
            )
        return learn_third_party(self.claim, together(split), terms.budget, source.child())

    def cell_noise(self, terms: Terms, records: int) -> CellNoise:
        """Return that of the calibrated model, which has as many records and the same budget."""
        return Calibrated().cell_noise(terms, records)
