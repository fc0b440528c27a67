from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tests.support import category_schema
from understudy.core.refusal import Refusal
from understudy.evaluation.evaluation import Evaluation, evaluate
from understudy.evaluation.measure import About, Finding, Interval, Measured, Part, Study, Table
from understudy.table.records import Records


@dataclass(frozen=True)
class Share:
    """The share of first codes, or a refusal."""

    refuses: bool = False

    @property
    def about(self) -> About:
        key = "refused" if self.refuses else "share"
        return About(key, key.title(), "A share.", 0, 1, "higher", "distances", "column")

    def measure(self, study: Study) -> Mapping[str, Measured]:
        if self.refuses:
            raise Refusal("It cannot be measured.", "Do without.")
        return study.each(lambda table: _share(table.records))


def _share(records: Records) -> Measured:
    shares = (records.codes == 0).mean(axis=0)
    parts = tuple(
        Part((name,), float(share), Interval(0, 1))
        for name, share in zip(records.schema.names, shares, strict=True)
    )
    return Measured(float(shares.mean()), None, parts)


@pytest.fixture
def study() -> Study:
    schema = category_schema(3, 2)
    rng = np.random.default_rng(1)
    some = Records(schema, rng.integers(0, 2, (30, 2)).astype(np.uint16))
    tables = (Table("other real records", "reals", some), Table("ω = 2", "synthetic", some))
    return Study(tables, some, some, {}, "c1", repeats=3, key=1)


def test_a_measure_that_refuses_leaves_its_sentence_and_the_others_go_on(study: Study) -> None:
    told: list[tuple[int, str]] = []
    found = evaluate(study, [Share(refuses=True), Share()], lambda *step: told.append(step))
    assert told == [(0, "Refused"), (1, "Share")]
    refused, share = found.findings
    assert refused == Finding("refused", {}, "It cannot be measured. Do without.")
    assert list(share.by_subject) == ["other real records", "ω = 2"]
    assert found.finding("share") is share
    assert found.finding("unheard of") is None


def test_what_is_found_is_known_after_each_measure(study: Study) -> None:
    known: list[Evaluation] = []
    found = evaluate(study, [Share(refuses=True), Share()], lambda *step: None, known.append)
    assert [len(each.findings) for each in known] == [1, 2]
    assert known[-1] == found
    assert known[0].findings == found.findings[:1]


def test_whoever_is_told_can_stop_it(study: Study) -> None:
    class Stopped(Exception):
        pass

    def stop(done: int, name: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        evaluate(study, [Share()], stop)


def test_an_evaluation_survives_its_file_and_says_that_it_is_internal(
    study: Study, tmp_path: Path
) -> None:
    assert Evaluation.load(tmp_path) is None
    found = evaluate(study, [Share(), Share(refuses=True)], lambda done, name: None)
    found.save(tmp_path / "internal")
    assert Evaluation.load(tmp_path / "internal") == found
    assert [path.name for path in (tmp_path / "internal").iterdir()] == ["evaluation.json"]
    said = json.loads((tmp_path / "internal" / "evaluation.json").read_text(encoding="utf-8"))
    assert "Not for release" in said["internal"]
    assert [(each.name, each.records) for each in found.tables] == [
        ("other real records", 30),
        ("ω = 2", 30),
    ]
