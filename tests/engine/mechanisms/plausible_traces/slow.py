"""What candidates are and how likely, one number after another in plain loops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from understudy.mechanisms.plausible_traces.keys import outline
from understudy.models.mobility.law import Law
from understudy.models.mobility.stays import HOME, LETTERS, LISTED, OTHER, WORK
from understudy.models.mobility.tables import WEEKDAY, WORKDAY, period
from understudy.models.mobility.timing import list_patterns

_LEAST = 1e-12
PARTS = {"outline": 0, "pattern": 0, "departure": 9, "hours": 3}


def key(told: dict[str, Any], keeps: str) -> tuple[Any, ...]:
    """What is kept of a candidate or a day."""
    text = "".join(LETTERS[each] for each in told["sort"])
    if keeps == "outline":
        return told["works"], outline(text)
    if keeps == "pattern":
        return (text,)
    later = [start // PARTS[keeps] for start in told["start"][1:]]
    return text, tuple(later[:1] if keeps == "departure" else later)


def log_chance(law: Law, told: dict[str, Any], keeps: str) -> float:
    """ln c(y), from shares as they are, without the rounding to whole numbers."""
    text = "".join(LETTERS[each] for each in told["sort"])
    found = _works_and_pattern(law, told["works"], text, keeps)
    found += _starts(law, told, keeps)
    found += math.log(law.home[told["home"]] / law.home.sum())
    if told["works"]:
        row = law.work[told["home"]]
        found += math.log(row[told["work"]] / row.sum())
    cells = list(told["cells"])
    for turn, sort in enumerate(told["sort"]):
        if sort == OTHER:
            last = cells[turn - 1] if turn else told["home"]
            before = told["sort"][turn - 1] if turn else HOME
            after = told["sort"][turn + 1] if turn + 1 < len(told["sort"]) else HOME
            how = {HOME: 0, WORK: 1 if after == WORK else 2, OTHER: 3}[before]
            pull = law.other.pull(np.array([last]), np.array([told["home"]]), np.array([how]))[0]
            found += math.log(pull[cells[turn]] / pull.sum())
        else:
            assert cells[turn] == {HOME: told["home"], WORK: told["work"]}[sort]
    return found


def _works_and_pattern(law: Law, works: int, text: str, keeps: str) -> float:
    context = {0: WEEKDAY, 1: WORKDAY}
    if keeps == "outline":
        alike = [each for each in LISTED if outline(each) == outline(text)]
        alike = [each for each in alike if works or "W" not in each]
        if not alike:
            return 0.0
        weights = {each: law.patterns[context[works]][LISTED.index(each)] for each in alike}
        return math.log((weights[text] + _LEAST) / sum(each + _LEAST for each in weights.values()))
    if "W" in text:
        return 0.0
    shares = [1 - law.works, law.works]
    if text in LISTED:
        shares = [
            share * law.patterns[context[at]][LISTED.index(text)] for at, share in enumerate(shares)
        ]
    return math.log((shares[works] + _LEAST) / (sum(shares) + 2 * _LEAST))


def _starts(law: Law, told: dict[str, Any], keeps: str) -> float:
    sort, start, width = told["sort"], told["start"], PARTS[keeps]
    found, last = 0.0, len(sort) - 1
    for turn in range(1, len(sort)):
        weights = {}
        for slot in range(start[turn - 1] + 2, 71):
            trial = [*start[:turn], slot]
            if _can_go_on(trial, start, last, width, keeps):
                weights[slot] = _weight(law, told, turn, slot) + _LEAST
        found += math.log(weights[start[turn]] / sum(weights.values()))
    return found


def _can_go_on(trial: list[int], start: list[int], last: int, width: int, keeps: str) -> bool:
    """Whether the stays after these can each have two slots, in what is kept of them."""
    turn = len(trial) - 1
    kept = width and (keeps == "hours" or turn == 1)
    if kept and trial[-1] // width != start[turn] // width:
        return False
    if turn == last:
        return trial[-1] <= 70
    # The earliest start that the next can have is the best for all that follow.
    earliest = trial[-1] + 2
    if width and keeps == "hours":
        earliest = max(earliest, start[turn + 1] // width * width)
    return earliest <= 70 and _can_go_on([*trial, earliest], start, last, width, keeps)


def _weight(law: Law, told: dict[str, Any], turn: int, slot: int) -> float:
    sort, start = told["sort"], told["start"]
    before, after = sort[turn - 1], sort[turn]
    if turn == 1:
        own, weight = HOME, law.times.departures[WORKDAY if told["works"] else WEEKDAY][slot]
    else:
        own = before if before != OTHER else OTHER + sort[turn - 2]
        part = int(period(np.array([start[turn - 1]]))[0])
        weight = law.times.durations[own, part][slot - start[turn - 1]]
    text = "".join(LETTERS[each] for each in sort)
    then = int(list_patterns().move[LISTED.index(text), turn + 1]) if text in LISTED else -1
    return float(weight * law.times.pulls[own, after, slot // 3] * law.ahead[then][slot])
