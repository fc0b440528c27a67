"""By the printed numbers every claim is reproduced, and each is not where its numbers turn. Every
published number stands beside ours, at a small size.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.engine.studies.builders import compared, numbered
from understudy.core.refusal import Refusal
from understudy.studies.document import as_text
from understudy.studies.reproduction import ReproductionRequest
from understudy.studies.traces import evaluation, publication, setting
from understudy.studies.traces.claims import claims
from understudy.studies.traces.evaluation import TOPS
from understudy.studies.traces.fakes.adversaries import ADVERSARIES, Privacy
from understudy.studies.traces.locations import Locations
from understudy.studies.traces.publication import (
    ALIKE,
    COVERED,
    FAKES,
    RANDOM,
    REAL,
    SINGLE,
    TABLE_7_1,
    TABLE_7_2,
    UNIFORM,
    TracesStudySizes,
)
from understudy.studies.traces.setting import NUMBERS, OWN, POPULAR, WALK

Tables = dict[str, dict[tuple[str, ...], float]]
LINE = np.linspace(0.3, 0.9, 435)


def tables() -> Tables:
    """The printed numbers, and others as the text has them."""
    missed = {FAKES: 0.95, OWN: 0.9, WALK: 0.4, POPULAR: 0.2, UNIFORM: 0.1}
    sent = {FAKES: 0.7, OWN: 0.6, WALK: 0.9, POPULAR: 0.9, UNIFORM: 1.0}
    covered: dict[tuple[str, ...], float] = {(FAKES, "least"): COVERED[FAKES][0]}
    for n in TOPS:
        covered |= {(FAKES, f"top {n}"): 0.8, (UNIFORM, f"top {n}"): 0.2}
    return {
        "Figure 7.2": {("sim_G", "50 %"): 0.01, ("sim_S", "50 %"): 0.8},
        "Table 7.1": dict(TABLE_7_1),
        "Figure 7.4": covered,
        "Table 7.2": {
            (rank, kind): values[at]
            for at, rank in enumerate(("1st", "2nd", "3rd"))
            for kind, values in TABLE_7_2.items()
        },
        "Aggregates": {(FAKES, "steps"): ALIKE[0], (FAKES, "places"): ALIKE[1]},
        "Figures 7.6 to 7.8": {("sim_S of a seed and its fake, mean", "–"): 0.8},
        "Figure 7.9, privacy": {
            (kind, str(n), "naive"): each for kind, each in missed.items() for n in NUMBERS
        },
        "Figure 7.9, cost": {
            (kind, str(n), "locations"): each * n for kind, each in sent.items() for n in NUMBERS
        },
    }


def judged(found: Tables, fakes: np.ndarray = LINE**2) -> list[bool | None]:
    made = [compared(name, each) for name, each in found.items()]
    return [each.holds for each in claims(made, LINE, fakes)]


def test_by_the_printed_numbers_all_are_reproduced() -> None:
    assert judged(tables()) == [True] * 12


def test_other_numbers_turn_them() -> None:
    number = str(NUMBERS[1])
    for at, table, of, value in (
        (0, "Figure 7.2", ("sim_G", "50 %"), 0.4),
        (1, "Table 7.1", ("KL divergence, nats", REAL), 0.5),
        (2, "Table 7.1", ("Relative error", SINGLE), 0.3),
        (3, "Figure 7.4", (FAKES, "least"), 0.0),
        (4, "Table 7.2", ("2nd", RANDOM), 0.001),
        (6, "Aggregates", (FAKES, "places"), 0.47),
        (7, "Figures 7.6 to 7.8", ("sim_S of a seed and its fake, mean", "–"), 0.4),
        (9, "Figure 7.9, privacy", (WALK, number, "naive"), 0.97),
        (10, "Figure 7.9, privacy", (WALK, number, "naive"), 0.93),
        (11, "Figure 7.9, cost", (FAKES, number, "locations"), 50.0),
    ):
        changed = tables()
        changed[table][of] = value
        assert judged(changed)[at] is False, at
    further = tables()
    further["Table 7.2"] |= {(rank, REAL): 0.0 for rank in ("1st", "2nd", "3rd")}
    assert judged(further)[5] is False
    assert judged(tables(), np.where(LINE > 0.5, 1.0, LINE * 0))[8] is False


def asked(**settings: int) -> ReproductionRequest:
    return ReproductionRequest(
        True, 1, settings, "understudy reproduce locations", "2026-11-24", None
    )  # type: ignore[arg-type]


def test_every_published_number_stands_beside_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tracking, which is tested beside it and takes long on 400 locations, is left out."""

    def tracked(*asked: Any) -> tuple[Privacy, ...]:
        return tuple(Privacy(name, n, 0.5, 0.4, 0.6) for n in asked[4] for name in ADVERSARIES)

    monkeypatch.setattr(evaluation, "privacy_by_fakes", tracked)
    for module in (evaluation, setting):
        monkeypatch.setattr(module, "NUMBERS", (1, 2))
    monkeypatch.setattr(Locations, "sizes", lambda *_: TracesStudySizes(4, 1, 1, 20))
    found = Locations().run(asked(), lambda _: None)
    tables = {each["name"]: each["entries"] for each in found.data["tables"]}
    first = {(e["Measure"], e["Traces"]): e["published"] for e in tables["Table 7.1"]}
    assert {key: first[key] for key in publication.TABLE_7_1} == publication.TABLE_7_1
    second = {(e["Traces"], e["Location"]): e["published"] for e in tables["Table 7.2"]}
    for kind, printed in publication.TABLE_7_2.items():
        assert tuple(second[kind, rank] for rank in ("1st", "2nd", "3rd")) == printed
    sent = {(e["Fakes are"], e["Fakes"], e["Adversary"]) for e in tables["Figure 7.9, privacy"]}
    assert len(sent) == 7 * len(setting.NUMBERS) * 5
    cost = {(e["Fakes are"], e["Fakes"], e["Different"]): e for e in
            tables["Figure 7.9, cost"]}  # fmt: skip
    day = {(e["Fakes are"], e["Fakes"], e["Different"]): e for e in
           tables["Figure 7.9, cost of a day"]}  # fmt: skip
    assert cost.keys() == day.keys()
    for (_, number, what), each in cost.items():
        assert 1 <= each["ours"] <= int(number) + 1, what
    assert any(each["ours"] > 3 for each in day.values())
    covered = {(e["Traces"], e["Of the tops"]): e for e in tables["Figure 7.4"]}
    for kind, printed in publication.COVERED.items():
        assert tuple(covered[kind, name]["published"] for name in ("least", "most")) == printed
    assert {e["published"] for e in tables["Figure 7.4, of visits"]} == {None}
    names = [f"figure-7-{n}" for n in range(3, 10)]
    assert [each.name for each in found.pictures] == [*names, "figure-7-9-adversaries"]
    assert numbered(tables) <= numbered(each.of for each in Locations().definitions())
    text = as_text(found.sections)
    assert "No guarantee: shows places because real people were there." in text


