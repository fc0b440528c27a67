"""Arrays in a run's internal folder: the parts its table was dealt into, and networks. Internal.

The table itself is not among them: whoever brings it again has it recognised by a salted digest.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.files import internal_arrays
from engine.models.bayesnet.network import BayesianNetwork, Structure
from engine.models.categorical import ConditionalTable
from engine.refusal import Refusal
from engine.table.records import Records
from engine.table.schema import Schema

_SALT = 32

Arrays = Mapping[str, npt.NDArray[np.generic]]


@dataclass(frozen=True, eq=False)
class Kept:
    """What one file holds. Confidential."""

    arrays: Arrays

    @classmethod
    def of(
        cls,
        records: Records,
        parts: npt.NDArray[np.uint8],
        networks: Mapping[str, BayesianNetwork],
    ) -> Kept:
        """What is to be kept of a run.

        Args:
            records: its table.
            parts: (n,) which part each record went to; see `assign`.
            networks: what it learned, each with a name.
        """
        salt = secrets.token_bytes(_SALT)
        arrays: dict[str, npt.NDArray[np.generic]] = {
            "salt": np.frombuffer(salt, np.uint8),
            "digest": np.frombuffer(_digest(records, salt), np.uint8),
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

    def check(self, records: Records) -> None:
        """Check that these are the records of the run.

        Raises:
            Refusal: they are not.
        """
        salt, digest = (self.arrays[name].tobytes() for name in ("salt", "digest"))
        if len(records) != len(self.parts) or not secrets.compare_digest(
            _digest(records, salt), digest
        ):
            raise Refusal(
                "This is not the table that the run was made from.",
                "Open the file as it was then, its records in the same order, with the same "
                "columns and the same choices for values outside the schema.",
                field="table",
            )

    def network(self, schema: Schema, name: str) -> BayesianNetwork:
        """A network by its name."""
        order = tuple(int(each) for each in self.arrays[f"{name}.order"])
        parents: list[tuple[int, ...]] = [()] * len(order)
        for child, parent in self.arrays[f"{name}.edges"].tolist():
            parents[child] = (*parents[child], parent)
        tables = tuple(
            ConditionalTable(self.arrays[f"{name}.table{place}"].astype(np.int64))
            for place in range(len(order))
        )
        return BayesianNetwork(schema, Structure(tuple(parents), order), tables)


def _arrays(name: str, network: BayesianNetwork) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    """A network as integers: its order, (child, parent) of each edge, and its weights."""
    structure = network.structure
    edges = [(child, parent) for child, each in enumerate(structure.parents) for parent in each]
    yield f"{name}.order", np.array(structure.order, dtype=np.int64)
    yield f"{name}.edges", np.array(edges, dtype=np.int64).reshape(-1, 2)
    for place, table in enumerate(network.tables):
        yield f"{name}.table{place}", table.weights


def _digest(records: Records, salt: bytes) -> bytes:
    """BLAKE2b, salted, over the names of the columns, the texts of their values, and the codes."""
    columns = [[column.name, list(column.texts)] for column in records.schema.columns]
    hashed = hashlib.blake2b(key=salt, digest_size=32)
    hashed.update(json.dumps(columns).encode())
    hashed.update(b"\0")
    hashed.update(np.ascontiguousarray(records.codes, dtype="<u2").data)
    return hashed.digest()
