"""Wide simulated tables with sparse codes. Nobody in them exists.

Each record has a frailty and a kind that no column shows, which is what most columns have in
common; long lists of codes are tied to one another, some are grouped by others, and much is missing
where it does not apply, with codes that occur only there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.table.authoring.suggestion import suggest_schema
from understudy.table.declared_reading import usual
from understudy.table.encoding import encode_public
from understudy.table.raw import RawTable, table_of, text_column
from understudy.table.records import Records

Codes = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

_LAW = 2026
"""The seed of the invented probabilities, which are the same for every sample."""
MISSING = -1


@dataclass(eq=False)
class _Drawing:
    """A table in the making: the law's randomness, the sample's, and the columns so far.

    Attributes:
        rows: how many records.
        law: what the probabilities are made with.
        random: what the records are drawn with.
        columns: of each name the codes, `MISSING` where there is none.
        kind: (rows,) 0 to `KINDS` − 1.
        frailty: (rows,) about 0, of variance 1.
    """

    KINDS = 8
    rows: int
    law: np.random.Generator
    random: np.random.Generator
    columns: dict[str, Codes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.kind = self.random.choice(self.KINDS, self.rows, p=zipf(self.KINDS, 0.6))
        self.frailty = self.random.normal(size=self.rows) + 0.3 * (self.kind - 2)

    def listed(self, name: str, size: int, given: Codes, *, tied: float = 0.8) -> Codes:
        """A list of codes with Zipf's frequencies; a record's group prefers codes of its own with
        this chance, each group's few."""
        groups = int(given.max()) + 2 if self.rows else 1
        own = [self.law.permutation(size) for _ in range(max(groups, 512))]
        codes = self.random.choice(size, self.rows, p=zipf(size, 1.1))
        nearest = self.random.choice(size, self.rows, p=zipf(size, 1.6))
        preferred = np.stack(own)[given + 1, nearest]
        self.columns[name] = np.where(self.random.random(self.rows) < tied, preferred, codes)
        return self.columns[name]

    def grouped(self, name: str, of: str, sizes: tuple[int, int]) -> Codes:
        """Groups of the codes of another column, missing where that is."""
        groups = np.append(np.sort(self.law.integers(0, sizes[1], sizes[0])), MISSING)
        self.columns[name] = groups[self.columns[of]]
        return self.columns[name]

    def flag(self, name: str, share: float, about: Reals | None = None) -> Codes:
        """A yes for about this share, more often with frailty and in some kinds."""
        pull = self.frailty if about is None else about
        odds = np.log(share / (1 - share)) + 0.9 * pull - 0.6
        odds = odds + self.law.normal(0, 0.8, self.KINDS)[self.kind]
        self.columns[name] = (self.random.random(self.rows) < 1 / (1 + np.exp(-odds))).astype(int)
        return self.columns[name]

    def number(self, name: str, scale: float, most: int, zero: float = 0.0) -> Codes:
        """A whole number up to `most`, with frailty, and 0 for a share."""
        shape = self.law.uniform(0.6, 1.4, self.KINDS)[self.kind]
        drawn = self.random.gamma(2.0, scale * shape / 2) * np.exp(0.3 * self.frailty)
        nothing = self.random.random(self.rows) < zero
        self.columns[name] = np.where(nothing, 0, np.minimum(drawn, most)).astype(int)
        return self.columns[name]

    def only(self, name: str, where: npt.NDArray[np.bool_]) -> None:
        """Missing elsewhere."""
        self.columns[name] = np.where(where, self.columns[name], MISSING)

    def records(self) -> Records:
        """With the schema that Understudy suggests for it; what is missing is empty."""
        names = list(self.columns)
        raw = RawTable(
            table_of(names, (_texts(name, self.columns[name]) for name in names)),
            usual("csv"),
        )
        return encode_public(raw, suggest_schema(raw).schema)


def zipf(size: int, power: float) -> Reals:
    """(size,) shares that fall as a power of the rank."""
    weights = np.arange(1, size + 1, dtype=np.float64) ** -power
    return np.asarray(weights / weights.sum())


def patients(rows: int, seed: int) -> Records:
    """48 columns: stays in a hospital, with 28 rare flags."""
    made = _begun(rows, seed)
    made.number("age", 45, 100)
    made.flag("sex", 0.5, np.zeros(rows))
    made.listed("region", 20, made.kind % 3, tied=0.3)
    made.listed("hospital", 120, made.columns["region"], tied=0.9)
    made.listed("diagnosis", 400, made.kind, tied=0.85)
    made.grouped("chapter", "diagnosis", (400, 20))
    made.listed("second diagnosis", 400, made.columns["chapter"], tied=0.6)
    made.listed("procedure", 250, made.columns["diagnosis"], tied=0.9)
    treated = made.random.random(rows) < 0.55 + 0.1 * np.tanh(made.frailty)
    made.only("procedure", treated)
    made.grouped("kind of procedure", "procedure", (250, 12))
    made.listed("why untreated", 25, made.kind, tied=0.7)
    made.only("why untreated", ~treated)
    made.listed("complication", 60, made.columns["kind of procedure"], tied=0.7)
    made.only("complication", treated & (made.random.random(rows) < 0.06))
    made.listed("drug", 180, made.columns["chapter"], tied=0.8)
    made.listed("ward", 15, made.columns["chapter"], tied=0.9)
    made.listed("discharge", 6, made.kind, tied=0.5)
    died = made.columns["discharge"] == 5
    made.listed("cause of death", 80, made.columns["chapter"], tied=0.9)
    made.only("cause of death", died)
    made.number("days", 6, 60, zero=0.2)
    made.number("visits", 2, 20, zero=0.4)
    tested = made.random.random(rows) < 0.35
    for place in range(3):
        made.number(f"value {place}", 120 * (place + 1), 900)
        made.only(f"value {place}", tested)
    for place, share in enumerate(np.geomspace(0.001, 0.05, 28)):
        made.flag(f"flag {place}", float(share))
    return made.records()


