"""HTML printed to PDF by the Chromium of this machine, where there is one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MACS: Final = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
_FLAGS: Final = (
    "--headless",
    "--disable-gpu",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-pdf-header-footer",
    # Nothing of the page comes from elsewhere.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)
_PATIENCE: Final = 120.0
_MOMENT: Final = re.compile(rb"D:\d{14}(?=[^)]{0,10}\))")
_NO_MOMENT: Final = b"D:19800101000000"

MISSING: Final = (
    "There is no PDF, as no Chromium was found on this machine. Install one (Debian: apt-get "
    "install chromium) or name one in $UNDERSTUDY_CHROMIUM; the HTML prints the same from any "
    "browser."
)


def find_chromium() -> str | None:
    """Return the path of a Chromium on this machine; the one that $UNDERSTUDY_CHROMIUM names, if
    any."""
    named = os.environ.get("UNDERSTUDY_CHROMIUM")
    if named:
        return named if Path(named).exists() else None
    on_path = (shutil.which(name) for name in _NAMES)
    macs = (path for path in _MACS if Path(path).exists())
    return next((path for path in (*on_path, *macs) if path), None)


def print_pdf(html: str) -> bytes | None:
    """Return a page as PDF, without the moment at which it was printed; None where that cannot be
    done.

    Everything the browser writes is in a folder that only its owner may read, and is gone
    afterwards.
    """
    path = find_chromium()
    if path is None:
        return None
    with tempfile.TemporaryDirectory(prefix="understudy-print-") as name:
        folder = Path(name)
        (folder / "page.html").write_text(html, encoding="utf-8")
        if not _ran(path, folder):
            return None
        try:
            return _MOMENT.sub(_NO_MOMENT, (folder / "page.pdf").read_bytes())
        except OSError:
            return None


def _ran(path: str, folder: Path) -> bool:
    # Chromium's own sandbox cannot be set up by the superuser, as inside a container.
    alone = ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()
    command = [
        path,
        *_FLAGS,
        *alone,
        f"--user-data-dir={folder / 'profile'}",
        f"--print-to-pdf={folder / 'page.pdf'}",
        (folder / "page.html").as_uri(),
    ]
    try:
        done = subprocess.run(
            command,
            check=False,
            timeout=_PATIENCE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
