"""An nginx for the test of the proxy, which serves the documented file."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.browser.serving import HOST, ROOT
from tests.outside import Need, packages, variable

DOCUMENTED = ROOT / "docs" / "shared-server" / "nginx.conf"
_USUAL = Path("/usr/sbin/nginx")
_PATIENCE = 20.0


def _find() -> Path | None:
    named = variable("UNDERSTUDY_NGINX") or Path(shutil.which("nginx") or _USUAL)
    return named if named.exists() else None


NEED: Final = Need(
    "proxy",
    _find,
    lambda: packages("nginx-light"),
    """\
No nginx was found, and none could be installed here. Do one of:
  - install Debian's or Ubuntu's package:   sudo apt-get install nginx-light
  - name one you have:                      export UNDERSTUDY_NGINX=/path/to/nginx
and run `make test` again.""",
)


@contextmanager
def proxying(folder: Path, port: int, upstream: str) -> Iterator[Path]:
    """Serve the documented configuration on a port of this machine.

    Args:
        folder: an empty folder for the certificate, the configuration and the logs.
        port: where it listens.
        upstream: host and port of the server behind it.

    Yields:
        The folder of its logs.

    Raises:
        RuntimeError: it does not start; with what it wrote.
    """
    program = NEED.demand()
    configuration = _written(folder, port, upstream)
    said = folder / "nginx.log"
    with said.open("wb") as written:
        process = subprocess.Popen(
            [
                str(program),
                "-c",
                str(configuration),
                "-p",
                str(folder),
                "-e",
                str(folder / "error.log"),
            ],
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=subprocess.STDOUT,
        )
    try:
        _await(process, port, said)
        yield folder
    finally:
        process.terminate()
        process.wait(_PATIENCE)


def _written(folder: Path, port: int, upstream: str) -> Path:
    """The documented file, filled in, inside of what nginx needs around it."""
    certificate, key = _certificate(folder)
    filled = DOCUMENTED.read_text(encoding="utf-8")
    for name, value in (
        ("LOGS", folder),
        ("CERTIFICATE", certificate),
        ("KEY", key),
        ("UPSTREAM", upstream),
        ("listen PORT", f"listen {HOST}:{port}"),
        ("server_name ADDRESS", f"server_name {HOST}"),
    ):
        assert name in filled
        filled = "\n".join(
            line if line.startswith("#") else line.replace(name, str(value))
            for line in filled.splitlines()
        )
    (folder / "understudy.conf").write_text(filled, encoding="utf-8")
    places = "".join(
        f"    {kind}_temp_path {folder}/temporary-{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    around = folder / "nginx.conf"
    around.write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\n"
        # What nginx puts into files is a warning.
        f"error_log {folder}/error.log warn;\n"
        f"events {{ }}\nhttp {{\n{places}    include {folder}/understudy.conf;\n}}\n",
        encoding="utf-8",
    )
    return around


def _certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(HOST))]), False)
        .sign(key, hashes.SHA256())
    )
    places = folder / "certificate.pem", folder / "key.pem"
    places[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    places[1].touch(mode=0o600)
    places[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return places


def _await(process: subprocess.Popen[bytes], port: int, said: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex((HOST, port)) == 0:
                return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
            break
    raise RuntimeError(f"nginx did not answer. It wrote:\n{said.read_text(errors='replace')}")
