"""What the small files of a packet of one table hold, kept from one change to the next."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from understudy import __version__

SAME = {
    "README.txt": "2456634f9fb9515330fe090360fb2b74039709ee64a2111cfb4bb8cea7b7ec93",
    "datapackage.json": "016bb342a3a838c615da32b2143397d4134192d5cdde8aae43115374220a3638",
    "dictionary.csv": "63b80e04406a4d32f8351bb71d3c96d0ac1cff9bac0c3703eb16eb631b2074b5",
    "guarantee.json": "d2142144dec6e121f2b97bba8537f44cc9df1644b5505d4243875419095ba17a",
    "guarantee.schema.json": "ad9fbd979180080eb6dc652680e142863f8df520f28c1e2905f84f92e13cba3c",
    "guarantee.txt": "a9ed7c4ab541e13f6a122068e867355096111d53bec1ccd2278f0f9a4a4704b1",
    "packet.json": "1dfc9283973e7580aceea60f957cf0357b1b059db2a2914c41600cbe8eb9bb85",
    "plan.json": "483c60eb9b9447774a2d81e1a2b8e2837fe6fad26bedfc587fe46baca332d386",
    "schema.json": "85c6def1064ef505f24741fbc4fcb6a3135570c247f82fb5125ec572869917e2",
    "values.csv": "b23ac7b4569f1af3a4a958e78414a63f15b598683afcc7ec00363e91483a9bca",
}
"""SHA-256 of files of a packet made with a fixed seed, the version of the program, the moment of
the declaration and hashes of Parquet files aside. Whoever changes one says in the commit why such
a packet is written otherwise: packets that were issued stay as they are, and only the version that
made them checks their words."""


@pytest.mark.parametrize("name", SAME)
def test_a_packet_of_one_table_is_written_as_it_was(
    name: str, packets_of: Callable[[str], Path]
) -> None:
    text = (packets_of("stained") / name).read_text(encoding="utf-8")
    text = text.replace(f"understudy {__version__}", "understudy")
    text = re.sub(r'"at": "[^"]*"', '"at": ""', text)
    text = re.sub(r"\b\d{4}-\d{2}-\d{2}\b", "", text)
    if name == "datapackage.json":
        text = text.partition('"name": "synthetic-parquet"')[0]
    assert hashlib.sha256(text.encode()).hexdigest() == SAME[name]
