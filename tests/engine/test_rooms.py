"""The engine stands without the page."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ENGINE = Path(__file__).resolve().parents[2] / "engine"
FILES = sorted(ENGINE.rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The packages that a file imports, at its head or within a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def test_nothing_of_the_page_is_imported() -> None:
    strangers = {"dashboard", "streamlit"}
    found = {str(path.relative_to(ENGINE)): strangers & set(imported(path)) for path in FILES}
    assert not {name: each for name, each in found.items() if each}


def test_there_are_files_to_look_at() -> None:
    assert len(FILES) > 100
    assert "numpy" in imported(ENGINE / "files.py")
