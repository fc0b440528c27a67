"""The small files of a packet of one table are written as they were.

The texts are kept in `golden/` beside this file, with the version, dates and hashes of Parquet left
out; tests/golden.py tells how they are written anew. Packets that were issued stay as they are, and
only the version that made them checks their words.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.golden import check_golden
from understudy import __version__

GOLDEN: Final = Path(__file__).with_name("golden")
FILES: Final = (
    "README.txt",
    "datapackage.json",
    "dictionary.csv",
    "guarantee.json",
    "guarantee.schema.json",
    "guarantee.txt",
    "packet.json",
    "plan.json",
    "schema.json",
    "values.csv",
)


def normalise(name: str, text: str) -> str:
    """Return the text of a file of a packet without what differs from run to run."""
    text = text.replace(f"understudy {__version__}", "understudy")
    text = re.sub(r'"at": "[^"]*"', '"at": ""', text)
    text = re.sub(r"\b\d{4}-\d{2}-\d{2}\b", "", text)
    if name == "datapackage.json":
        text = text.partition('"name": "synthetic-parquet"')[0]
    return text


@pytest.mark.parametrize("name", FILES)
def test_a_packet_of_one_table_is_written_as_it_was(
    name: str, packets_of: Callable[[str], Path]
) -> None:
    packet = packets_of("stained") / name
    check_golden(GOLDEN / name, normalise(name, packet.read_text(encoding="utf-8")))
