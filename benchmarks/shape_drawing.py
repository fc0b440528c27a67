"""Learn a table and draw records, with whichever engine is imported.

`python -m benchmarks.shape_drawing` reads one `Asked` as JSON, and the files `schema.json` and
`learned.npz` of its folder, and writes the records to a file; `benchmarks.shapes` calls it with
another checkout's engine. It asks for little of an engine, so that it runs with one of a while ago.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from understudy.models.calibrated.learner import CalibratedLearner
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.table.records import Records
from understudy.table.schema import Schema

DELTA: Final = 1e-9


@dataclass(frozen=True)
class Asked:
    """What is to be learned and drawn.

    Attributes:
        shape: the name of the table.
        records: how many are learned from.
        rows: how many are drawn, and how many real ones of either sort are kept apart.
        epsilon: of the budget.
        seed: of the noise.
    """

    shape: str
    records: int
    rows: int
    epsilon: float
    seed: int


def draw(asked: Asked, learned: Records, **how: Any) -> tuple[npt.NDArray[np.uint16], float]:
    """Return (rows, m) codes of the model, and the processor seconds of learning it.

    Args:
        asked: what is drawn.
        learned: the training records.
        how: further arguments of the learner, such as its steps.
    """
    source = RandomSource.fixed(asked.seed)
    budget = Budget(asked.epsilon, DELTA)
    learner = CalibratedLearner.within(learned.schema, budget, **how)
    begun = time.process_time()
    model = learner.learn(learned, Noise(source), source.child())
    taken = time.process_time() - begun
    drawn = model.network.records(asked.rows, source)
    return np.ascontiguousarray(drawn.T).astype(np.uint16), taken


def main() -> None:
    """Draw for what is asked on standard input, into the file that is named."""
    asked = Asked(**json.load(sys.stdin))
    with np.load("learned.npz") as kept:
        learned = Records(Schema.load(Path("schema.json")), kept["codes"])
    codes, seconds = draw(asked, learned)
    np.savez(Path(sys.argv[1]), codes=codes, seconds=seconds)


if __name__ == "__main__":
    main()
