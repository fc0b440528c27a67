"""Named arrays in a run's internal folder, with a digest of the table they are about. Internal.

The table itself is not among them: whoever brings it again has it recognised.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from understudy.core.files import internal_arrays
from understudy.mechanisms.mechanism import Arrays
from understudy.runs.fingerprint import Fingerprint

_SALT: Final = "salt"
_DIGEST: Final = "digest"
_RECORDS: Final = "records"


@dataclass(frozen=True, eq=False)
class Stored:
    """What one file holds. Confidential.

    Attributes:
        fingerprint: of the run's table.
        state: of the run, and what it left to be looked at; see `State.arrays` and `Look`.
    """

    fingerprint: Fingerprint
    state: Arrays

    @classmethod
    def load(cls, path: Path) -> Stored:
        """Read what `save` wrote.

        Raises:
            OSError, ValueError, KeyError, zipfile.BadZipFile, EOFError: it cannot be read.
        """
        with np.load(path, allow_pickle=False) as file:
            found = {name: file[name] for name in file.files}
        salt, digest = (found.pop(name).tobytes() for name in (_SALT, _DIGEST))
        fingerprint = Fingerprint(salt, digest, int(found.pop(_RECORDS)[0]))
        return cls(fingerprint, found)

    def save(self, path: Path) -> None:
        """Write it, whole, for its owner only.

        Raises:
            OSError: it cannot be written.
        """
        known = {
            _SALT: np.frombuffer(self.fingerprint.salt, np.uint8),
            _DIGEST: np.frombuffer(self.fingerprint.digest, np.uint8),
            _RECORDS: np.array([self.fingerprint.records]),
        }
        internal_arrays(path, {**known, **self.state})