def survey(rows: int, seed: int) -> Records:
    """42 columns: a survey of work and households, most of which apply to few."""
    made = _begun(rows, seed)
    age = made.number("age", 36, 90)
    working = (age > 16) & (age < 70) & (made.random.random(rows) < 0.7)
    made.listed("class of worker", 8, made.kind)
    made.listed("industry", 51, made.kind, tied=0.7)
    made.listed("occupation", 46, made.columns["industry"], tied=0.8)
    made.listed("union", 2, made.kind)
    made.listed("employer size", 6, made.columns["industry"] % 7)
    made.number("weeks", 40, 52)
    for name in list(made.columns)[1:]:
        made.only(name, working)
    made.grouped("branch", "industry", (51, 23))
    made.grouped("trade", "occupation", (46, 14))
    made.listed("education", 17, np.minimum(age // 12, 6), tied=0.8)
    made.listed("marital", 7, np.minimum(age // 15, 5), tied=0.9)
    made.listed("household", 38, made.columns["marital"], tied=0.95)
    made.grouped("in household", "household", (38, 8))
    made.number("wage", 60, 400, zero=0.3)
    made.only("wage", working & (made.columns["class of worker"] == 1))
    for name, zero in (("gains", 0.96), ("losses", 0.98), ("dividends", 0.9)):
        made.number(name, 300, 5_000, zero=zero)
    moved = made.random.random(rows) < 0.08
    made.listed("moved from", 6, made.kind, tied=0.4)
    made.listed("state before", 50, made.columns["moved from"], tied=0.9)
    for name in ("moved from", "state before"):
        made.only(name, moved)
    asked = made.random.random(rows) < 0.5
    made.columns["migration"] = np.where(moved, 1 + made.columns["moved from"], 0)
    made.only("migration", asked)
    made.grouped("migration in region", "migration", (7, 5))
    made.grouped("same house", "migration", (7, 2))
    country = made.listed("country", 42, np.minimum(made.kind, 2), tied=0.9)
    for name in ("country of mother", "country of father"):
        made.listed(name, 42, country, tied=0.95)
    made.grouped("citizenship", "country", (42, 5))
    for place, size in enumerate((3, 3, 3, 4, 5, 5, 6, 9, 10, 12)):
        made.listed(f"answer {place}", size, made.kind, tied=0.6)
    made.listed("why no work", 5, made.kind)
    made.only("why no work", ~working & (made.random.random(rows) < 0.1))
    made.listed("enrolled", 2, made.kind)
    made.only("enrolled", (age < 25) & (age > 10))
    made.flag("veteran", 0.03)
    made.flag("own business", 0.04)
    made.flag("sex", 0.5, np.zeros(rows))
    made.flag("income", 0.06)
    return made.records()


def visits(rows: int, seed: int) -> Records:
    """16 columns: visits to shops, with two long lists."""
    made = _begun(rows, seed)
    made.number("value hour", 12, 23)
    made.listed("day", 7, made.kind, tied=0.3)
    made.listed("town", 90, made.kind, tied=0.5)
    made.listed("shop", 300, made.columns["town"], tied=0.9)
    made.listed("product", 200, made.columns["shop"] % 40, tied=0.7)
    made.grouped("aisle", "product", (200, 16))
    made.number("value items", 4, 40)
    made.number("value spent", 60, 800)
    made.listed("paid by", 5, made.kind, tied=0.5)
    made.listed("voucher", 60, made.columns["aisle"], tied=0.8)
    made.only("voucher", made.random.random(rows) < 0.05)
    for place, share in enumerate((0.4, 0.2, 0.1, 0.03, 0.01, 0.002)):
        made.flag(f"answer {place}", share)
    return made.records()


def _begun(rows: int, seed: int) -> _Drawing:
    return _Drawing(rows, np.random.default_rng(_LAW), np.random.default_rng([_LAW, seed]))


def _texts(name: str, codes: Codes) -> Any:
    largest = int(codes.max(initial=0))
    grown = name in _NUMBERS or name.startswith("value ")
    said = [str(code) if grown else f"{code:03}" for code in range(largest + 1)]
    return text_column(codes, [*said, ""])


_NUMBERS = ("age", "days", "visits", "weeks", "wage", "gains", "losses", "dividends")

TABLES: Mapping[str, Callable[[int, int], Records]] = {
    "patients": patients,
    "survey": survey,
    "visits": visits,
}
"""By name; each from a number of records and the sample's seed."""
