"""The examples in Python of the documents run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.engine.front.conftest import at_work, census_file

__all__ = ["at_work", "census_file"]

ROOT = Path(__file__).resolve().parents[1]


def blocks(name: str) -> list[str]:
    """The blocks of Python of a document, without comments and empty lines."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [re.sub(r" *#.*$|^\n", "", block, flags=re.MULTILINE) for block in found]


README, DOCUMENT = blocks("README.md"), blocks("docs/python.md")


def test_both_documents_have_the_same_six_lines() -> None:
    assert DOCUMENT[:1] == README
    (text,) = README
    assert len(text.splitlines()) == 7
    assert text.startswith("import understudy as us\n")


@pytest.mark.parametrize("text", DOCUMENT, ids=range(len(DOCUMENT)))
def test_an_example_runs(text: str, at_work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # No browser prints the report.
    monkeypatch.setattr("understudy.report.packet.print_pdf", lambda _: None)
    found: dict[str, Any] = {}
    exec(compile(text, "example", "exec"), found)
    if "packet" in found:
        assert found["us"].verify(found["packet"]).passed
