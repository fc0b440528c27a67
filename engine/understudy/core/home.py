"""The folder in which this program keeps what it has to keep."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """Return where runs are kept: $UNDERSTUDY_HOME, or .understudy in the user's home."""
    chosen = os.environ.get("UNDERSTUDY_HOME")
    return Path(chosen) if chosen else Path.home() / ".understudy"
