"""A small panel of people who do not exist: several rows each, one for each wave."""

from __future__ import annotations

import numpy as np

from understudy.table.people import People

JOBS = ("cook", "clerk", "none")
PEOPLE = People(person="resp", order="wave", records_at_most=3)


def panel_csv(people: int = 200) -> bytes:
    """Who, wave, sex, job and age: person i has 1 + i mod 5 rows; sex stays, the job may change."""
    rng = np.random.default_rng(3)
    lines = ["resp,wave,sex,job,age"]
    for person in range(people):
        sex, age = ("f", "m")[person % 2], int(rng.integers(18, 60))
        lines += [
            f"{1000 + person},{wave},{sex},{JOBS[rng.integers(3)]},{age + wave}"
            for wave in range(1, 2 + person % 5)
        ]
    return "\n".join(lines).encode()
