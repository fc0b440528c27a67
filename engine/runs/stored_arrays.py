"""Arrays in a run's internal folder: the parts its table was dealt into, and networks. Internal.

The table itself is not among them: whoever brings it again has it recognised by a salted digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.core.files import internal_arrays
from engine.models.bayesnet.network import BayesianNetwork, Structure
from engine.models.categorical import ConditionalTable
from engine.models.sequential import Sequential
from engine.models.third_party.learning import ThirdPartyLaw
from engine.models.tilts import Tilt, Tilts
from engine.models.views import View
from engine.runs.fingerprint import Fingerprint
from engine.table.records import Records
from engine.table.schema import Schema
from engine.table.sources.streamed import StreamedTable

Arrays = Mapping[str, npt.NDArray[np.generic]]


@dataclass(frozen=True, eq=False)
class Kept:
    """What one file holds. Confidential."""

    arrays: Arrays

    @classmethod
    def of(
        cls,
        fingerprint: Fingerprint,
        parts: npt.NDArray[np.uint8],
        networks: Mapping[str, Sequential],
    ) -> Kept:
        """What is to be kept of a run.

        Args:
            fingerprint: of its table.
            parts: (n,) which part each record went to; see `assign`.
            networks: what it learned, each with a name.
        """
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "salt": np.frombuffer(fingerprint.salt, np.uint8),
            "digest": np.frombuffer(fingerprint.digest, np.uint8),
            "parts": parts,
        }
        for name, network in networks.items():
            arrays |= dict(_arrays(name, network))
        return cls(arrays)

    @classmethod
    def load(cls, path: Path) -> Kept:
        """Read what `save` wrote.

        Raises:
            OSError, ValueError, zipfile.BadZipFile, EOFError: it cannot be read.
        """
        with np.load(path, allow_pickle=False) as file:
            return cls({name: file[name] for name in file.files})

    def save(self, path: Path) -> None:
        """Write it, whole, for its owner only.

        Raises:
            OSError: it cannot be written.
        """
        internal_arrays(path, self.arrays)

    @property
    def parts(self) -> npt.NDArray[np.uint8]:
        """(n,) which part each record went to."""
        return self.arrays["parts"].astype(np.uint8, copy=False)

    def check(self, records: Records | StreamedTable) -> None:
        """Check that these are the records of the run.

        Raises:
            Refusal: they are not.
        """
        salt, digest = (self.arrays[name].tobytes() for name in ("salt", "digest"))
        Fingerprint(salt, digest, len(self.parts)).check(records)

    def network(self, schema: Schema, name: str) -> Sequential:
        """A network by its name.

        Raises:
            Refusal: it is a third-party model's, which is not installed as it was then.
        """
        if f"{name}.outside" in self.arrays:
            return self._outside(schema, name)
        order = tuple(int(each) for each in self.arrays[f"{name}.order"])
        parents: list[tuple[int, ...]] = [()] * len(order)
        for child, parent in self.arrays[f"{name}.edges"].tolist():
            parents[child] = (*parents[child], parent)
        tables = tuple(
            ConditionalTable(self.arrays[f"{name}.table{place}"].astype(np.int64))
            for place in range(len(order))
        )
        fine = self.arrays.get(f"{name}.fine")
        seen = schema if fine is None else schema.refined(fine.astype(bool).tolist())
        tilts = self._tilts(schema, name) if f"{name}.average" in self.arrays else None
        return BayesianNetwork(seen, Structure(tuple(parents), order), tables, tilts)

    def _outside(self, schema: Schema, name: str) -> ThirdPartyLaw:
        of, version = (str(each) for each in self.arrays[f"{name}.outside"])
        law = f"{name}.law."
        arrays = {
            each.removeprefix(law): array
            for each, array in self.arrays.items()
            if each.startswith(law)
        }
        return ThirdPartyLaw.kept(of, version, schema, arrays)

    def _tilts(self, schema: Schema, name: str) -> Tilts:
        many = sum(each.startswith(f"{name}.tilt") for each in self.arrays)
        each = tuple(
            Tilt(
                tuple(View(attribute, bool(b)) for attribute, b in of.astype(int).tolist()),
                self.arrays[f"{name}.logs{place}"].astype(np.float64),
            )
            for place in range(many)
            for of in [self.arrays[f"{name}.tilt{place}"]]
        )
        average, cap = self.arrays[f"{name}.average"].astype(np.float64).tolist()
        return Tilts(schema, each, average, cap)


def _arrays(name: str, model: Sequential) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    """A model as numbers."""
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
    """A network as numbers: its order, (child, parent) of each edge, its weights, whether its
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
        views = [(view.attribute, view.bucketed) for view in tilt.marginal]
        yield f"{name}.tilt{place}", np.array(views, dtype=np.int64)
        yield f"{name}.logs{place}", tilt.logs
