"""Third-party models: found by name, used on their own word, refused where that will not do. A
model known by its law alone: what is drawn and what is scored are the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

from tests.engine.models.third_party import toy
from tests.engine.models.third_party.toy import claim, installed
from tests.engine.runs.asked import SCHEMA, table
from tests.support import World, category_schema, worlds
from understudy.core.arrays import CodeArray
from understudy.core.refusal import Refusal
from understudy.evaluation.measures.model_accuracy import most_likely
from understudy.mechanisms.mechanism import Arrays
from understudy.mechanisms.seedbased.state import arrays_of, network_of
from understudy.models.bayesnet.kept_attributes import KeptAttributes
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import WHOLE
from understudy.models.learner import Terms
from understudy.models.omega import Omega
from understudy.models.third_party import offers, private_pgm
from understudy.models.third_party.as_learner import ThirdParty, ThirdPartyLaw, learn_third_party
from understudy.models.third_party.offers import LawModel, names, offered_claims, third_party_model
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.split import Split

BUDGET = Budget(1.0, 1e-9)


def made(place: Path, learner: type, budget: Budget = BUDGET) -> BayesianNetwork | ThirdPartyLaw:
    with installed(place, "toy", learner):
        return learn_third_party(claim(), table(), budget, RandomSource.fixed(3))


def refusal(place: Path, learner: type, budget: Budget = BUDGET) -> Refusal:
    with pytest.raises(Refusal) as caught:
        made(place, learner, budget)
    assert caught.value.field == "model"
    assert caught.value.remedy
    assert "nobody may see" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


def test_a_model_is_found_by_the_name_it_is_installed_as(tmp_path: Path) -> None:
    assert "toy" not in names()
    with installed(tmp_path, "toy", toy.Chained, "2.5"):
        assert "toy" in names()
        offer = third_party_model("toy")
        assert (offer.name, offer.version, offer.claim) == ("toy", "2.5", claim())


def test_what_is_not_installed_is_refused_with_what_is(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="No third-party model is installed as “toy”") as caught:
        third_party_model("toy")
    assert caught.value.field == "model"
    with installed(tmp_path, "other", toy.Chained), pytest.raises(Refusal) as caught:
        third_party_model("toy")
    assert "other" in caught.value.remedy


PROBLEMS = {
    toy.Unloadable: "The third-party model “toy” needs a_library, which is missing.",
    toy.Failing: "The third-party model “toy” cannot be loaded: OSError.",
    toy.Breaking: "The third-party model “toy” broke down while learning: KeyError.",
    toy.Nothing: "The third-party model “toy” returned something else than a model.",
    toy.Greedy: "The third-party model “toy” declares ε = 2 where the plan allows 1 and δ = 2e-09 "
    "where the plan allows 1e-09.",
    toy.Hiding: "The third-party model “toy” declares ε = 1.000000001 where the plan allows 1.",
    toy.Unpromising: "The third-party model “toy” promises nothing, and the plan counts on ε = 1.",
    toy.Unfitting: "The tables of the third-party model “toy” do not fit the schema.",
    toy.Forgetful: "The third-party model “toy” cannot be made from what was kept of it: "
    "RuntimeError.",
    toy.Unkept: "The third-party model “toy” cannot be kept: it is made of more than numbers.",
    toy.Shorter: "The third-party model “toy” has another number of attributes than the schema "
    "has columns.",
    toy.SumsToLess: "The third-party model “toy” gives probabilities that do not sum to 1 for "
    "“c2”.",
    toy.Negative: "The third-party model “toy” gives a probability that is none for “c2”.",
    toy.NoNumber: "The third-party model “toy” gives a probability that is none for “c2”.",
    toy.TooSmall: "The third-party model “toy” gives a table of another size than the schema asks "
    "for for “c2”.",
    toy.Stopping: "The third-party model “toy” stopped with ZeroDivisionError instead of a law.",
}


@pytest.mark.parametrize("learner", PROBLEMS, ids=lambda learner: learner.__name__)
def test_what_will_not_do_is_refused_in_words(learner: type, tmp_path: Path) -> None:
    assert refusal(tmp_path, learner).problem == PROBLEMS[learner]


def test_a_model_that_claims_something_else_than_the_plan_is_refused(tmp_path: Path) -> None:
    with installed(tmp_path, "toy", toy.Chained), pytest.raises(Refusal, match="another claim"):
        learn_third_party(
            claim().model_copy(update={"covers": "Everything."}),
            table(),
            BUDGET,
            RandomSource.fixed(3),
        )


def test_without_noise_no_promise_is_asked_for(tmp_path: Path) -> None:
    assert isinstance(made(tmp_path, toy.Unpromising, Budget.unbounded()), ThirdPartyLaw)


def test_a_network_is_used_as_it_is(tmp_path: Path) -> None:
    network = made(tmp_path, toy.Networked)
    assert isinstance(network, BayesianNetwork)
    assert network.schema == SCHEMA


def test_it_learns_what_is_in_the_records(tmp_path: Path) -> None:
    """The second column is mostly the first."""
    model = made(tmp_path, toy.Chained, Budget(1e3))
    records = model.records(4000, RandomSource.fixed(1))
    assert np.mean(records[0] == records[1]) == pytest.approx(
        np.mean(table().codes[:, 0] == table().codes[:, 1]), abs=0.05
    )


def kept(place: Path) -> tuple[ThirdPartyLaw, Arrays]:
    model = made(place, toy.Chained)
    assert isinstance(model, ThirdPartyLaw)
    return model, arrays_of("network", model)


def test_a_law_comes_back_from_a_file_as_it_was(tmp_path: Path) -> None:
    model, file = kept(tmp_path)
    with installed(tmp_path / "again", "toy", toy.Chained):
        back = network_of(file, SCHEMA, "network")
    assert (back.order, back.parents) == (model.order, model.parents)
    columns = list(table().codes.T)
    for each in model.order:
        assert (back.log_likelihood(each, columns) == model.log_likelihood(each, columns)).all()
    drawn = [of.records(500, RandomSource.fixed(5)) for of in (model, back)]
    assert (drawn[0] == drawn[1]).all()


def test_a_law_does_not_come_back_from_another_version_or_from_none(tmp_path: Path) -> None:
    _, file = kept(tmp_path)
    with pytest.raises(Refusal, match="No third-party model is installed as “toy”"):
        network_of(file, SCHEMA, "network")
    with (
        installed(tmp_path / "later", "toy", toy.Chained, "1.1"),
        pytest.raises(Refusal, match=r"version 1\.0 .*“toy”, and 1\.1 is installed") as caught,
    ):
        network_of(file, SCHEMA, "network")
    assert "Install version 1.0" in caught.value.remedy


def test_those_that_can_be_used_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private_pgm, "find_spec", lambda _: None)
    with installed(tmp_path, "toy", toy.Chained):
        assert "private-pgm" in names()
        assert offered_claims() == (claim(),)


def test_a_model_may_spend_what_it_is_said_to_cost_and_no_more(tmp_path: Path) -> None:
    learner, codes = ThirdParty(claim()), table().codes
    parts = [Records(SCHEMA, some) for some in (codes[:5], codes[5:20], codes[20:], codes[:0])]
    terms = Terms(SCHEMA, BUDGET, learner.shares(0.1, 0.0))
    toy.Telling.allowed.clear()
    with installed(tmp_path, "toy", toy.Telling):
        source = RandomSource.fixed(3)
        learner.learn(Split(*parts), terms, Noise(source), source)
    assert toy.Telling.allowed == [BUDGET] == list(learner.cost(SCHEMA, BUDGET).values())


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
