"""Simulated tables as archives have them: a hospital, a panel survey and a long questionnaire.

Nobody in these tables exists. They are texts, written as such files are: separated by semicolons,
days as 31.12.2020, decimal commas, codes for missing among numbers, numbers and names of people.
They can be opened without a schema, to try what is suggested for them; the hospital has one that
is finished, with rules. Every probability is invented.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import numpy as np

from understudy.core.arrays import FloatArray, IntArray
from understudy.core.refusal import Refusal
from understudy.samples import FILES
from understudy.samples.pieces import pieces, written_whole

Row = tuple[str, ...]

HOSPITAL: Final = FILES / "hospital.csv"
HOSPITAL_SCHEMA: Final = FILES / "hospital.schema.json"
"""What the columns of the hospital may contain, whose the stays are, what follows from what, and
the rules; declared public."""
PANEL: Final = FILES / "panel.csv"
SHIPPED_STAYS: Final = 4_000
SHIPPED_PEOPLE: Final = 2_000
SHIPPED_SEED: Final = 2021

HOSPITAL_CODES: Final[Mapping[str, str]] = {
    "-1": "not measured",
    "-2": "refused",
    "999": "unknown",
}
"""The codes for missing of the hospital, with their meanings."""
PANEL_CODES: Final[Mapping[str, str]] = {"-8": "not asked", "-9": "refused"}
"""The codes for missing of the panel survey."""
QUESTIONNAIRE_CODES: Final[Mapping[str, str]] = {"8": "does not apply", "9": "no answer"}
"""The codes of the questionnaire that are no step of its scales."""

HOSPITAL_COLUMNS: Final = (
    *("encounter_no", "patient_no", "surname", "forename", "birth_date", "sex"),
    *("admitted_at", "discharged_at", "department", "admission", "diagnosis"),
    *("systolic", "weight_kg", "smoker"),
    *("ward_cost", "drug_cost", "theatre_cost", "total_cost"),
)
PANEL_COLUMNS: Final = (
    *("person", "wave", "region", "sex", "birth_year", "household_size", "employment"),
    *("hours_per_week", "income", "rent", "satisfaction", "survey_weight"),
)


def _split(words: str) -> Row:
    return tuple(words.split())


_SURNAMES: Final = _split(
    "Adler Bauer Berger Brandt Brunner Busch Dietrich Eder Engel Fischer Frank Fuchs Gruber Haas "
    "Hahn Hartmann Heinrich Hofer Huber Jung Kaiser Keller Klein Koch Kraus Kuhn Lang Lehner "
    "Lindner Lorenz Maier Maurer Moser Neumann Ortner Pichler Pohl Reiter Richter Roth Sauer "
    "Schmid Schuster Seidl Simon Sommer Steiner Thaler Urban Vogel Wagner Walter Weber Weiss "
    "Winkler Winter Wolf Zauner Ziegler Zimmermann"
)
_FORENAMES: Final = (
    _split(
        "Anna Barbara Carla Clara Doris Elena Elisabeth Emma Eva Franziska Gerda Hanna Helga Ida "
        "Ingrid Johanna Julia Katharina Laura Lea Lena Maria Marie Nina Paula Rosa Sarah Sophie "
        "Theresa Ursula"
    ),
    _split(
        "Alexander Andreas Anton Bernhard Christian David Emil Erich Felix Franz Georg Gerhard "
        "Hans Jakob Johann Josef Jonas Karl Leon Lukas Martin Max Michael Otto Paul Peter Robert "
        "Stefan Thomas Wolfgang"
    ),
)

# Departments: how common each is, the mean age and its spread, the share of women, of planned
# stays and of operations, the median of days and of a day's cost.
_DEPARTMENTS: Final = {
    "Internal medicine": (0.30, 66, 15, 0.50, 0.25, 0.02, 5.0, 410),
    "Surgery": (0.20, 54, 18, 0.47, 0.55, 0.85, 4.0, 520),
    "Orthopaedics": (0.12, 61, 16, 0.55, 0.70, 0.80, 6.0, 480),
    "Obstetrics": (0.10, 31, 5, 1.00, 0.30, 0.30, 3.5, 390),
    "Neurology": (0.10, 63, 17, 0.49, 0.25, 0.05, 6.5, 450),
    "Paediatrics": (0.10, 8, 5, 0.47, 0.30, 0.08, 2.5, 430),
    "Urology": (0.08, 64, 14, 0.18, 0.60, 0.55, 3.0, 440),
}
_DIAGNOSES: Final = {
    "Internal medicine": "I50 J18 E11 K29 I48",
    "Surgery": "K80 K35 K40 C18",
    "Orthopaedics": "M16 M17 S72 S82",
    "Obstetrics": "O80 O82 O42",
    "Neurology": "I63 G40 G35",
    "Paediatrics": "J20 A09 R56",
    "Urology": "N20 N40 C67",
}
_FIRST: Final = datetime(2020, 1, 1)
_MINUTES: Final = 3 * 365 * 24 * 60
_AGAIN: Final = 0.15
"""The share of stays of a patient who was there before."""
_PIECE: Final = 1 << 12
"""So many stays or people are drawn together."""


def write_hospital(rows: int, destination: Path, seed: int = SHIPPED_SEED) -> None:
    """Write simulated stays in a hospital to a CSV file, all of them or no file.

    More stays from the same seed begin with the fewer ones.

    Raises:
        Refusal: `rows` is not positive, `seed` is negative, or the file cannot be written.
    """
    _write(HOSPITAL_COLUMNS, pieces(_simulate_stays, rows, seed, _PIECE), destination)


def write_panel(people: int, destination: Path, seed: int = SHIPPED_SEED) -> None:
    """Write a simulated panel survey to a CSV file, one row a person and wave.

    Raises:
        Refusal: `people` is not positive, `seed` is negative, or the file cannot be written.
    """
    if people < 1:
        raise Refusal(
            f"A panel of {people} people cannot be made.",
            "Ask for one person or more.",
            field="people",
        )
    drawn = pieces(_simulate_people, people, seed, _PIECE)
    waves = ([row for person in piece for row in person] for piece in drawn)
    _write(PANEL_COLUMNS, waves, destination)


def write_questionnaire(rows: int, destination: Path, seed: int = SHIPPED_SEED) -> None:
    """Write a simulated questionnaire of 2,500 columns to a CSV file.

    Raises:
        Refusal: `rows` is not positive, `seed` is negative, or the file cannot be written.
    """
    _write(questionnaire_columns(), pieces(_simulate_answers, rows, seed, 500), destination)


def questionnaire_columns() -> Row:
    """Return the names of its columns: q1_1 to q1_50, q2_1 and so on."""
    items = (f"q{place // 50 + 1}_{place % 50 + 1}" for place in range(2_497))
    return ("respondent", "sex", "age", *items)


def _write(names: Row, made: Iterator[Sequence[Row]], destination: Path) -> None:
    with written_whole(destination) as sink:
        sink.write((";".join(names) + "\n").encode())
        for piece in made:
            sink.writelines((";".join(row) + "\n").encode() for row in piece)


def _simulate_stays(random: np.random.Generator, count: int) -> list[Row]:
    """Simulate stays in the order of nothing: those of one patient share who that is."""
    whose = np.cumsum(random.random(count) >= _AGAIN)
    names = tuple(_DEPARTMENTS)
    table = np.array(list(_DEPARTMENTS.values()))
    patients = whose[-1] + 1
    places = random.choice(len(names), patients, p=table[:, 0] / table[:, 0].sum())[whose]
    people = _simulate_patients(random, table[places[np.searchsorted(whose, range(patients))]])
    share_planned, share_operated, days, price = table[places, 4:].T
    planned = random.random(count) < share_planned
    operated = random.random(count) < share_operated
    begun = random.integers(0, _MINUTES // 1440, count) * 1440 + np.where(
        planned, random.integers(7 * 60, 10 * 60, count), random.integers(0, 1440, count)
    )
    lasting = days * np.exp(random.normal(0, 0.6, count)) * 1440
    ward = np.round(price * np.maximum(lasting / 1440, 0.5) * random.uniform(0.9, 1.1, count), 2)
    drugs = np.round(ward * random.gamma(2, 0.06, count), 2)
    theatre = np.round(np.where(operated, random.gamma(4, 550, count), 0), 2)
    measures = _simulate_measures(random, people.ages[whose], count)
    encounters = random.integers(10**8, 10**9, count)
    rows = []
    for place, person in enumerate(whose.tolist()):
        department = names[places[place]]
        admitted = _FIRST + timedelta(minutes=int(begun[place]))
        discharged = admitted + timedelta(minutes=int(lasting[place]))
        costs = (ward[place], drugs[place], theatre[place])
        rows.append(
            (
                f"{encounters[place]}",
                *people.rows[person],
                f"{admitted:%d.%m.%Y %H:%M}",
                f"{discharged:%d.%m.%Y %H:%M}",
                department,
                "planned" if planned[place] else "emergency",
                str(random.choice(_DIAGNOSES[department].split())),
                *(each[place] for each in measures),
                *(f"{each:.2f}" for each in (*costs, round(sum(costs), 2))),
            )
        )
    return [rows[place] for place in random.permutation(count)]


class _Patients:
    """Who stays: number, names, birth date and sex of each, and the age of each."""

    def __init__(self, rows: list[Row], ages: FloatArray) -> None:
        self.rows = rows
        self.ages = ages


def _simulate_patients(random: np.random.Generator, table: FloatArray) -> _Patients:
    many = len(table)
    ages = np.clip(random.normal(table[:, 1], table[:, 2]), 1, 97)
    women = random.random(many) < table[:, 3]
    numbers = random.integers(10**9, 10**10, many)
    rows: list[Row] = []
    for place in range(many):
        born = _FIRST - timedelta(days=float(ages[place]) * 365.25)
        forenames = _FORENAMES[0 if women[place] else 1]
        rows.append(
            (
                f"{numbers[place]}",
                str(random.choice(_SURNAMES)),
                str(random.choice(forenames)),
                f"{born:%d.%m.%Y}",
                "f" if women[place] else "m",
            )
        )
    return _Patients(rows, ages)


def _simulate_measures(
    random: np.random.Generator, ages: FloatArray, count: int
) -> tuple[list[str], ...]:
    """Return blood pressure, weight and smoking of stays, with the codes for missing."""
    grown = np.minimum(ages / 18, 1)
    systolic = np.clip(
        np.round(92 + 22 * grown + 0.25 * ages + random.normal(0, 11, count)), 70, 220
    )
    weight = np.clip(8 + 66 * grown + random.normal(0, 11, count) * grown, 5, 150)
    smoker = random.random(count) < np.where(ages > 16, 0.24, 0)
    columns = (
        [f"{each:.0f}" for each in systolic],
        [f"{each:.1f}" for each in weight],
        ["1" if each else "0" for each in smoker],
    )
    return tuple(
        _with_codes(random, each, HOSPITAL_CODES, shares)
        for each, shares in zip(
            columns, ((0.05, 0.01, 0.02), (0.06, 0.02, 0.02), (0.02, 0.03, 0.04)), strict=True
        )
    )


def _with_codes(
    random: np.random.Generator,
    texts: Sequence[str],
    codes: Mapping[str, str],
    shares: Sequence[float],
) -> list[str]:
    """Return the texts, of which these shares are codes for missing instead."""
    choice = np.searchsorted(np.cumsum(shares), random.random(len(texts)), side="right")
    written = (*codes, "")
    return [
        text if place == len(shares) else written[place]
        for text, place in zip(texts, choice.tolist(), strict=True)
    ]


_REGIONS: Final = ("North", "East", "South", "West", "Capital")
_EMPLOYMENT: Final = ("full time", "part time", "not employed", "retired", "in education")


def _simulate_people(random: np.random.Generator, count: int) -> list[list[Row]]:
    """Return the waves of each person: one to three, in the first of which everybody is."""
    numbers = random.integers(10**6, 10**8, count)
    born = random.integers(1935, 2003, count)
    regions = random.choice(len(_REGIONS), count, p=(0.2, 0.25, 0.25, 0.2, 0.1))
    women = random.random(count) < 0.52
    base = random.normal(0, 1, count)
    weights = np.exp(random.normal(0, 0.35, count)) * np.where(regions == 4, 0.6, 1.1)
    waves = 1 + (random.random((count, 2)) < (0.85, 0.8)).cumprod(axis=1).sum(axis=1)
    return [
        [
            (
                f"{numbers[place]}",
                f"{wave}",
                _REGIONS[regions[place]],
                "2" if women[place] else "1",
                f"{born[place]}",
                *_simulate_wave(random, 2015 + 2 * wave - int(born[place]), float(base[place])),
                _comma(weights[place], 4),
            )
            for wave in range(1, int(waves[place]) + 1)
        ]
        for place in range(count)
    ]


def _simulate_wave(random: np.random.Generator, age: int, base: float) -> Row:
    """Return the household size, work, hours, income, rent and satisfaction of a person."""
    if age >= 66:
        work = 3
    elif age < 20:
        work = 4
    else:
        work = int(random.choice(5, p=(0.52, 0.22, 0.17, 0.03, 0.06)))
    employed = work < 2
    hours = round(min(70, max(4, (40 if work == 0 else 22) + random.normal(0, 5))))
    income = float(np.exp((7.8 if work == 0 else 7.1) + 0.35 * base + random.normal(0, 0.2)))
    return (
        f"{min(8, 1 + random.poisson(1.3))}",
        _EMPLOYMENT[work],
        _answer(random, f"{hours}", 0.04) if employed else "-8",
        _answer(random, _comma(income, 2), 0.09) if employed else "-8",
        _answer(random, _comma(280 + random.gamma(4, 110), 2), 0.05)
        if random.random() < 0.55
        else "-8",
        _answer(random, f"{round(min(10, max(0, 7 + 0.6 * base + random.normal(0, 1.8))))}", 0.02),
    )


def _answer(random: np.random.Generator, text: str, refused: float) -> str:
    return "-9" if random.random() < refused else text


def _comma(number: float, digits: int) -> str:
    return f"{number:.{digits}f}".replace(".", ",")


def _simulate_answers(random: np.random.Generator, count: int) -> list[Row]:
    """Return respondents with their answers from 1 to 5, alike within a block of fifty."""
    blocks = random.normal(0, 1, (count, 50))
    noise = random.normal(0, 1, (count, 2_500))
    easy = np.sin(np.arange(2_500) * 0.7) * 0.5
    leaning = np.repeat(blocks, 50, axis=1) * 0.8 + noise + easy
    answers: IntArray = 1 + np.searchsorted((-1.2, -0.4, 0.5, 1.3), leaning)
    chance = random.random(answers.shape)
    answers = np.where(chance < 0.03, 9, np.where(chance < 0.05, 8, answers))
    sexes = random.choice(("f", "m", "d"), count, p=(0.51, 0.48, 0.01))
    ages = random.integers(18, 91, count)
    numbers = random.integers(10**7, 10**9, count)
    return [
        (f"{number}", str(sex), f"{age}", *map(str, row))
        for number, sex, age, row in zip(
            numbers.tolist(), sexes, ages.tolist(), answers[:, :2_497].tolist(), strict=True
        )
    ]
