"""What an acceptance test measured, in a packet."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engine.report.conftest import COVER, Making
from tests.engine.report.tampering import failed, resummed
from understudy.acceptance.outcome import NAME, SAID
from understudy.core.files import internal_arrays
from understudy.report.accepted import describe_accepted, find_mismatch
from understudy.report.packet import read_contents
from understudy.report.verify import verify


def test_a_packet_holds_what_was_measured_and_checks_out(
    packets_of: Callable[[str], Path],
) -> None:
    packet = packets_of("accepted")
    assert verify(packet).passed
    said = json.loads((packet / "outputs.json").read_text(encoding="utf-8"))[NAME]
    assert [each["kind"] for each in said["statistics"]] == ["share", "mean", "distance"]
    assert json.loads((packet / "outputs.json").read_text(encoding="utf-8"))["noisy-tables"]
    report = (packet / "report.html").read_text(encoding="utf-8")
    assert "How near it comes, measured" in report
    verdicts = Counter(each["verdict"] for each in said["statistics"])
    assert (
        f"Limits kept: {verdicts['passed']} of 3; broken: {verdicts['failed']}; "
        f"not to be told from the noise: {verdicts['open']}." in report
    )
    guarantee = json.loads((packet / "guarantee.json").read_text(encoding="utf-8"))
    assert guarantee["parts"]["acceptance"]["epsilon"] == 1.0
    assert guarantee["guarantee"]["epsilon"] == 1.0


def test_figures_that_do_not_follow_from_the_noisy_numbers_are_found(run_of: Making) -> None:
    made = run_of("accepted")
    contents = read_contents(made.run, COVER, made.ledger)
    decided = contents.statement.decided
    records = contents.tables.found["synthetic"].records
    figures: dict[str, Any] = copy.deepcopy(dict(contents.figures.found[NAME]))
    assert find_mismatch(decided, figures, records) is None
    told = describe_accepted(decided, figures, records)
    assert told is not None
    assert [each.verdict for each in told.rows] == [
        SAID[each["verdict"]] for each in figures["statistics"]
    ]
    other = "failed" if figures["statistics"][0]["verdict"] == "passed" else "passed"
    for name, value in (("verdict", other), ("at_most", 0.0), ("released", 0.5), ("limit", 0.9)):
        changed = copy.deepcopy(figures)
        changed["statistics"][0][name] = value
        assert find_mismatch(decided, changed, records) is not None, name


def test_a_changed_figure_fails_the_check_of_figures(copied: Callable[..., Path]) -> None:
    packet = copied("accepted")
    path = packet / "outputs.json"
    path.chmod(0o644)
    text = path.read_text(encoding="utf-8")
    verdict = str(json.loads(text)[NAME]["statistics"][-1]["verdict"])
    other = "failed" if verdict == "passed" else "passed"
    changed = text.replace(f'"verdict": "{verdict}"', f'"verdict": "{other}"', 1)
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    (packet / "SHA256SUMS").chmod(0o644)
    resummed(packet)
    assert "figures" in failed(verify(packet))


def test_noise_that_an_older_run_kept_is_in_no_packet(run_of: Making) -> None:
    made = run_of("accepted")
    noise = np.array([918_273_645_546])
    made.run.internal.mkdir(exist_ok=True)
    internal_arrays(made.run.internal / "evidence.npz", {"acceptance noise": noise})
    for path in made.packet().path.iterdir():
        found = path.read_bytes()
        assert str(noise[0]).encode() not in found, path.name
        assert noise.tobytes() not in found, path.name


@pytest.mark.parametrize("kind", ["seedless", "stained"])
def test_without_a_test_there_is_nothing_to_tell(run_of: Making, kind: str) -> None:
    made = run_of(kind)
    contents = read_contents(made.run, COVER, made.ledger)
    records = contents.tables.found["synthetic"].records
    assert describe_accepted(contents.statement.decided, {}, records) is None
    assert find_mismatch(contents.statement.decided, {}, records) is None
