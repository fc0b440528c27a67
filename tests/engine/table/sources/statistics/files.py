"""Files of statistics packages, and reading them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyreadstat

from understudy.table.raw import RawTable
from understudy.table.sources.source import open_source
from understudy.table.sources.statistics.statistics_file import read_statistics

STATISTICS = ("dta", "sav", "zsav", "por", "xpt", "sas7bdat")


LABELLED = ("dta", "sav", "zsav")


def people(rows: int = 40) -> pd.DataFrame:
    """Numbers, some missing, and texts."""
    return pd.DataFrame(
        {
            "sex": [1.0, 2.0, None, 2.0] * (rows // 4),
            "pay": [0.1, 1234.5, 3.0, -7.25] * (rows // 4),
            "town": ["Ghent", "", "Trier", "Nice"] * (rows // 4),
        }
    )


def read(source: Path | bytes, name: str | None = None, encoding: str | None = None) -> RawTable:
    """Read a file in this process, which is as good as in one of its own, and faster."""
    found = open_source(source, name, 1 << 30)
    return read_statistics(found, found.kind, encoding=encoding)


def texts(raw: RawTable) -> dict[str, list[str]]:
    return {name.casefold(): raw.arrow.column(name).to_pylist() for name in raw.names}


def xport5(frame: pd.DataFrame, path: Path) -> bytes:
    """A SAS transport file of the older kind, which does not count its records."""
    pyreadstat.write_xport(frame, str(path), file_format_version=5)
    return path.read_bytes()
