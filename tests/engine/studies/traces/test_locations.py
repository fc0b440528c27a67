"""Every published number stands beside ours, at a small size."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.engine.studies.numbered import numbered
from understudy.core.refusal import Refusal
from understudy.studies.document import as_text
from understudy.studies.reproduction import Asked
from understudy.studies.traces import evaluation, published, setting
from understudy.studies.traces.fakes.tracking import ADVERSARIES, Privacy
from understudy.studies.traces.locations import Locations
from understudy.studies.traces.published import Sizes


def asked(**settings: int) -> Asked:
    return Asked(True, 1, settings, "understudy reproduce locations", "2026-11-24", None)  # type: ignore[arg-type]


def test_every_published_number_stands_beside_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tracking, which is tested beside it and takes long on 400 locations, is left out."""

    def tracked(*asked: Any) -> tuple[Privacy, ...]:
        return tuple(Privacy(name, n, 0.5, 0.4, 0.6) for n in asked[4] for name in ADVERSARIES)

    monkeypatch.setattr(evaluation, "privacy_by_fakes", tracked)
    for module in (evaluation, setting):
        monkeypatch.setattr(module, "NUMBERS", (1, 2))
    monkeypatch.setattr(Locations, "sizes", lambda *_: Sizes(4, 1, 1, 20))
    found = Locations().run(asked(), lambda _: None)
    tables = {each["name"]: each["entries"] for each in found.data["tables"]}
    first = {(e["Measure"], e["Traces"]): e["published"] for e in tables["Table 7.1"]}
    assert {key: first[key] for key in published.TABLE_7_1} == published.TABLE_7_1
    second = {(e["Traces"], e["Location"]): e["published"] for e in tables["Table 7.2"]}
    for kind, printed in published.TABLE_7_2.items():
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
    for kind, printed in published.COVERED.items():
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
    assert covered[published.FAKES][1:4].tolist() == pytest.approx([0.5, 2.5 / 3, 1.0])
    assert np.isnan(covered[published.FAKES][0])
    assert covered[published.UNIFORM][1:4].tolist() == pytest.approx([0.5, 0.75, 1.0])


@pytest.mark.parametrize("settings", [{"people": 10}, {"releases": 0}])
def test_too_little_is_refused(settings: dict[str, int]) -> None:
    with pytest.raises(Refusal, match="too few people or releases"):
        Locations().check(asked(**settings))
    Locations().check(asked())
