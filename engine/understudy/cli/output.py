"""What a verb prints: aligned lines for people, one JSON object for programs."""

from __future__ import annotations

import json
import math
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from understudy.core.files import read_small_file, refuse_disk_error
from understudy.core.refusal import Refusal
from understudy.core.text_escape import escape_invisible, first_unseen
from understudy.privacy.budget import Budget

_MOST_BYTES = 256 << 20


def echo(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print lines, every letter of them seen, so that no name from a file steers the terminal.

    Args:
        text: the lines.
        nl: whether the line ends after them.
        err: whether they are beside the result, as what is said while it is waited for.
    """
    typer.echo(escape_invisible(text, lines=True), nl=nl, err=err)


def print_json(figures: Mapping[str, Any]) -> None:
    """Print one JSON object, without the NaN and Infinity that JSON does not know, and with what
    is not seen written as JSON escapes it."""
    readable = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(figures, indent=2, ensure_ascii=not readable, allow_nan=False)
    lines = (line if first_unseen(line) is None else _escape(line) for line in text.split("\n"))
    typer.echo("\n".join(lines))


def _escape(line: str) -> str:
    """Return a line of JSON with what is not seen, which stands in texts only, as JSON escapes
    it."""
    return "".join(each if first_unseen(each) is None else _json_escape(each) for each in line)


def _json_escape(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2].hex() for at in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs)


def keep_finite(found: Any) -> Any:
    """Return the same value, with None in place of each number that JSON does not know."""
    if isinstance(found, Mapping):
        return {name: keep_finite(each) for name, each in found.items()}
    if isinstance(found, list | tuple):
        return [keep_finite(each) for each in found]
    return None if isinstance(found, float) and not math.isfinite(found) else found


def print_aligned(rows: Iterable[Sequence[str]], indent: str = "") -> None:
    """Print rows of cells, each column as wide as its widest cell."""
    cells = [[escape_invisible(cell) for cell in row] for row in rows]
    columns = max((len(row) for row in cells), default=0)
    widths = [max(len(row[at]) for row in cells if at < len(row)) for at in range(columns)]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        echo(f"{indent}{line}".rstrip())


def print_wrapped(text: str, indent: str = "") -> None:
    """Print running text, no line wider than the terminal."""
    width = min(96, shutil.get_terminal_size().columns)
    text = escape_invisible(text, lines=True)
    echo(textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent))


def describe_budget(epsilon: float | None, delta: float | None) -> str:
    """Return an (ε, δ) in words, rounded upwards so that nothing is overstated."""
    if epsilon is None or delta is None:
        return Budget.unbounded().in_signs()
    return Budget(epsilon, delta).in_signs()


def read_text_file(path: Path, what: str) -> str:
    """Return the text of a small file that was named on the command line.

    Raises:
        Refusal: there is no such file, it is none that ends, or it holds no text.
    """
    try:
        return read_small_file(path, _MOST_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        raise Refusal(f"There is no file {path}.", f"Name the file that holds {what}.") from None
    except UnicodeDecodeError:
        raise Refusal(f"{path} is not a text file.", f"Name the file that holds {what}.") from None
    except OSError as error:
        raise refuse_disk_error(error, path) from None


def refuse_taken(
    path: Path,
    remedy: str = "Choose another name, or remove it first.",
    *,
    field: str | None = None,
) -> None:
    """Check that nothing is in the place of a file about to be written.

    Raises:
        Refusal: something is.
    """
    if path.exists() or path.is_symlink():
        raise Refusal(f"{path} exists already, and is not overwritten.", remedy, field=field)


@contextmanager
def refuse_disk_faults(path: Path) -> Iterator[None]:
    """Turn what the operating system says about a file into a refusal.

    Raises:
        Refusal: in place of an `OSError`.
    """
    try:
        yield
    except OSError as error:
        raise refuse_disk_error(error, path) from None
