"""Third-party models as others might write them, well and badly, and a way to install them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pytest

from tests.support import category_schema, random_network
from understudy.core.arrays import CodeArray
from understudy.mechanisms.seedbased.plan import ModelPlan
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.third_party.claim import Claim
from understudy.models.third_party.offers import OfferedLaw, ThirdPartyModel, third_party_model
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

Reals = npt.NDArray[np.float64]
MODULE = "tests.engine.models.third_party.toy"


@dataclass(frozen=True, eq=False)
class Chain:
    """Every attribute after the one before it in the schema, the last one first."""

    tables: Mapping[str, Reals]

    @property
    def structure(self) -> Structure:
        many = len(self.tables)
        return Structure(
            tuple((child + 1,) if child + 1 < many else () for child in range(many)),
            tuple(reversed(range(many))),
        )

    def law(self, attribute: int, parents: Sequence[CodeArray]) -> Reals:
        table = self.tables[f"table{attribute}"]
        return np.asarray(table[parents[0]] if parents else table)

    def arrays(self) -> Mapping[str, npt.NDArray[np.generic]]:
        return self.tables


class Chained:
    """Learns a `Chain` with noise; pure ε, half for the pairs and half for the last attribute."""

    source = "The authors of the toy"
    covers = "Tables that differ by one record."

    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        return ThirdPartyModel(self.chain(records, budget, source), self.guarantee(budget))

    def guarantee(self, budget: Budget) -> Budget:
        return Budget(budget.epsilon, 0.0) if budget.bounded else budget

    def chain(self, records: Records, budget: Budget, source: RandomSource) -> OfferedLaw:
        sizes, many = records.schema.cardinalities.tolist(), len(records.schema)
        noise, tables = Noise(source), {}
        for child in range(many):
            shape = (1 if child + 1 == many else sizes[child + 1], sizes[child])
            before = 0 if child + 1 == many else records.codes[:, child + 1].astype(np.int64)
            cell = before * sizes[child] + records.codes[:, child]
            counts = np.bincount(cell, minlength=shape[0] * shape[1])
            if budget.bounded:
                counts = noise.integers(counts, many / budget.epsilon)
            likely = np.maximum(counts, 1).reshape(shape).astype(float)
            tables[f"table{child}"] = likely / likely.sum(axis=1, keepdims=True)
        return Chain(tables)

    def load(self, schema: Schema, arrays: Mapping[str, npt.NDArray[Any]]) -> OfferedLaw:
        return Chain(arrays)


class Telling(Chained):
    """Keeps what it was allowed to spend."""

    allowed: ClassVar[list[Budget]] = []

    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        self.allowed.append(budget)
        return super().learn(records, budget, source)


class Networked(Chained):
    """Returns a network that its chain is."""

    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        structure = Structure.independent(len(records.schema))
        made = random_network(records.schema, structure, np.random.default_rng(1))
        return ThirdPartyModel(made, self.guarantee(budget))


class Greedy(Chained):
    def guarantee(self, budget: Budget) -> Budget:
        return Budget(2 * budget.epsilon, 2 * budget.delta)


class Hiding(Chained):
    """More by less than is printed."""

    def guarantee(self, budget: Budget) -> Budget:
        return Budget(budget.epsilon * (1 + 1e-9), budget.delta)


class Unpromising(Chained):
    def guarantee(self, budget: Budget) -> Budget:
        return Budget.unbounded()


class Breaking(Chained):
    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        raise KeyError("a value that nobody may see")


class Forgetful(Chained):
    def load(self, schema: Schema, arrays: Mapping[str, npt.NDArray[Any]]) -> OfferedLaw:
        raise RuntimeError("a value that nobody may see")


class Nothing(Chained):
    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        return ThirdPartyModel(object(), budget)  # type: ignore[arg-type]


class Unfitting(Chained):
    def learn(self, records: Records, budget: Budget, source: RandomSource) -> ThirdPartyModel:
        other = category_schema(*(records.schema.cardinalities + 1))
        structure = Structure.independent(len(other))
        network: BayesianNetwork = random_network(other, structure, np.random.default_rng(1))
        return ThirdPartyModel(network, budget)


@dataclass(frozen=True, eq=False)
class Spoiled(Chain):
    """A chain that gives out something else than its tables."""

    how: str = field(default="")

    def law(self, attribute: int, parents: Sequence[CodeArray]) -> Reals:
        table = super().law(attribute, parents)
        match self.how:
            case "sum":
                return table * 0.9
            case "negative":
                return np.where(np.arange(table.shape[1]) == 0, -table, table)
            case "number":
                return table * np.nan
            case "size":
                return table[:, :-1]
            case _:
                raise ZeroDivisionError("a value that nobody may see")


class _Spoiling(Chained):
    how = ""

    def load(self, schema: Schema, arrays: Mapping[str, npt.NDArray[Any]]) -> OfferedLaw:
        return Spoiled(arrays, self.how)


class SumsToLess(_Spoiling):
    how = "sum"


class Negative(_Spoiling):
    how = "negative"


class NoNumber(_Spoiling):
    how = "number"


class TooSmall(_Spoiling):
    how = "size"


class Stopping(_Spoiling):
    how = "stop"


class Shorter(Chained):
    """Its law is about fewer attributes."""

    def load(self, schema: Schema, arrays: Mapping[str, npt.NDArray[Any]]) -> OfferedLaw:
        return Chain({name: arrays[name] for name in list(arrays)[:-1]})


class Unkept(Chained):
    """Made of more than numbers."""

    def chain(self, records: Records, budget: Budget, source: RandomSource) -> OfferedLaw:
        return Chain({"table0": np.array([{}], dtype=object)})


class Unloadable(Chained):
    def __init__(self) -> None:
        raise ImportError("no", name="a_library")


class Failing(Chained):
    def __init__(self) -> None:
        raise OSError("a value that nobody may see")


@contextmanager
def installed(place: Path, name: str, learner: type, version: str = "1.0") -> Iterator[None]:
    """As if a package that offers this learner were installed."""
    about = place / f"toy_models-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: toy-models\nVersion: {version}\n"
    )
    entry = f"[understudy.models]\n{name} = {MODULE}:{learner.__name__}\n"
    (about / "entry_points.txt").write_text(entry)
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(place))
        yield


def claim(name: str = "toy") -> Claim:
    """That of any learner here."""
    return Claim(name=name, source=Chained.source, covers=Chained.covers)


def planned(name: str = "toy", epsilon: float | None = 1.0) -> ModelPlan:
    """The model of a plan for an installed learner."""
    return ModelPlan(kind="outside", epsilon=epsilon, outside=third_party_model(name).claim)
