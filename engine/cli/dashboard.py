"""`understudy dashboard`: open the page. The engine does not know it; it only starts it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from engine.cli.verb import whole
from engine.refusal import Refusal


def dashboard(
    demo: Annotated[
        bool, typer.Option("--demo", help="Begin with the simulated census loaded.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", metavar="PORT", parser=whole, help="Port to serve on (default 8501)."
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open no browser.")
    ] = False,
) -> None:
    """Open the page in a browser, served from this computer only."""
    if port is not None and not 1 <= port <= 65535:
        raise Refusal(f"{port} is no port.", "Choose a number from 1 to 65535.", field="port")
    home = Path(__file__).resolve().parents[2]
    if not (home / "dashboard" / "__main__.py").is_file():
        raise Refusal(
            "The page is not part of this installation.", "Install all of Understudy, then retry."
        )
    choices = ["--demo"] * demo + ["--no-browser"] * no_browser
    if port is not None:
        choices += ["--port", str(port)]
    # Found beside the engine, and never in a folder that happens to be called dashboard here.
    paths = [str(home), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, "-P", "-m", "dashboard", *choices], environment)
