"""Texts that are kept in files, and compared line by line.

With REWRITE_GOLDEN=1 in the environment the files are written anew, for a change that is meant:

    REWRITE_GOLDEN=1 .venv/bin/python -m pytest tests/engine/report/test_packet.py
"""

from __future__ import annotations

import os
from pathlib import Path


def check_golden(path: Path, text: str) -> None:
    """Check that a text is the one that the file keeps, to the letter."""
    if os.environ.get("REWRITE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
    kept = path.read_bytes().decode()
    assert text.splitlines() == kept.splitlines()
    assert text == kept
