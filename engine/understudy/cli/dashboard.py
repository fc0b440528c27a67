"""`understudy dashboard`: open the page. The engine does not know it; it only starts it."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

import understudy
from understudy.cli.verb import whole_type
from understudy.core.refusal import Refusal


@dataclass(frozen=True, kw_only=True)
class DashboardRequest:
    """What was typed."""

    demo: Annotated[
        bool,
        typer.Option(
            "--demo", help="Show simulated people only; no table of anybody's own can be opened."
        ),
    ] = False
    sample: Annotated[
        bool, typer.Option("--sample", help="Begin with the simulated census loaded.")
    ] = False
    port: Annotated[
        int | None,
        typer.Option(
            "--port", metavar="PORT", parser=whole_type, help="Port to serve on (default 8501)."
        ),
    ] = None
    upload_limit: Annotated[
        int | None,
        typer.Option(
            "--upload-limit",
            metavar="MB",
            parser=whole_type,
            help="The most megabytes that can be uploaded (default 500). Larger files are opened "
            "by their path.",
        ),
    ] = None
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open no browser.")
    ] = False
    sign_in: Annotated[
        Path | None,
        typer.Option(
            "--sign-in", metavar="FILE", help="Have people sign in, as this file says (TOML)."
        ),
    ] = None
    public_address: Annotated[
        str | None,
        typer.Option(
            "--public-address", metavar="URL", help="The address that a proxy serves the page at."
        ),
    ] = None

    @property
    def choices(self) -> list[str]:
        """The choices as the page's own command line takes them."""
        choices = (
            ["--demo"] * self.demo + ["--sample"] * self.sample + ["--no-browser"] * self.no_browser
        )
        if self.port is not None:
            choices += ["--port", str(self.port)]
        if self.upload_limit is not None:
            choices += ["--upload-limit", str(self.upload_limit)]
        if self.sign_in is not None:
            choices += ["--sign-in", str(self.sign_in.absolute())]
        if self.public_address is not None:
            choices += ["--public-address", self.public_address]
        return choices


def dashboard(asked: DashboardRequest) -> None:
    """Open the page in a browser, served from this computer only."""
    if asked.port is not None and not 1 <= asked.port <= 65535:
        raise Refusal(f"{asked.port} is no port.", "Choose a number from 1 to 65535.", field="port")
    page = find_spec("understudy_dashboard")
    if page is None or page.origin is None:
        raise Refusal(
            "The page is not part of this installation.", "Install all of Understudy, then retry."
        )
    # Both packages are found where they lie, and never in the folder that the command runs in.
    homes = [str(Path(each).resolve().parents[1]) for each in (page.origin, understudy.__file__)]
    paths = [*homes, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    sys.stdout.flush()
    command = [sys.executable, "-P", "-m", "understudy_dashboard", *asked.choices]
    os.execve(sys.executable, command, environment)
