"""What is published of Inspect's pictures depends on made people alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from understudy.mechanisms.traces.looking import HOURS, Whereabouts
from understudy.models.mobility.geography import Geography
from understudy_dashboard.methods.page import RunInspection
from understudy_dashboard.methods.traces import page

TOWN = Geography(rows=3, columns=4, zones=2)


def whereabouts(seed: int) -> Whereabouts:
    random = np.random.default_rng(seed)
    zones = TOWN.zones**2
    hours = random.dirichlet(np.ones(TOWN.cells), (2, HOURS))
    return Whereabouts(hours, random.dirichlet(np.ones(zones**2), 2).reshape(2, zones, zones))


def test_a_picture_of_made_people_is_the_same_whoever_the_real_ones_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown: dict[str, list[Any]] = {}

    def keep(figure: Any, table: Any, *, key: str, **_: Any) -> None:
        shown.setdefault(key, []).append((figure.to_dict(), table.to_dict()))

    decided = SimpleNamespace(plan=SimpleNamespace(where=TOWN))
    looked = cast(RunInspection, SimpleNamespace(decided=decided))
    monkeypatch.setattr(page, "draw_picture", keep)
    for seed in (1, 2):
        real, made = whereabouts(seed), whereabouts(0)
        monkeypatch.setattr(page, "_find_both", lambda *_, both=(real, made): both)
        page.draw_density(looked, None)
        page.draw_flows(looked, None)
    for name in ("density", "flows"):
        first, second = shown[f"{name}-Made people"]
        assert first == second
        first, second = shown[f"{name}-Real people"]
        assert first != second
