"""What a change of the calibrated model gains and loses on simulated tables."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from benchmarks import shape_drawing, shapes
from benchmarks.shape_drawing import draw
from benchmarks.shapes import ALONE, HERE, Standing, changes, engine_of, verdict


@pytest.mark.parametrize(
    ("now", "before", "said"),
    [
        ((0.10, 0.11, 0.12), (0.20, 0.21, 0.22), "gains"),
        ((0.20, 0.21, 0.22), (0.10, 0.11, 0.12), "loses"),
        ((0.10, 0.11, 0.12), (0.11, 0.12, 0.13), ""),
        ((0.10, 0.30, 0.20), (0.20, 0.40, 0.30), ""),
        ((0.10, 0.10), (0.10, 0.10), ""),
        ((0.10, 0.10), (0.11, 0.11), "gains"),
        ((0.10,), (0.20,), ""),
    ],
)
def test_what_seeds_set_apart_is_no_difference(
    now: tuple[float, ...], before: tuple[float, ...], said: str
) -> None:
    assert verdict(now, before) == said


def standing(way: str, seed: int, pair: float, told: float) -> Standing:
    return Standing("16 flags", 100, 0.1, way, seed, 0.1, pair, 0.3, 0.4, told)


def test_changes_are_of_means_over_seeds_and_told_apart_from_one_in_two() -> None:
    rows = [standing(HERE, seed, 0.1 + seed / 100, 0.6) for seed in range(2)]
    rows += [standing(ALONE, seed, 0.2 + seed / 100, 0.7) for seed in range(2)]
    found = {each.figure: each for each in changes(rows, HERE, ALONE)}
    assert found["pair"].ratio == pytest.approx(0.105 / 0.205)
    assert found["told"].ratio == pytest.approx(0.5)
    assert (found["pair"].verdict, found["triple"].verdict) == ("gains", "")
    assert changes(rows, HERE, "another") == []


def test_another_engine_draws_for_itself() -> None:
    """The same one, in a process of its own, draws the very same records."""
    (asked,) = shapes._EXTENTS["tiny"].each()
    learned, _, _ = shapes._parts(asked)
    codes, _ = draw(asked, learned)
    with engine_of(str(shapes._ROOT)) as engine:
        assert np.array_equal(shapes._draw_by(engine, asked, learned)[0], codes)


def test_another_engine_is_not_this_one(tmp_path: Path) -> None:
    """What draws is the engine that is named: an empty one cannot."""
    (asked,) = shapes._EXTENTS["tiny"].each()
    learned, _, _ = shapes._parts(asked)
    (tmp_path / "__init__.py").touch()
    with pytest.raises(subprocess.CalledProcessError):
        shapes._draw_by(tmp_path, asked, learned)


def test_little_is_asked_of_another_engine() -> None:
    """Only modules that the engines compared so far have under the same names."""
    text = Path(shape_drawing.__file__).read_text(encoding="utf-8")
    assert set(re.findall(r"^from understudy\.(\S+) import", text, re.MULTILINE)) == {
        "models.calibrated.learner",
        "privacy.budget",
        "privacy.noise",
        "privacy.randomness",
        "table.records",
        "table.schema",
    }
