"""What pages are made of, loaded once and then left out of the search for garbage.

Streamlit searches after each run of a page, while nothing can be sent. Modules are most of what it
would look through, and that would take longer than most pages take to be drawn.
"""

from __future__ import annotations

import gc
from importlib import import_module
from pkgutil import walk_packages

from understudy_dashboard import methods, parts


def load() -> None:
    """Load the parts of all pages, and have no search for garbage look at them again.

    What is there by now stays for as long as the process lives, so this comes before any table is
    opened.
    """
    for room in (parts, methods):
        for part in walk_packages(room.__path__, f"{room.__name__}."):
            import_module(part.name)
    # One method asks for it as late as it can, as whoever does without should not wait for it.
    import_module("scipy.stats")
    gc.collect()
    gc.freeze()
