"""Pictures between those that a run released."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support import started
from understudy.core.refusal import Refusal
from understudy.mechanisms.registry import opening_plan
from understudy.privacy.randomness import RandomSource
from understudy.runs import between as module
from understudy.runs.between import STEPS, between, has_space, publishable
from understudy.runs.control import wait
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.table.pictures.declared import Pictures
from understudy.table.records import Records
from understudy.table.schema import Schema


@cache
def source() -> RandomSource:
    """Of the process that asks for it first, as a source belongs to one."""
    return RandomSource.fixed(1)


def run(schema: Schema, codes: Any, home: Path, **given: Any) -> RunFolder:
    plan = opening_plan("latent", schema, {"epsilon": 50.0, "delta": 1e-3, "rows": 600, **given})
    records = Records(schema, np.asarray(codes, dtype=np.uint16))
    made = started(Job(records, plan), home)
    assert wait(made).state == "finished"
    return made


@pytest.fixture
def pictures(in_this_process: None, tmp_path: Path) -> RunFolder:
    """Pictures of 2 × 2 pixels: dark ones, grey ones and light ones."""
    schema = Pictures(height=2, width=2, labels=("dark", "grey", "light")).described()
    random = np.random.default_rng(2)
    light = random.integers(0, 3, (2_000, 1))
    grey = np.clip(3 + 5 * light + random.integers(-2, 3, (2_000, 4)), 0, 16)
    codes = np.hstack([grey, light])
    return run(schema.declare_public(), codes, tmp_path, width=2)


def test_walks_lead_from_one_made_picture_to_another(pictures: RunFolder) -> None:
    found = between(pictures, "walks", source())
    assert (found.across, found.rows) == (STEPS, ())
    pixels = found.pictures.codes[:, :4].reshape(-1, STEPS, 4).mean(axis=2)
    rises = np.diff(pixels, axis=1)
    assert ((rises >= -0.6).all(axis=1) | (rises <= 0.6).all(axis=1)).all()


def test_a_point_is_decoded_several_times(pictures: RunFolder) -> None:
    found = between(pictures, "decodings", source()).pictures.codes.reshape(-1, STEPS, 5)
    assert (found[:, :, :4].std(axis=1).max(axis=1) > 0).all()


def test_what_a_label_changes_is_seen(pictures: RunFolder) -> None:
    found = between(pictures, "labels", source())
    assert found.rows == ("dark", "grey", "light")
    dark, _, light = found.pictures.codes[:, :4].mean(axis=1).reshape(3, STEPS)
    assert dark[-1] < dark[0] - 2
    assert light[-1] > light[0] + 2


def test_labels_of_a_latent_model_go_with_their_pictures(pictures: RunFolder) -> None:
    table = pictures.table.read_text(encoding="utf-8").splitlines()[1:]
    light = {"dark": [], "grey": [], "light": []}  # type: dict[str, list[float]]
    for line in table:
        *pixels, label = line.split(",")
        light[label].append(np.mean([float(each) for each in pixels]))
    assert np.mean(light["dark"]) + 2 < np.mean(light["light"])
    assert min(map(len, light.values())) > 30


def test_it_may_be_published_as_the_pictures_may(
    pictures: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert publishable(pictures)
    assert has_space(pictures)
    said = json.loads(pictures.guarantee.read_text(encoding="utf-8"))
    stained = json.dumps({**said, "stain": "A fixed seed was used."})
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: stained)
    assert not publishable(pictures)


def test_labels_of_too_few_pictures_are_refused(
    pictures: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "FEWEST", 500)
    with pytest.raises(Refusal, match="No label has 500 released pictures"):
        between(pictures, "labels", source())


def test_what_is_no_picture_has_none_between(in_this_process: None, tmp_path: Path) -> None:
    schema = Pictures(height=2, width=2).described()
    other = Schema(columns=schema.columns[:3]).declare_public()
    codes = np.random.default_rng(1).integers(0, 17, (500, 3))
    made = run(other, codes, tmp_path, width=2)
    with pytest.raises(Refusal, match="released no pictures"):
        between(made, "walks", source())
