"""What a reproduction prints: headings, text, tables and figures, as plain text or Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import altair as alt
import pandas as pd

from understudy.charts.export import svg, table_csv, with_mark
from understudy.charts.scales import NOT_FOR_RELEASE
from understudy.core.files import replace_text

WIDTH = 96


@dataclass(frozen=True)
class DocumentGrid:
    """Cells in rows and columns; all columns but the first stand to the right.

    Attributes:
        caption: what it shows; may be empty.
        header: a cell for each column.
        rows: as many cells each.
        words: how many columns, from the left, are words and stand to the left.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


@dataclass(frozen=True)
class Section:
    """A heading with what stands under it, in this order."""

    title: str
    words: tuple[str, ...] = ()
    grids: tuple[DocumentGrid, ...] = ()
    after: tuple[str, ...] = ()


def as_text(sections: Sequence[Section]) -> str:
    """For a terminal."""
    lines: list[str] = []
    for each in sections:
        lines += ["", each.title, "=" * len(each.title)]
        for words in each.words:
            lines += ["", *textwrap.wrap(words, WIDTH)]
        for grid in each.grids:
            lines += ["", *_grid_text(grid)]
        for words in each.after:
            lines += ["", *textwrap.wrap(words, WIDTH)]
    return "\n".join(lines[1:]) + "\n"


def as_markdown(sections: Sequence[Section], level: int = 2) -> str:
    """For a page; `level` is that of the headings."""
    lines: list[str] = []
    for each in sections:
        lines += ["", f"{'#' * level} {each.title}"]
        for words in each.words:
            lines += ["", *textwrap.wrap(words, 100, break_on_hyphens=False)]
        for grid in each.grids:
            if grid.caption:
                lines += ["", f"**{grid.caption}**"]
            ruler = ["---" if at < grid.words else "---:" for at in range(len(grid.header))]
            table = [grid.header, tuple(ruler), *grid.rows]
            lines += ["", *(f"| {' | '.join(map(_cell, row))} |" for row in table)]
        for words in each.after:
            lines += ["", *textwrap.wrap(words, 100, break_on_hyphens=False)]
    return "\n".join(lines[1:]) + "\n"


def as_page(sections: Sequence[Section]) -> str:
    """Write a page of its own: the first heading is its title."""
    return f"{as_markdown(sections[:1], 1)}\n{as_markdown(sections[1:], 2)}"


def _cell(text: str) -> str:
    """Text that a Markdown table keeps in one cell."""
    return " ".join(text.split()).replace("|", "\\|")


def _grid_text(grid: DocumentGrid) -> list[str]:
    table = [grid.header, *grid.rows]
    widths = [max(len(row[at]) for row in table) for at in range(len(grid.header))]
    lines = [*textwrap.wrap(grid.caption, WIDTH), ""] if grid.caption else []
    for row in table:
        cells = [
            cell.ljust(width) if at < grid.words else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(f"  {'  '.join(cells)}".rstrip())
    return lines


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
            (replace_text if internal else _write_text)(path, text)
            files.append(path)
    return tuple(files)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
