"""Which reproductions there are: what the methods bring, and what packages install beside them.

The folder of a method here has a tuple `REPRODUCTIONS`. An installed package names each of its own
under the entry points “understudy.reproductions”.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

import understudy.studies
from understudy.mechanisms import companions
from understudy.studies.reproduction import Reproduction

GROUP: Final = "understudy.reproductions"


@cache
def reproductions() -> Mapping[str, Reproduction]:
    """Return every reproduction by its name, this program's first."""
    found: dict[str, Reproduction] = {}
    for brought in companions.load_from_folders(understudy.studies, "REPRODUCTIONS"):
        for each in brought:
            assert each.name not in found, f"two reproductions are called {each.name}"
            found[each.name] = each
    for name, each in companions.installed(GROUP):
        found.setdefault(name, each)
    return MappingProxyType(found)
