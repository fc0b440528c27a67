"""The digest by which a resumed run recognises its table, of which no copy is kept."""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field

import numpy as np

from understudy.core.refusal import Refusal
from understudy.table.records import Records
from understudy.table.sources.streamed import StreamedTable, in_pieces

_SALT = 32


@dataclass(frozen=True)
class Fingerprint:
    """A salted digest of a table. Confidential: a guess of the whole table can be tried on it.

    Attributes:
        salt: 32 bytes, of this fingerprint only.
        digest: of the table, with the salt.
        records: how many it has.
    """

    salt: bytes = field(repr=False)
    digest: bytes = field(repr=False)
    records: int = field(repr=False)

    @classmethod
    def of(cls, records: Records | StreamedTable) -> Fingerprint:
        """Return the fingerprint of a table.

        Raises:
            Refusal: it is read piece by piece, and cannot be read to its end.
        """
        salt = secrets.token_bytes(_SALT)
        return cls(salt, _digest(records, salt), len(records))

    def check(self, records: Records | StreamedTable) -> None:
        """Check that a table is the same.

        Raises:
            Refusal: it is another, or cannot be read to its end.
        """
        if len(records) != self.records or not secrets.compare_digest(
            _digest(records, self.salt), self.digest
        ):
            raise Refusal(
                "This is not the table that the run was made from.",
                "Open the file as it was then, its records in the same order, with the same "
                "columns and the same choices for values outside the schema.",
                field="table",
            )


def _digest(records: Records | StreamedTable, salt: bytes) -> bytes:
    """BLAKE2b, salted, over the names of the columns, the texts of their values, the codes, and the
    numbers of continuous columns."""
    columns = [[column.name, list(column.texts)] for column in records.schema.columns]
    hashed = hashlib.blake2b(key=salt, digest_size=32)
    hashed.update(json.dumps(columns).encode())
    hashed.update(b"\0")
    # Apart, so that it does not matter how many pieces a table is read in.
    measured = hashlib.blake2b(key=salt, digest_size=32)
    for piece in in_pieces(records):
        hashed.update(np.ascontiguousarray(piece.codes, dtype="<u2").data)
        if piece.numbers is not None:
            measured.update(np.ascontiguousarray(piece.numbers, dtype="<f8").data)
    if records.schema.continuous:
        hashed.update(measured.digest())
    return hashed.digest()
