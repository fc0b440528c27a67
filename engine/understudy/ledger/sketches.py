"""The sketches of a ledger's tables: a folder of files beside its key, for its owner only.

They are never exported and stand in no packet and no log. Each is enciphered under a key made from
the ledger's, so that a sketch that gets about without the key tells nothing but how many columns a
table has.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from understudy.core.files import atomic_file, make_private, sync_folder
from understudy.core.refusal import Refusal
from understudy.ledger.hashing import Keys
from understudy.ledger.sketch import Sketch

_NONCE = 12
_USE = "sketches"


class Sketches:
    """The sketches of one ledger.

    Args:
        place: the folder that they are in.
    """

    def __init__(self, place: Path) -> None:
        self._place = place

    def keep(self, fingerprint: str, sketch: Sketch, key: bytes) -> None:
        """Keep the sketch of a table, whole or not at all, unless it is there.

        Raises:
            Refusal: it cannot be written.
        """
        if self.of(fingerprint, key) is not None:
            return
        nonce = secrets.token_bytes(_NONCE)
        sealed = _cipher(key).encrypt(nonce, sketch.to_bytes(), fingerprint.encode())
        try:
            make_private(self._place)
            with atomic_file(self._place / fingerprint) as file:
                file.write(nonce + sealed)
            sync_folder(self._place)
        except OSError:
            raise Refusal(
                f"The folder {self._place}, by which tables are known again, cannot be written.",
                "Check that it is yours and that the disk is not full. Nothing is run or spent "
                "without it.",
                field="ledger",
            ) from None

    def of(self, fingerprint: str, key: bytes) -> Sketch | None:
        """Return the sketch of a table; None where it is lost or damaged."""
        with suppress(OSError, InvalidTag, ValueError, Refusal):
            said = (self._place / fingerprint).read_bytes()
            opened = _cipher(key).decrypt(said[:_NONCE], said[_NONCE:], fingerprint.encode())
            return Sketch.read(opened)
        return None


def _cipher(key: bytes) -> AESGCM:
    return AESGCM(Keys(key).made(_USE))
