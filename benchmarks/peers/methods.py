"""Every method there is: where it runs, how it is set, and what its guarantee covers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[2]
_DRIVERS = Path(__file__).with_name("drivers")

PUBLIC_SIZE = "the number of records is taken as public"


@dataclass(frozen=True)
class Method:
    """One way to make a table.

    Attributes:
        key: names it on the command line and in folders.
        title: names it to a reader.
        guarantee: “ε” or “(ε, δ)”, by its own account.
        covers: what a reader of that should know.
        interpreter: the Python it runs under.
        driver: the arguments before the folder of the job.
        settings: handed to the driver.
        slow: whether a run takes minutes.
        named: what the driver calls it; its key where not given.
    """

    key: str
    title: str
    guarantee: str
    covers: str
    interpreter: Path
    driver: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    slow: bool = False
    named: str = ""

    @property
    def command(self) -> tuple[str, ...]:
        """What starts it, before the folder of the job."""
        return (str(self.interpreter), *self.driver)


def _peer(environment: str, driver: str) -> dict[str, Any]:
    return {
        "interpreter": _ROOT / environment / "bin" / "python",
        "driver": (str(_DRIVERS / driver),),
    }


_DPMM: dict[str, Any] = _peer(".venv-peers-dpmm", "dpmm_driver.py")
_DATASYNTHESIZER = _peer(".venv-peers-datasynthesizer", "datasynthesizer_driver.py")
_OURS: dict[str, Any] = {
    "interpreter": Path(sys.executable),
    "driver": ("-m", "benchmarks.peers.ours"),
}

PEERS = (
    Method(
        key="aim",
        title="AIM, dpmm 0.1.9, 1 MB",
        guarantee="(ε, δ)",
        covers="the whole model; how many records to make is chosen by the reader",
        settings={"max_model_size": 1},
        slow=True,
        **_DPMM,
    ),
    Method(
        key="mst",
        title="MST, dpmm 0.1.9",
        guarantee="(ε, δ)",
        covers="the whole model; how many records to make is chosen by the reader",
        slow=True,
        **_DPMM,
    ),
    Method(
        key="privbayes",
        title="PrivBayes with PGM, degree 2, dpmm 0.1.9",
        guarantee="(ε, δ)",
        covers=f"{PUBLIC_SIZE}; half of ε for the structure, whose score is a normalised mutual "
        "information, at the sensitivity of a plain one",
        slow=True,
        **_DPMM,
    ),
    Method(
        key="datasynthesizer",
        title="PrivBayes, 2 parents, DataSynthesizer 0.1.13",
        guarantee="ε",
        covers=f"the records made, not its description file, which costs ε more; {PUBLIC_SIZE}; "
        "tables are as large as the largest value that occurs",
        settings={"k": 2},
        slow=True,
        **_DATASYNTHESIZER,
    ),
    Method(
        key="independent",
        title="independent, DataSynthesizer 0.1.13",
        guarantee="ε",
        covers=PUBLIC_SIZE,
        **_DATASYNTHESIZER,
    ),
)

OURS = (
    Method(
        key="calibrated",
        title="ours, calibrated (the default)",
        guarantee="(ε, δ)",
        covers="the whole model, the number of records too",
        **_OURS,
    ),
    Method(
        key="distilled",
        title="ours, distilled",
        guarantee="(ε, δ)",
        covers="the whole model, the number of records too",
        **_OURS,
    ),
    Method(
        key="seedbased",
        title="ours, seedbased on it",
        guarantee="(ε, δ)",
        covers="the whole release and the model, rejections too; candidates are made from three "
        "tenths of the records and the model from the others, and that there are so many seeds is "
        "taken as public",
        **_OURS,
    ),
    Method(
        key="as-published",
        title="ours, as published",
        guarantee="(ε, δ)",
        covers="the whole model, the number of records too; structure and tables are learned from "
        "different records",
        **_OURS,
    ),
    Method(
        key="marginals",
        title="ours, marginals",
        guarantee="(ε, δ)",
        covers="the whole model, the number of records too",
        **_OURS,
    ),
)

METHODS: Mapping[str, Method] = {each.key: each for each in (*PEERS, *OURS)}
"""Every method by its key, in the order of the tables."""
