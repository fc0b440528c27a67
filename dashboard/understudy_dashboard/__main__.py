"""`python -m understudy_dashboard`: start the page on this machine, for this machine only."""

from __future__ import annotations

import argparse
import http.client
import os
import socket
import sys
import threading
import time
import tomllib
import webbrowser
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.core.extras import suggest_install
from understudy.core.refusal import Refusal
from understudy_dashboard.browser_auth import HEALTH, BrowserKeys, list_local_origins
from understudy_dashboard.demo import FOLDER, is_demonstration
from understudy_dashboard.people import SignIn
from understudy_dashboard.sign_in_file import public_address

if TYPE_CHECKING:
    from understudy_dashboard.browser_auth import SignOuts

APP = Path(__file__).with_name("app.py")
SETTINGS = Path(__file__).with_name("config.toml")
HOST = "127.0.0.1"
UPLOAD_LIMIT = "UNDERSTUDY_UPLOAD_LIMIT"
"""The setting that says how many megabytes may be uploaded."""

MOST_MEGABYTES = 4096
_FIRST_PORT, _PORTS = 8501, 100
_MOMENT, _PATIENCE = 0.1, 10.0


def main(arguments: list[str] | None = None) -> int:
    """Read the options, print the address, and serve until interrupted."""
    options = _read_options(arguments)
    if options.upload_limit is not None:
        os.environ[UPLOAD_LIMIT] = options.upload_limit
    try:
        sign_in = _load_sign_in(options)
        ended = None if sign_in is None else _load_sign_outs()
        read_upload_limit()
    except Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 2
    port = options.port or find_free_port()
    if port is None or (options.port and not _is_free(port)):
        print(
            f"Port {options.port or _FIRST_PORT} is in use. Choose another with --port.",
            file=sys.stderr,
        )
        return 2
    _set_environment(options)
    own = f"http://{HOST}:{port}"
    keys = None
    if sign_in is None:
        keys = BrowserKeys(
            public_address(options.public_address) if options.public_address else own,
            _print_next_link,
        )
    address = own if keys is None else keys.link
    shown = not options.no_browser and _has_display()
    below = "" if keys is None else f"/{keys.path}"
    announcing = {"shown": shown}
    threading.Thread(
        target=_announce, args=(address, port, below), kwargs=announcing, daemon=True
    ).start()
    if sign_in is not None:
        from understudy_dashboard.sign_in import configure

        configure(sign_in, ended)
    _serve(port, sign_in, options.public_address, keys)
    return 0


def list_flags(port: int) -> dict[str, Any]:
    """Return the settings the page is served with, wherever it is started from."""
    settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    chosen = {**dict(_flatten(settings)), "server_port": port, "server_address": HOST}
    # A demonstration takes no file, whatever a page or a forged request asks for.
    limit = 0 if is_demonstration() else read_upload_limit()
    return chosen if limit is None else {**chosen, "server_maxUploadSize": limit}


def read_upload_limit() -> int | None:
    """Return the most megabytes that can be uploaded; None where nobody said so.

    Raises:
        Refusal: what was said is no such number.
    """
    said = os.environ.get(UPLOAD_LIMIT, "").strip()
    if not said:
        return None
    if not (said.isascii() and said.isdigit() and 1 <= int(said[:7]) <= MOST_MEGABYTES):
        raise Refusal(
            "The limit of uploads is not a number of megabytes.",
            f"Give --upload-limit, or {UPLOAD_LIMIT}, a whole number from 1 to {MOST_MEGABYTES}.",
            field="upload_limit",
        )
    return int(said)


def find_free_port() -> int | None:
    """Return the first free port from Streamlit's usual one upwards."""
    return next(filter(_is_free, range(_FIRST_PORT, _FIRST_PORT + _PORTS)), None)


