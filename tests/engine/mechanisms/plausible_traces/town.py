"""Plans, laws and days of a small town."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tests.engine.models.mobility.town import TOWN, commuters, of_lives, schema
from understudy.mechanisms.plausible_traces.conditionals import Drafts
from understudy.mechanisms.plausible_traces.keys import Schedules, one_weekday
from understudy.mechanisms.plausible_traces.plan import PlausiblePlan
from understudy.models.mobility.law import Law, fit_law
from understudy.models.mobility.stays import Days
from understudy.models.mobility.tables import added_up, layout
from understudy.privacy.randomness import RandomSource


def plan(**settings: Any) -> PlausiblePlan:
    """A plan over the town: few attempts, of which some pass."""
    return PlausiblePlan(
        **{
            "domain": schema().fingerprint,
            "rows": TOWN.rows,
            "columns": TOWN.columns,
            "north_km": TOWN.cell_km[0],
            "east_km": TOWN.cell_km[1],
            "zones": TOWN.zones,
            "km_a_slot": TOWN.km_a_slot,
            "epsilon": 900.0,
            "model_epsilon": 9.0,
            "attempts": 60,
            "k": 5,
            "epsilon0": 6.0,
            "delta": 1e-4,
            "seeds_at_least": 10,
            "public_people": 80,
            **settings,
        }
    )


@cache
def law() -> Law:
    """Of many commuters and some who roam, all but without noise."""
    sigma = {table.name: 1e-3 for table in layout(TOWN)}
    both = {name: each * 20 for name, each in added_up(commuters(100), TOWN).items()}
    for name, each in added_up(roamers(60), TOWN).items():
        both[name] = both[name] + each
    return fit_law(both, sigma, TOWN)


@cache
def roamers(number: int) -> Days:
    """People who are somewhere else every few hours."""
    random = np.random.default_rng(5)
    people = []
    for _ in range(number):
        favourites = random.integers(0, TOWN.cells, 4)
        week = []
        for _ in range(7):
            row = np.repeat(favourites[0], 72)
            for start in np.sort(random.integers(18, 70, random.integers(0, 5))):
                row[start:] = random.choice(favourites)
            week.append(row.tolist())
        people.append(week)
    return of_lives(people)


def some_schedules(number: int = 60) -> Schedules:
    """A usable weekday of each of these people."""
    found = one_weekday(roamers(number), TOWN, RandomSource.fixed(2))
    return found.take(found.usable)


def told(drafts: Drafts, row: int) -> dict[str, Any]:
    """One candidate in plain values."""
    stays = int((drafts.sort[row] >= 0).sum())
    return {
        "works": int(drafts.works[row]),
        "sort": drafts.sort[row, :stays].tolist(),
        "start": drafts.start[row, :stays].tolist(),
        "home": int(drafts.home[row]),
        "work": int(drafts.work[row]),
        "cells": drafts.cells[row, :stays].tolist(),
    }