def test_coverage_counts_which_places_are_the_same_and_not_how_often_they_are_visited() -> None:
    """Places 0 to 3 by visits, from the most: day 2 has the first two of them the other way round,
    and fakes have all of them backwards, in nearly as many visits."""
    days = [np.repeat(order, [13, 12, 11, 10])[None] for order in ((0, 1, 2, 3), (1, 0, 2, 3))]
    known = SimpleNamespace(known=SimpleNamespace(locations=4))
    made: Any = SimpleNamespace(first=days[0], second=days[1], model=known)
    fakes = np.repeat((3, 2, 1, 0), [13, 12, 11, 10])[None]
    covered = evaluation.measure_coverage(made, [fakes, days[0]])
    # Of the tops of 1, 2, 3, 4: of day 2 there are 0, 2, 3, 4; of the two sets 0, 0, 2, 4 and all.
    assert covered[publication.FAKES][1:4].tolist() == pytest.approx([0.5, 2.5 / 3, 1.0])
    assert np.isnan(covered[publication.FAKES][0])
    assert covered[publication.UNIFORM][1:4].tolist() == pytest.approx([0.5, 0.75, 1.0])


@pytest.mark.parametrize("settings", [{"people": 10}, {"releases": 0}])
def test_too_little_is_refused(settings: dict[str, int]) -> None:
    with pytest.raises(Refusal, match="too few people or releases"):
        Locations().check(asked(**settings))
    Locations().check(asked())