def _read_options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m understudy_dashboard", description=__doc__)
    parser.add_argument(
        "--demo", action="store_true", help="simulated people only: nothing else can be opened"
    )
    parser.add_argument("--sample", action="store_true", help="open the sample census at once")
    parser.add_argument("--port", type=int, help="the port to listen on")
    parser.add_argument(
        "--upload-limit", metavar="MB", help="the most megabytes that can be uploaded (500)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--sign-in", metavar="FILE", type=Path, help="have people sign in, as this file says"
    )
    parser.add_argument(
        "--public-address",
        metavar="URL",
        help="the address that a proxy serves the page at; the sign-in file names it otherwise",
    )
    return parser.parse_args(arguments)


def _set_environment(options: argparse.Namespace) -> None:
    """Tell the page what it begins with; a demonstration neither sees nor touches real runs."""
    if options.sample:
        os.environ["UNDERSTUDY_SAMPLE"] = "1"
    if options.demo:
        # Takes a second to load, and nothing else here needs it before the page does.
        from understudy.core.home import home

        os.environ["UNDERSTUDY_DEMO"] = "1"
        os.environ["UNDERSTUDY_HOME"] = str(home() / FOLDER)


def _load_sign_in(options: argparse.Namespace) -> SignIn | None:
    """Return how people sign in, where they do.

    Raises:
        Refusal: the file that says so cannot be used, or what it says does not go with the rest.
    """
    address = options.public_address
    if options.sign_in is None:
        if address:
            public_address(address)
        return None
    if options.demo:
        raise Refusal("Nobody signs in to a demonstration.", "Leave out --demo, or --sign-in.")
    if find_spec("authlib") is None or find_spec("httpx") is None:
        raise Refusal(
            "What signs people in is not installed.",
            f"Install it with “{suggest_install('sign-in')}”, and start again.",
        )
    from understudy_dashboard.sign_in_file import read_sign_in

    sign_in = read_sign_in(options.sign_in)
    if address and public_address(address) != sign_in.address:
        raise Refusal(
            "The public address is not the one of the sign-in file.",
            "Leave --public-address out, or correct one of the two.",
            field="public_address",
        )
    return sign_in


def _load_sign_outs() -> SignOuts:
    """Return the sign-ins that have ended.

    Raises:
        Refusal: what was noted of them cannot be read.
    """
    from understudy.core.home import home
    from understudy_dashboard.browser_auth import read_sign_outs

    return read_sign_outs(home() / "sign-outs.json")


def _print_next_link(link: str) -> None:
    """Say how the page is opened in a further browser."""
    print(f"It is open. In another browser, open {link}", flush=True)


def _serve(
    port: int, sign_in: SignIn | None, address: str | None, keys: BrowserKeys | None
) -> None:
    from understudy_dashboard import server

    # The page's own folder comes first on the path otherwise, without the one above it.
    sys.path.insert(0, str(APP.parents[1]))
    settings = {name.replace("_", "."): value for name, value in list_flags(port).items()}
    if sign_in is not None:
        os.environ["UNDERSTUDY_FOLDERS"] = os.pathsep.join(map(str, sign_in.folders))
        address = sign_in.address
    origins = list_local_origins(HOST, port)
    if address:
        settings |= server.public_address_settings(address)
        origins = (public_address(address),)
    server.serve(APP, settings, sign_in, origins, keys)


def _flatten(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{before}{name}_")
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


def _announce(address: str, port: int, below: str, *, shown: bool) -> None:
    """Print the address once the page answers, and open the browser there if it is to be shown.

    Another server that has taken the port meanwhile knows nothing of the path that the page lives
    below, so that no link is printed which it would not open.
    """
    while not _is_answering(port, below):
        time.sleep(_MOMENT)
    print(f"Understudy is at {address}  (Ctrl+C stops it)", flush=True)
    if shown:
        webbrowser.open(address)


def _is_answering(port: int, below: str) -> bool:
    """Return True if the page answers there, below that path."""
    asking = http.client.HTTPConnection(HOST, port, timeout=_PATIENCE)
    try:
        asking.request("GET", f"{below}{HEALTH}")
        return asking.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        asking.close()


if __name__ == "__main__":
    sys.exit(main())
