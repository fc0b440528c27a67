"""The work of the process that reads files of statistics programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import BinaryIO

import pyreadstat  # noqa: F401 (loaded once, before there is anything to read)

from understudy.table.sources.isolation import Asked, table_writer
from understudy.table.sources.statistics.statistics_file import read_statistics


def work(asked: Asked) -> Callable[[BinaryIO], None]:
    """Read a file of a statistics program, as of `isolation.read_isolated`."""
    source, kind, encoding, _sheet, _limit = asked
    return table_writer(read_statistics(source, kind, encoding=encoding))
