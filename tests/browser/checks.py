"""Whether two downloaded files make one release that keeps to its schema."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from understudy.table.encoding import RELEASED, encode_public
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table


def released(table: Path, guarantee: Path, schema: Schema) -> tuple[Records, dict[str, Any]]:
    """The records of a downloaded table, and what its guarantee says.

    Raises:
        AssertionError: the two do not belong together, or the columns are others.
        Refusal: a value lies outside the schema.
    """
    said: dict[str, Any] = json.loads(guarantee.read_text(encoding="utf-8"))
    raw = read_table(table, RELEASED)
    assert raw.names == schema.header
    records = encode_public(raw, schema)
    assert said["table"]["columns"] == list(schema.header)
    assert said["table"]["rows"] == len(records) > 0
    assert said["table"]["sha256"] == hashlib.sha256(table.read_bytes()).hexdigest()
    assert said["plan"]["domain"] == schema.fingerprint
    return records, said
