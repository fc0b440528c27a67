"""`python -m dashboard`: start the page on this machine, for this machine only."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
import time
import tomllib
import webbrowser
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

APP = Path(__file__).with_name("app.py")
SETTINGS = Path(__file__).with_name("config.toml")
HOST = "127.0.0.1"
_FIRST_PORT, _PORTS = 8501, 100


def main(arguments: list[str] | None = None) -> int:
    """Read the options, print the address, and serve until interrupted."""
    options = _options(arguments)
    port = options.port or free_port()
    if port is None or (options.port and not _is_free(port)):
        print(
            f"Port {options.port or _FIRST_PORT} is in use. Choose another with --port.",
            file=sys.stderr,
        )
        return 2
    if options.demo:
        os.environ["UNDERSTUDY_DEMO"] = "1"
    address = f"http://{HOST}:{port}"
    print(f"Understudy is at {address}  (Ctrl+C stops it)", flush=True)
    if not options.no_browser and _has_display():
        threading.Thread(target=_open, args=(address, port), daemon=True).start()
    _serve(port)
    return 0


def flags(port: int) -> dict[str, Any]:
    """The settings the page is served with, wherever it is started from."""
    settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    return {**dict(_flattened(settings)), "server_port": port, "server_address": HOST}


def free_port() -> int | None:
    """The first free port from Streamlit's usual one upwards."""
    return next(filter(_is_free, range(_FIRST_PORT, _FIRST_PORT + _PORTS)), None)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m dashboard", description=__doc__)
    parser.add_argument("--demo", action="store_true", help="open the sample census at once")
    parser.add_argument("--port", type=int, help="the port to listen on")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    return parser.parse_args(arguments)


def _serve(port: int) -> None:
    from streamlit.web import bootstrap

    # The page's own folder comes first on the path otherwise, without the one above it.
    sys.path.insert(0, str(APP.parents[1]))
    settings = flags(port)
    bootstrap.load_config_options(settings)
    bootstrap.run(str(APP), False, [], settings)


def _flattened(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flattened(value, f"{before}{name}_")
        else:
            yield f"{before}{name}", value


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def _has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _open(address: str, port: int) -> None:
    """Open the browser once the page answers."""
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                webbrowser.open(address)
                return
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
