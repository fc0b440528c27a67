"""Networks as named arrays, and back: what a run keeps of what it learned. Internal."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from understudy.mechanisms.mechanism import Arrays
from understudy.models.bayesnet.network import BayesianNetwork, Structure
from understudy.models.categorical import ConditionalTable
from understudy.models.sequential import Sequential
from understudy.models.third_party.as_learner import ThirdPartyLaw
from understudy.models.tilts import Tilt, Tilts
from understudy.models.views import View
from understudy.table.schema import Schema


def arrays_of(name: str, model: Sequential) -> dict[str, npt.NDArray[np.generic]]:
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
    seen = schema if fine is None else schema.refined(fine.astype(bool).tolist())
    tilts = _tilts(arrays, schema, name) if f"{name}.average" in arrays else None
    return BayesianNetwork(seen, Structure(tuple(parents), order), tables, tilts)


def _third_party(arrays: Arrays, schema: Schema, name: str) -> ThirdPartyLaw:
    of, version = (str(each) for each in arrays[f"{name}.outside"])
    law = f"{name}.law."
    kept = {each.removeprefix(law): array for each, array in arrays.items() if each.startswith(law)}
    return ThirdPartyLaw.kept(of, version, schema, kept)


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


def _arrays(name: str, model: Sequential) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    """Yield a model as numbers."""
    if isinstance(model, ThirdPartyLaw):
        yield f"{name}.outside", np.array([model.named, model.version])
        yield from ((f"{name}.law.{key}", array) for key, array in model.arrays.items())
        return
    if not isinstance(model, BayesianNetwork):
        raise TypeError(f"a {type(model).__name__} cannot be kept")
    yield from _of_network(name, model)


def _of_network(
    name: str, network: BayesianNetwork
) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
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
