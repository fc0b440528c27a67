"""A confidential table with canaries in it, and a search that finds them wherever they went.

A canary is a value that no schema here declares: a stray category, a number out of range, a date, a
name, an identifier. Declared values are public by declaration, so they are no canaries.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from understudy.table.buckets import ByWidth
from understudy.table.categories import Categories
from understudy.table.column import Column
from understudy.table.continuous import Continuous
from understudy.table.dates import Dates
from understudy.table.grid import Grid
from understudy.table.missing_codes import MissingCode
from understudy.table.schema import Schema
from understudy.table.times import DatesTimes

STRAY, NAME, IDENTITY = "zebrawood", "Quillfeather", "QX7ZKW9P"
WHOLE, DECIMAL, DATE = 8675309, 5550123.25, "1873-11-29"

ROWS = 700
_JOBS, _AREAS = ("clerk", "cook", "nurse", "smith"), ("north", "south", "west")

_SIGNS = (
    STRAY,
    NAME.lower(),
    IDENTITY.lower(),
    # Numbers and dates however they are written: grouped, with an exponent, turned round. Within
    # the digits of another number they stand by chance.
    r"(?<!\d)8[,.\u202f\u00a0 ]?675[,.\u202f\u00a0 ]?309(?!\d)",
    r"(?<!\d)8\.675309e",
    r"(?<!\d)5[,.\u202f\u00a0 ]?550[,.\u202f\u00a0 ]?123(?!\d)",
    r"(?<!\d)5\.55012",
    r"(?<!\d)1873[-/.]?11[-/.]?29(?!\d)",
    r"29[-/. ](?:11|nov\w*)[-/. ]1873",
    r"-34998|-3032899200|-3\.0328992",  # the date as days and as seconds since 1970
)
_FOUND = re.compile("|".join(_SIGNS), re.IGNORECASE)
_FOUND_BYTES = re.compile("|".join(_SIGNS[:3]).encode(), re.IGNORECASE)
_WIDE = [
    each.encode(coding)
    for each in (STRAY, NAME, IDENTITY, str(WHOLE), DATE)
    for coding in ("utf-16-le", "utf-16-be", "utf-32-le")
]


def frame(rows: int = ROWS) -> pd.DataFrame:
    """The table: all but identity and name is declared, with strays."""
    rng = np.random.default_rng(11)
    job = rng.integers(0, 4, rows)
    dates = _dates(np.random.default_rng(12), rows)
    table = pd.DataFrame(
        {
            "AREA": np.array(_AREAS, dtype=object)[rng.integers(0, 3, rows)],
            "JOB": np.array(_JOBS, dtype=object)[job],
            "AGE": rng.integers(18, 90, rows),
            "PAY": 1000.5 + 500 * ((job + rng.integers(0, 2, rows)) % 4),
            "BORN": [f"19{year:02d}-0{month}-15" for year, month in _dates(rng, rows)],
            "SEEN": [f"15.0{month}.20{year // 5:02d} 1{month}:30" for year, month in dates],
            "FEE": [f"1.{year}0,50 $" for year, _ in dates],
            "IDENT": [f"{IDENTITY}{number:05d}" for number in range(rows)],
            "NAME": [f"{NAME} {number}" for number in range(rows)],
        }
    )
    strays = range(3, rows, rows // 5)
    for place in strays:
        table.loc[place, "AREA"] = f"{STRAY} {place}"
        table.loc[place + 1, "JOB"] = STRAY
        table.loc[place + 2, "AGE"] = WHOLE
        table.loc[place + 3, "PAY"] = DECIMAL
        table.loc[place + 4, "BORN"] = DATE
        table.loc[place + 5, "SEEN"] = f"{'.'.join(reversed(DATE.split('-')))} 08:15"
        table.loc[place + 6, "FEE"] = "8.675.309,00 $"
    return table


def _dates(rng: np.random.Generator, rows: int) -> list[tuple[int, int]]:
    return [
        (int(year), int(month))
        for year, month in zip(rng.integers(30, 99, rows), rng.integers(1, 10, rows), strict=True)
    ]


def csv(rows: int = ROWS) -> bytes:
    """The table as a CSV file."""
    return frame(rows).to_csv(index=False).encode()


def schema(*, missing: bool = True) -> Schema:
    """What is declared, which no canary is part of.

    Args:
        missing: whether categories may be missing, so that strays can be counted as that.
    """
    return Schema(
        columns=(
            Column(
                name="AREA",
                domain=Categories(values=_AREAS),
                missing=missing,
                missing_codes=(
                    MissingCode(values=("-7",), label="does not apply"),
                    MissingCode(),
                    MissingCode(values=("-8",), label="not asked"),
                ),
            ),
            Column(name="JOB", domain=Categories(values=_JOBS), missing=missing),
            Column(
                name="AGE",
                domain=Grid(minimum=Decimal(18), maximum=Decimal(89)),
                buckets=ByWidth(width=Decimal(12)),
            ),
            Column(
                name="PAY",
                domain=Grid(
                    kind="numbers",
                    minimum=Decimal("0.5"),
                    maximum=Decimal("3000.5"),
                    step=Decimal(50),
                ),
                buckets=ByWidth(width=Decimal(500)),
            ),
            Column(
                name="BORN",
                domain=Dates(minimum="1930-01-01", maximum="1998-12-31", step="year"),
                missing=missing,
            ),
            Column(
                name="SEEN",
                domain=DatesTimes(
                    minimum="2006-01-01",
                    maximum="2019-12-31",
                    step="year",
                    spelling="DD.MM.YYYY hh:mm",
                ),
                missing=missing,
            ),
            Column(
                name="FEE",
                domain=Continuous(
                    minimum=1000, maximum=2000, step=100, precision="0.01", spelling="1.234,5 $"
                ),
                missing=missing,
            ),
        )
    ).declare_public()


def canaries(text: str) -> list[str]:
    """The canaries in a text, each with a little of what is around it."""
    return [text[max(0, each.start() - 30) : each.end() + 10] for each in _FOUND.finditer(text)]


def canaries_in_bytes(content: bytes, name: str = "") -> list[str]:
    """The canaries in a file, looked for inside of archives, Parquet and compressed streams too."""
    found = canaries(content.decode("utf-8", errors="replace"))
    found += [repr(each) for each in _FOUND_BYTES.findall(content)]
    found += [repr(each) for each in _WIDE if each in content]
    if content[:4] == b"PK\x03\x04":
        found += [each for part in _members(content) for each in canaries_in_bytes(part)]
    elif content[:4] == b"PAR1":
        text = pq.read_table(io.BytesIO(content)).to_pandas().to_csv()
        found += canaries(text)
    elif content[:4] == b"%PDF":
        found += [each for part in _streams(content) for each in canaries_in_bytes(part)]
    return found


def canaries_below(*folders: Path, but: tuple[str, ...] = ()) -> list[str]:
    """The canaries in everything below some folders, names of files included.

    Args:
        folders: where.
        but: names of files that are allowed to hold some.
    """
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            found += [f"{path}: in its name" for _ in canaries(path.name)]
            if path.is_file() and not path.is_symlink() and path.name not in but:
                found += [f"{path}: {each}" for each in canaries_in_bytes(path.read_bytes())]
    return found


def _members(content: bytes) -> Iterator[bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            yield name.encode()
            yield archive.read(name)


def _streams(content: bytes) -> Iterator[bytes]:
    """The parts of a PDF, unpacked where they can be."""
    for part in content.split(b"stream")[1::2]:
        try:
            yield zlib.decompressobj().decompress(part.lstrip(b"\r\n"))
        except zlib.error:
            continue
