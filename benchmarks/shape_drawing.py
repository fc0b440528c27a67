"""Learn a simulated table and draw records, with whichever engine is imported.

`python -m benchmarks.shape_drawing` reads one `Asked` as JSON and writes what is drawn to a file;
`benchmarks.shapes` calls it with another checkout's engine. It asks for little of an engine, so
that it runs with one of a while ago.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from understudy.models.calibrated.learner import CalibratedLearner
from understudy.models.calibrated.measurement import Steps
from understudy.privacy.budget import Budget
from understudy.privacy.noise import Noise
from understudy.privacy.randomness import RandomSource
from understudy.samples.shapes import shape_of
from understudy.table.records import Records

DELTA: Final = 1e-9
_SAMPLE: Final = 1
COLUMNS: Final = Steps(pairs=False, calibrate=False, distil=False)
"""Columns by themselves, with the whole budget."""


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

    @property
    def parts(self) -> tuple[Records, Records, Records]:
        """Return the training records, the reference records, and other real records."""
        return shape_of(self.shape).parts(_SAMPLE, self.records, self.rows)


def draw(asked: Asked, learned: Records, steps: Steps) -> tuple[npt.NDArray[np.uint16], float]:
    """Return (rows, m) codes of the model, and the processor seconds of learning it."""
    source = RandomSource.fixed(asked.seed)
    budget = Budget(asked.epsilon, DELTA)
    learner = CalibratedLearner.within(learned.schema, budget, steps=steps)
    begun = time.process_time()
    model = learner.learn(learned, Noise(source), source.child())
    taken = time.process_time() - begun
    drawn = model.network.records(asked.rows, source)
    return np.ascontiguousarray(drawn.T).astype(np.uint16), taken


def main() -> None:
    """Draw for what is asked on standard input, into the file that is named."""
    asked = Asked(**json.load(sys.stdin))
    codes, seconds = draw(asked, asked.parts[0], Steps())
    np.savez(Path(sys.argv[1]), codes=codes, seconds=seconds)


if __name__ == "__main__":
    main()
