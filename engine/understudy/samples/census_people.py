"""Drawing people for the simulated census, one attribute after another.

    sex → age → world area of birth → race → schooling → marital status → relationship
    schooling, sex, age, area of birth → occupation → class of worker → hours → income

Each attribute has one conditional distribution, given some of those before it, built here from
the weights in `census_tables`.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from understudy.core.arrays import CodeArray, FloatArray, IntArray
from understudy.samples import census_tables as tables
from understudy.samples.conditional import Conditional

# SCHL code → ten levels, from below high school to doctorate → seven degrees.
_LEVEL = np.array([*[0] * 15, 1, 2, 3, 4, 5, 6, 7, 8, 9])
_DEGREE = np.array([0, 1, 1, 2, 2, 3, 4, 5, 6, 6])[_LEVEL]

# WAOB code → the three origins whose occupations differ; whether born outside the country.
_ORIGIN = np.array([0, 0, 1, 2, 0, 0, 0, 0])
_ABROAD = np.array([0, 0, 1, 1, 1, 1, 1, 1])
_LATIN = 2


def people(random: np.random.Generator, count: int) -> CodeArray:
    """`count` people as codes, shape (count, 11), in the order of the schema."""
    sex = (random.random(count) < tables.WOMEN).astype(np.int64)
    age = _age().draw(random, sex)
    birth = _birth().draw(random, _band(age, tables.BIRTH_AGES))
    race = _race().draw(random, birth)
    schooling = _schooling().draw(random, _band(age, tables.SCHOOLING_AGES), sex, birth, race)
    degree, abroad, stage = _DEGREE[schooling], _ABROAD[birth], _band(age, tables.STAGE_AGES)
    marital = _marital().draw(random, age, sex, degree)
    relation = _relation().draw(random, marital, _band(age, tables.RELATION_AGES), sex, abroad)
    occupation = _occupation().draw(random, degree, sex, stage, _ORIGIN[birth])
    worker = _worker().draw(random, occupation, stage, sex, abroad)
    week = _week().draw(random, _band(age, tables.WEEK_AGES), occupation, worker, sex)
    hours = _hours().draw(random, week)
    chance = _chance_of_high_income(age, worker, schooling, marital, occupation, sex, hours, birth)
    income = random.random(count) < chance
    return np.column_stack(
        (age, worker, schooling, marital, occupation, relation, race, sex, hours, birth, income)
    ).astype(np.uint16)


def _band(age: IntArray, starts: tuple[int, ...]) -> IntArray:
    """Return the age band of each age code: 0 below the first start, one more from each start
    on."""
    return np.digitize(tables.AGES, starts)[age]


@cache
def _age() -> Conditional:
    """Age by sex."""
    weights = np.interp(tables.AGES, tables.AGE_KNOTS, tables.AGE_WEIGHTS)
    men = np.interp(tables.AGES, *tables.MEN_AGE)
    return Conditional(np.stack([weights * men, weights]))


@cache
def _birth() -> Conditional:
    """World area of birth by age band."""
    return Conditional(tables.BIRTH)


@cache
def _race() -> Conditional:
    """Race by world area of birth."""
    return Conditional(tables.RACE)


@cache
def _schooling() -> Conditional:
    """Schooling by age band, sex, world area of birth and race."""
    lean = tables.SEX_LEAN[:, None, None] + tables.BIRTH_LEAN[:, None] + tables.RACE_LEAN
    levels = _tilted(tables.SCHOOLING[:, None, None, None, :], lean, tables.RUNG)
    return Conditional(levels[..., _LEVEL] * _shares_within_levels()[:, None, :, None, :])


def _shares_within_levels() -> FloatArray:
    """Return the share of each SCHL code in its level, shape (age band, area of birth, 24)."""
    minor, adult, latin = tables.GRADES / tables.GRADES.sum(axis=1, keepdims=True)
    shares = np.ones((len(tables.SCHOOLING), len(tables.RACE), len(_LEVEL)))
    shares[..., : len(adult)] = adult
    shares[:, _LATIN, : len(latin)] = latin
    shares[:2, :, : len(minor)] = minor
    return shares


@cache
def _marital() -> Conditional:
    """Marital status by age, sex and degree."""
    by_age = np.stack([_between(knots) for knots in tables.MARITAL], axis=1)
    settled = tables.SETTLED_MARITAL ** tables.DEGREE_SETTLED[:, None]
    return Conditional(by_age[:, :, None, :] * settled)


def _between(knots: FloatArray) -> FloatArray:
    """Rows given at `MARITAL_AGES`, filled in for every age by straight lines."""
    columns = [np.interp(tables.AGES, tables.MARITAL_AGES, column) for column in knots.T]
    return np.stack(columns, axis=1)


@cache
def _relation() -> Conditional:
    """Relationship to the householder by marital status, age band, sex and birth abroad."""
    weights = np.stack(tables.RELATION)[:, :, None, None, :]
    sexes = np.stack([tables.MEN_RELATION, tables.WOMEN_RELATION])[:, None, :]
    return Conditional(weights * sexes * _unless(tables.BORN_ABROAD_RELATION))


@cache
def _occupation() -> Conditional:
    """Occupation by degree, sex, stage of life and origin."""
    *_, women, young, old = tables.OCCUPATION.T
    degrees = tables.OCCUPATION[:, :-3].T[:, None, None, None, :]
    sexes = np.stack([1 - women, women])[:, None, None, :]
    stages = np.stack([young, np.ones_like(young), old])[:, None, :]
    plain = np.ones_like(women)
    origins = np.stack([plain, tables.LATIN_OCCUPATION, tables.ASIAN_OCCUPATION])
    return Conditional(degrees * sexes * stages * origins)


@cache
def _worker() -> Conditional:
    """Class of worker by occupation, stage of life, sex and birth abroad."""
    plain = np.ones_like(tables.OLD_WORKER)
    stages = np.stack([tables.YOUNG_WORKER, plain, tables.OLD_WORKER])[:, None, None, :]
    sexes = _unless(tables.WOMEN_WORKER)[:, None, :]
    occupations = tables.WORKER[:, None, None, None, :]
    return Conditional(occupations * stages * sexes * _unless(tables.BORN_ABROAD_WORKER))


@cache
def _week() -> Conditional:
    """Return how full the working week is, by age band, occupation, class of worker and sex."""
    by_age = tables.WEEK[:, None, None, None, :]
    occupations = _tilted(by_age, tables.OCCUPATION_FULLNESS[:, None, None], tables.FULLNESS)
    sexes = np.stack([tables.MEN_WEEK, tables.WOMEN_WEEK])
    return Conditional(occupations * tables.WORKER_WEEK[:, None, :] * sexes)


@cache
def _hours() -> Conditional:
    """Hours by how full the week is."""
    weeks = np.digitize(tables.HOURS, tables.WEEK_STARTS)
    return Conditional((weeks == np.arange(weeks.max() + 1)[:, None]) * tables.HEAPS)


def _chance_of_high_income(
    age: IntArray,
    worker: IntArray,
    schooling: IntArray,
    marital: IntArray,
    occupation: IntArray,
    sex: IntArray,
    hours: IntArray,
    birth: IntArray,
) -> FloatArray:
    """Return the probability that each person earns above the line, shape (n,)."""
    log_odds = (
        tables.INCOME_START
        + np.interp(tables.AGES, *tables.INCOME_AGE)[age]
        + tables.INCOME_WORKER[worker]
        + tables.INCOME_LEVEL[_LEVEL[schooling]]
        + tables.INCOME_MARITAL[marital]
        + tables.INCOME_OCCUPATION[occupation]
        + tables.INCOME_SEX[sex]
        + np.interp(tables.HOURS, *tables.INCOME_HOURS)[hours]
        + tables.INCOME_BIRTH[birth]
    )
    chance: FloatArray = 1 / (1 + np.exp(-log_odds))
    return chance


def _tilted(weights: FloatArray, lean: FloatArray, direction: FloatArray) -> FloatArray:
    """Weights pulled along `direction` (one number per child value) as far as `lean` says."""
    return weights * np.exp(lean[..., None] * direction)


def _unless(factor: FloatArray) -> FloatArray:
    """Return two rows, for a flag that is down (no effect) and one that is up (the factor)."""
    return np.stack([np.ones_like(factor), factor])
