"""Which programs made a packet."""

from __future__ import annotations

import platform
import re
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final, final

from pydantic import field_validator

from understudy import __version__
from understudy.core.validation import Frozen

LIBRARIES: Final = (
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "opendp",
    "cryptography",
    "pydantic",
    "jinja2",
)
_VERSION: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+_!-]{0,39}")


@final
class Versions(Frozen, what="the versions"):
    """Versions, and nothing that tells one computer from another.

    Attributes:
        understudy, python: of the program, and of what it is run by.
        run: of Understudy when the run was made.
        libraries: of those that the numbers and the files come from.
    """

    understudy: str
    python: str
    run: str
    libraries: Mapping[str, str]

    @field_validator("understudy", "python", "run")
    @classmethod
    def _one(cls, text: str) -> str:
        if not _VERSION.fullmatch(text):
            raise ValueError("it is not a version")
        return text

    @field_validator("libraries")
    @classmethod
    def _each(cls, found: Mapping[str, str]) -> Mapping[str, str]:
        if set(found) != set(LIBRARIES):
            raise ValueError("other libraries are named than those that count")
        return {name: cls._one(found[name]) for name in LIBRARIES}

    @classmethod
    def here(cls, run: str) -> Versions:
        """Return the versions on this computer, for a run made by a version of Understudy."""
        return cls(
            understudy=__version__,
            python=platform.python_version(),
            run=run,
            libraries={name: version(name) for name in LIBRARIES},
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the versions, ready for JSON."""
        return self.model_dump(mode="json")
