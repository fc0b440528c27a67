"""What every page needs, loaded once and then left out of the search for garbage.

Streamlit searches after each run of a page, while nothing can be sent. Modules are most of what it
would look through, and that would take longer than most pages take to be drawn.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from dashboard import parts

_HERE = Path(__file__).parent


def load() -> None:
    """Load all that the pages import, and have no search for garbage look at it again.

    What is there by now stays for as long as the process lives, so this comes before any table is
    opened.
    """
    for part in iter_modules(parts.__path__):
        import_module(f"{parts.__name__}.{part.name}")
    for script in (_HERE / "app.py", *sorted(_HERE.glob("views/*.py"))):
        for name in _imported(script):
            import_module(name)
    gc.collect()
    gc.freeze()


def _imported(script: Path) -> Iterator[str]:
    """The modules that a script begins with; to run it would draw its page."""
    for line in ast.parse(script.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.ImportFrom) and line.module:
            yield line.module
        elif isinstance(line, ast.Import):
            yield from (each.name for each in line.names)
