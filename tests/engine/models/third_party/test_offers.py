"""A model known by its law alone: what is drawn and what is scored are the same to the last bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

from tests.support import World, category_schema, worlds
from understudy.core.arrays import CodeArray
from understudy.evaluation.measures.model_accuracy import most_likely
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import WHOLE
from understudy.models.omega import Omega
from understudy.models.third_party import offers
from understudy.models.third_party.offers import LawModel
from understudy.privacy.randomness import RandomSource


@dataclass(frozen=True, eq=False)
class Told:
    """The law of a network. It writes over what it is shown."""

    network: BayesianNetwork

    @property
    def structure(self) -> Structure:
        return self.network.structure

    def law(self, attribute: int, parents: Sequence[CodeArray]) -> npt.NDArray[np.float64]:
        family = self.network.families[attribute]
        number = np.zeros(len(parents[0]) if parents else 1, dtype=np.int64)
        for place, codes in zip(family.places, parents, strict=True):
            number += place[codes]
            codes[:] = 0
        return self.network.tables[attribute].probabilities[number]

    def arrays(self) -> Mapping[str, npt.NDArray[np.generic]]:
        return {}


def told(world: World) -> LawModel:
    return LawModel(world.network.schema, "toy", Told(world.network))


@given(worlds())
def test_it_scores_as_the_network_whose_law_it_is(world: World) -> None:
    model, columns = told(world), list(world.records.codes.T)
    assert (model.order, model.parents) == (world.network.order, world.network.structure.parents)
    for attribute in model.order:
        expected = world.network.log_likelihood(attribute, columns)
        assert (model.log_likelihood(attribute, columns) == expected).all()
    assert (np.array(columns) == world.records.codes.T).all()


@given(worlds())
def test_seeds_are_as_likely_to_have_made_a_candidate(world: World) -> None:
    """p_d(y) with ω hidden, of every record and every other one."""
    omega = Omega(low=1, high=len(world.network.order))
    scored = [
        KeptAttributes(model, omega).log_likelihood(world.ordered, world.ordered)
        for model in (told(world), world.network)
    ]
    assert (scored[0] == scored[1]).all()


@given(worlds(most_records=8))
def test_its_most_likely_values_are_those_of_the_network(world: World) -> None:
    codes = world.records.codes
    for column in range(codes.shape[1]):
        found = most_likely(told(world), column, codes)
        assert (found == most_likely(world.network, column, codes)).all()


class Words(RandomSource):
    """Gives out words of one's choice."""

    def __init__(self, words: Sequence[int]) -> None:
        super().__init__(bytes(32), seeded=True)
        self._given = np.array(words, dtype=np.uint64) << np.uint64(16)

    def words(self, count: int) -> npt.NDArray[np.uint64]:
        assert count == len(self._given)
        return self._given


@dataclass(frozen=True, eq=False)
class Alone:
    """Attributes of three values, the second of which never is."""

    @property
    def structure(self) -> Structure:
        return Structure.independent(2)

    def law(self, attribute: int, parents: Sequence[CodeArray]) -> npt.NDArray[np.float64]:
        return np.array([[0.25, 0.0, 0.75]])

    def arrays(self) -> Mapping[str, npt.NDArray[np.generic]]:
        return {}


def test_a_value_is_drawn_by_exactly_its_share_of_the_words() -> None:
    model = LawModel(category_schema(3, 3), "toy", Alone())
    edge = WHOLE // 4
    words = [0, edge - 1, edge, WHOLE - 1]
    drawn = model.draw(0, [np.zeros(4, dtype=np.uint16)], Words(words))
    assert drawn.tolist() == [0, 0, 2, 2]
    scored = model.log_likelihood(0, [np.array([0, 1, 2], dtype=np.uint16)])
    assert scored.tolist() == [np.log(0.25), -np.inf, np.log(0.75)]


@settings(max_examples=20, deadline=None)
@given(worlds())
def test_in_blocks_it_is_the_same(world: World) -> None:
    columns = list(world.records.codes.T)

    def all_of(model: LawModel) -> list[list[float]]:
        return [
            [
                *model.draw(each, columns, RandomSource.fixed(1)).tolist(),
                *model.log_likelihood(each, columns).tolist(),
            ]
            for each in model.order
        ]

    whole = all_of(told(world))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(offers, "_CELLS", 5)
        assert all_of(told(world)) == whole
    nothing = [column[:0] for column in columns]
    assert told(world).draw(0, nothing, RandomSource.fixed(1)).shape == (0,)
    assert told(world).records(0, RandomSource.fixed(1)).shape == (len(columns), 0)
