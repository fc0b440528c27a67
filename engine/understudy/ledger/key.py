"""The key of the ledger's hashes, by which tables are recognised without being stored.

The key never leaves the folder of the ledger, so that nobody who is handed an exported ledger can
test a guess of a table against it.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

_KEY_BYTES = 32


def key_mark(key: bytes) -> str:
    """Return what tells whether a key is the same, and nothing else about it."""
    return hmac.new(key, b"understudy ledger key", hashlib.sha256).hexdigest()


def secret_key(path: Path) -> bytes:
    """Return the key in a file, made if there is none; of two makers, one wins and both read it.

    Raises:
        OSError: it can neither be read nor made.
    """
    with suppress(FileNotFoundError):
        return path.read_bytes()
    place_new(path, secrets.token_bytes(_KEY_BYTES))
    return path.read_bytes()


def place_new(path: Path, content: bytes) -> None:
    """Put a file, readable by its owner only, in its place whole, unless one is there already.

    Raises:
        OSError: it cannot be written.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()
