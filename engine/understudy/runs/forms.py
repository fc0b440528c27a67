"""The kinds of file that a table is released in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

TableForm = Literal["csv", "parquet"]

TABLE: Final[Mapping[TableForm, str]] = {"csv": "synthetic.csv", "parquet": "synthetic.parquet"}
"""What the file of the synthetic table is called."""
