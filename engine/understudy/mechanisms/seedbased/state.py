"""The state of a run: the parts of its records, and its model, kept as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from understudy.core.arrays import AnyArray, ByteArray, IntArray
from understudy.mechanisms.mechanism import Arrays
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.models.noisy_tables import NoisyTable
from understudy.models.sequential import Sequential
from understudy.models.third_party.as_learner import ThirdPartyLaw
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import View
from understudy.table.schema import Schema


def arrays_of(name: str, model: Sequential) -> dict[str, AnyArray]:
    """Return a network as arrays whose names begin with a name."""
    return dict(_arrays(name, model))


def network_of(arrays: Arrays, schema: Schema, name: str) -> Sequential:
    """Return the network of a name.

    Args:
        arrays: as `arrays_of` made them.
        schema: of the records it was learned from.
        name: of the network.

    Raises:
        Refusal: it is a third-party model's, which is not installed as it was then.
    """
    if f"{name}.outside" in arrays:
        return _third_party(arrays, schema, name)
    order = tuple(int(each) for each in arrays[f"{name}.order"])
    parents: list[tuple[int, ...]] = [()] * len(order)
    for child, parent in arrays[f"{name}.edges"].tolist():
        parents[child] = (*parents[child], parent)
    tables = tuple(
        ConditionalTable(arrays[f"{name}.table{place}"].astype(np.int64))
        for place in range(len(order))
    )
    fine = arrays.get(f"{name}.fine")
    seen = schema if fine is None else schema.refine(fine.astype(bool).tolist())
    tilts = _tilts(arrays, schema, name) if f"{name}.average" in arrays else None
    return BayesianNetwork(seen, Structure(tuple(parents), order), tables, tilts)


def _third_party(arrays: Arrays, schema: Schema, name: str) -> ThirdPartyLaw:
    of, version = (str(each) for each in arrays[f"{name}.outside"])
    law = f"{name}.law."
    kept = {each.removeprefix(law): array for each, array in arrays.items() if each.startswith(law)}
    return ThirdPartyLaw.restore(of, version, schema, kept)


def _tilts(arrays: Arrays, schema: Schema, name: str) -> Tilts:
    many = sum(each.startswith(f"{name}.tilt") for each in arrays)
    each = tuple(
        Tilt(
            tuple(View(attribute, level) for attribute, level in of.astype(int).tolist()),
            arrays[f"{name}.logs{place}"].astype(np.float64),
        )
        for place in range(many)
        for of in [arrays[f"{name}.tilt{place}"]]
    )
    average, cap = arrays[f"{name}.average"].astype(np.float64).tolist()
    return Tilts(schema, each, average, cap)


def _arrays(name: str, model: Sequential) -> Iterator[tuple[str, AnyArray]]:
    """Yield a model as numbers."""
    if isinstance(model, ThirdPartyLaw):
        yield f"{name}.outside", np.array([model.named, model.version])
        yield from ((f"{name}.law.{key}", array) for key, array in model.arrays.items())
        return
    if not isinstance(model, BayesianNetwork):
        raise TypeError(f"a {type(model).__name__} cannot be kept")
    yield from _of_network(name, model)


def _of_network(name: str, network: BayesianNetwork) -> Iterator[tuple[str, AnyArray]]:
    """Yield a network as numbers: its order, (child, parent) of each edge, its weights, whether its
    parents are seen finer than the schema's buckets, and its tilts."""
    structure = network.structure
    edges = [(child, parent) for child, each in enumerate(structure.parents) for parent in each]
    yield f"{name}.fine", np.array(network.schema.fine)
    yield f"{name}.order", np.array(structure.order, dtype=np.int64)
    yield f"{name}.edges", np.array(edges, dtype=np.int64).reshape(-1, 2)
    for place, table in enumerate(network.tables):
        yield f"{name}.table{place}", table.weights
    if network.tilts is None:
        return
    yield f"{name}.average", np.array([network.tilts.average, network.tilts.cap])
    for place, tilt in enumerate(network.tilts.each):
        views = [(view.attribute, view.level) for view in tilt.marginal]
        yield f"{name}.tilt{place}", np.array(views, dtype=np.int64)
        yield f"{name}.logs{place}", tilt.logs


_PARTS: Final = "parts"
_NETWORK: Final = "network"
_NOISE: Final = "acceptance noise"
_TABLE: Final = "noisy table "
BASELINE: Final = "baseline"
FORGOTTEN: Final = frozenset({_NOISE})
"""What is not kept of a run that has ended; see `Look.forgotten`."""


@dataclass(frozen=True, eq=False)
class SeedbasedState:
    """A run up to its first attempt: with the table and the secret, all that its release follows
    from. Confidential.

    Attributes:
        parts: (n,) which part each record went to; see `assign`.
        network: the model its candidates come from.
        acceptance_noise: (statistics, 2) the noise of the acceptance test, drawn before there is
            anything to add it to; None where there is no such test, and once the run has ended.
        tables: the noisy tables that the model was learned from, where they are to be released.
        baseline: the private marginals beside it; None until the run has ended.
    """

    parts: ByteArray
    network: Sequential
    acceptance_noise: IntArray | None = None
    tables: tuple[NoisyTable, ...] = ()
    baseline: Sequential | None = None

    def arrays(self) -> Arrays:
        """Return what was drawn and learned as arrays, to be kept."""
        drawn = {} if self.acceptance_noise is None else {_NOISE: self.acceptance_noise}
        for number, table in enumerate(self.tables):
            drawn |= {f"{_TABLE}{number}.{what}": each for what, each in table.arrays().items()}
        return {_PARTS: self.parts, **arrays_of(_NETWORK, self.network), **drawn}

    @classmethod
    def of(cls, arrays: Arrays, schema: Schema) -> SeedbasedState:
        """Return what `arrays` was made of.

        Raises:
            Refusal: the model is a third party's, which is not installed as it was then.
            KeyError, ValueError: these are no such arrays.
        """
        parts = arrays[_PARTS].astype(np.uint8, copy=False)
        ended = any(name.startswith(f"{BASELINE}.") for name in arrays)
        baseline = network_of(arrays, schema, BASELINE) if ended else None
        noise = arrays[_NOISE].astype(np.int64, copy=False) if _NOISE in arrays else None
        return cls(
            parts, network_of(arrays, schema, _NETWORK), noise, tuple(_tables(arrays)), baseline
        )


def _tables(arrays: Arrays) -> Iterator[NoisyTable]:
    number = 0
    while f"{_TABLE}{number}.counts" in arrays:
        start = f"{_TABLE}{number}."
        held = {name: each for name, each in arrays.items() if name.startswith(start)}
        yield NoisyTable.of({name.removeprefix(start): each for name, each in held.items()})
        number += 1
