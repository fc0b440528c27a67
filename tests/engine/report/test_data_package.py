"""The table keeps to its own description, read by nothing of ours."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Packets = Callable[[str], Path]


def fits(cell: str, field: dict[str, Any]) -> bool:
    """Whether a cell is what its field of the Table Schema allows."""
    constraints = field["constraints"]
    if cell in field["missingValues"]:
        return not constraints["required"]
    match field["type"]:
        case "string":
            return cell in constraints["enum"]
        case "integer":
            whole = re.fullmatch(r"-?[0-9]+", cell) is not None
            return whole and constraints["minimum"] <= int(cell) <= constraints["maximum"]
        case _:
            return bool(constraints["minimum"] <= float(cell) <= constraints["maximum"])


@pytest.mark.parametrize("kind", ["attempts", "releases", "seedless", "stained"])
def test_the_table_is_as_the_data_package_says(packets_of: Packets, kind: str) -> None:
    folder = packets_of(kind)
    package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    assert package["$schema"] == "https://datapackage.org/profiles/2.0/datapackage.json"
    assert re.fullmatch(r"[a-z0-9-]+", package["name"])
    for resource in package["resources"]:
        content = (folder / resource["path"]).read_bytes()
        assert resource["bytes"] == len(content)
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}"
    table = package["resources"][0]
    fields = table["schema"]["fields"]
    with (folder / table["path"]).open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == [field["name"] for field in fields]
    assert rows
    for row in rows:
        assert len(row) == len(fields)
        for cell, field in zip(row, fields, strict=True):
            assert fits(cell, field), field["name"]
