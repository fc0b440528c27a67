"""A figure of a reproduction: a picture, and a table of the numbers that are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import pandas as pd

from understudy.charts.export import svg, table_csv, with_mark
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.core.files import replace_text


@dataclass(frozen=True)
class Picture:
    """One figure.

    Attributes:
        name: of its files, such as “figure-6”.
        title: what it shows.
        chart: how it is drawn.
        numbers: what is drawn, row by row.
    """

    name: str
    title: str
    chart: alt.LayerChart | alt.Chart
    numbers: pd.DataFrame


def write(pictures: Sequence[Picture], folder: Path, *, internal: bool) -> tuple[Path, ...]:
    """Write every figure's picture, as SVG, and its numbers into a folder.

    Args:
        pictures: the figures.
        folder: made if it is not there.
        internal: whether the table is confidential: the files' names and a column of the numbers
            then say so, and nobody else on this machine may read them.

    Returns:
        The files, in the order of the figures.

    Raises:
        OSError: one of them cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if internal:
        folder.chmod(0o700)
    files = []
    for each in pictures:
        stem = f"INTERNAL-{each.name}" if internal else each.name
        numbers = with_mark(each.numbers, NOT_FOR_RELEASE) if internal else each.numbers
        made = {
            "svg": svg(each.chart.to_dict()),
            "csv": table_csv(numbers),
        }
        for kind, text in made.items():
            path = folder / f"{stem}.{kind}"
            (replace_text if internal else _written)(path, text)
            files.append(path)
    return tuple(files)


def _written(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
