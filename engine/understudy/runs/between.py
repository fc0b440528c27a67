"""Pictures between pictures that a run released: walks, labels, several decodings of one point.

Made of released pictures and of the run's model alone, which its guarantee covers: no confidential
record is asked, nothing is spent, and what comes of it may be published as the pictures may.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np

from understudy.core.refusal import Refusal
from understudy.mechanisms.companions import call_companion
from understudy.mechanisms.mechanism import PlannedRun, State
from understudy.models.latent.small_space import (
    SmallSpace,
    along,
    attribute,
    decodings,
    walk_between,
)
from understudy.privacy.randomness import RandomSource
from understudy.runs.evidence import load_run_state, read_planned_run
from understudy.runs.folder import UNREADABLE, RunFolder
from understudy.runs.table_file import read_first_records
from understudy.table.pictures.picture_schema import LABEL, are_pictures
from understudy.table.records import Records

What = Literal["walks", "decodings", "labels"]
WHAT: Final[tuple[What, ...]] = get_args(What)

STEPS: Final = 9
"""How many pictures a row has."""
_ROWS: Final = 6
_FROM: Final = 5_000
"""The most released pictures that are looked at."""
FEWEST: Final = 20
"""Of a label with fewer released pictures, or fewer others, no way is worked out."""
_AMOUNTS: Final = np.linspace(-3, 3, STEPS)
"""How far a picture is moved along the way of a label, in lengths of it."""


@dataclass(frozen=True, eq=False)
class Between:
    """Rows of pictures.

    Attributes:
        pictures: row after row.
        across: how many are in a row.
        rows: what each row is; empty where that needs no word.
    """

    pictures: Records
    across: int
    rows: tuple[str, ...] = ()


def make_between(run: RunFolder, what: What, source: RandomSource) -> Between:
    """Return rows of pictures of a run that has ended.

    Args:
        run: it.
        what: walks from one released picture to another; what a label changes of a picture; or a
            released picture and several decodings of its point.
        source: what is drawn by.

    Raises:
        Refusal: the run released no pictures, has no small space, or no labels are there.
    """
    made = _first_released(run)
    decided, state = load_run_state(run)
    space = _space_of(decided, state)
    if space is None:
        raise Refusal(
            "The model of this run has no small space that a released picture could be put in.",
            "Choose a run of factors, of principal directions, or of the proposer projected.",
        )
    if what == "walks":
        return _walks(space, made)
    if what == "decodings":
        some = made.take(np.arange(min(_ROWS, len(made))))
        return Between(decodings(space, some, STEPS, source), STEPS)
    return _labels(space, made)


def is_publishable(run: RunFolder) -> bool:
    """Return whether something is promised of what the run released, and so of what is made of
    it."""
    try:
        said = json.loads(run.guarantee.read_text(encoding="utf-8"))
    except UNREADABLE:
        raise run.refuse_damaged() from None
    return "stain" not in said and read_planned_run(run).guarantee.total.bounded


def has_space(run: RunFolder) -> bool:
    """Return whether the model of a run that left evidence has a small space."""
    return _space_of(*load_run_state(run)) is not None


def has_labels(made: Records) -> bool:
    """Return whether pictures have labels beside them."""
    return made.schema.names[-1] == LABEL


def _walks(space: SmallSpace, made: Records) -> Between:
    pairs = min(_ROWS, len(made) // 2)
    if not pairs:
        raise Refusal("Fewer than two pictures were released.", "Choose a run with more.")
    first, last = (made.take(np.arange(pairs) + start) for start in (0, pairs))
    return Between(walk_between(space, first, last, STEPS), STEPS)


def _labels(space: SmallSpace, made: Records) -> Between:
    if not has_labels(made):
        raise Refusal(
            "The pictures have no labels.", "Declare public labels when the pictures are read."
        )
    rows = list(_ways(space, made))
    if not rows:
        raise Refusal(
            f"No label has {FEWEST} released pictures that have it and {FEWEST} that have not.",
            "Choose a run with more.",
        )
    pictures = Records(made.schema, np.concatenate([each.codes for _, each in rows]))
    return Between(pictures, STEPS, tuple(name for name, _ in rows))


def _ways(space: SmallSpace, made: Records) -> Iterator[tuple[str, Records]]:
    """For each label, the first picture without it, moved against the way of the label and along
    it."""
    labels = made.schema.columns[-1].texts
    for code, name in enumerate(labels[:_ROWS]):
        has = made.codes[:, -1] == code
        having, others = (made.take(np.flatnonzero(each)) for each in (has, ~has))
        if min(len(having), len(others)) >= FEWEST:
            first = others.take(np.arange(1))
            yield name, along(space, first, attribute(space, having, others), _AMOUNTS)


def _space_of(decided: PlannedRun, state: State) -> SmallSpace | None:
    """Return the small space of a run, made of its model alone; None if it has none."""
    space: SmallSpace | None = call_companion(
        decided.mechanism, "inspection", "space_of", decided, state
    )
    return space


def _first_released(run: RunFolder) -> Records:
    decided = read_planned_run(run)
    schema = decided.compared
    if not are_pictures(schema):
        raise Refusal("The run released no pictures.", "Choose one that did.")
    table = next(each.name for each in decided.tables if each.schema == schema)
    try:
        made = read_first_records(run.table_of(table), schema, _FROM)
    except (*UNREADABLE, OSError, KeyError):
        raise run.refuse_damaged() from None
    if not len(made):
        raise Refusal("No picture was released.", "Choose a run that released some.")
    return made
