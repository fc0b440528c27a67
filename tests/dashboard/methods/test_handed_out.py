"""What is handed out and shown of a run of each method without seeds: it speaks of no seeds,
attempts or candidates, and its dictionary is of the table that was released."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.builders import measured_of, put
from tests.dashboard.methods.test_method_pages import flags_csv, flags_schema
from understudy.core.home import home
from understudy.evaluation.evaluation import Evaluation, MeasuredTable
from understudy.evaluation.measure import MARGINALS, PEOPLE, REALS, RELEASED, UNIFORM, Finding
from understudy.mechanisms.registry import mechanisms
from understudy.report.annex import write_annex
from understudy.report.cover import Cover
from understudy.report.packet import make_packet
from understudy.report.verify import verify
from understudy.runs.control import start, wait
from understudy.runs.folder import RunFolder
from understudy.runs.work import Job
from understudy.samples.city import SCHEMA, write
from understudy.table.categories import Categories
from understudy.table.schema import Schema
from understudy_dashboard.ledger_status import dataset_of
from understudy_dashboard.methods.seedbased.method_settings import plan_choice
from understudy_dashboard.session import Session

Opened = Callable[..., AppTest]
Said = Callable[[AppTest], str]


@dataclass(frozen=True)
class Method:
    """A method without seeds.

    Attributes:
        settings: of a plan that suits the table.
        own: words of seeds that it uses for something of its own.
    """

    settings: dict[str, Any] = field(default_factory=dict)
    own: tuple[str, ...] = ()


METHODS = {
    "seedbased": Method(),
    "imputation": Method({"records": 900, "release": "rows-from-mode", "rows": 200,
                          "public_records": 900}),
    "latent": Method({"epsilon": 8.0, "most_ones": 3, "width": 2, "held_out": 0.3, "rows": 300}),
    "pmse": Method(
        {"epsilon": 60.0, "public_records": 900, "candidates": 1600, "rows": 200, "ratio": 1,
         "depends": 1, "locating": 0.5, "held_out": 0.3},
        own=("candidate", "seed"),
    ),
    "traces": Method({"traces": 60, "days": 4, "held_out": 0.5, "gathered": 4}),
}  # fmt: skip
WITH_SEEDS = {"scored", "plausible-traces"}
"""Of the seedbased method, the plan that a custodian begins with has none."""

_WORDS = re.compile(r"\b(seed|attempt|candidate)(s|ed|ing)?\b", re.IGNORECASE)
_MARKUP = re.compile(r"<style.*?</style>|<[^>]+>", re.DOTALL)
_ABOUT_EVERY_METHOD = re.compile(r"seedbased|fixed seed|random seed", re.IGNORECASE)


def test_every_method_is_looked_at() -> None:
    assert set(mechanisms()) == set(METHODS) | WITH_SEEDS


@pytest.fixture(params=sorted(METHODS))
def finished(
    request: pytest.FixtureRequest,
    sessions: Callable[..., Session],
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Session, RunFolder]:
    """A run of a method that has ended, and every measure of it."""
    kind = request.param
    if kind == "traces":
        place = tmp_path_factory.mktemp("city") / "city.csv"
        write(60, place)
        session = sessions(place.read_bytes(), Schema.load(SCHEMA))
    elif kind == "latent":
        session = sessions(flags_csv(), flags_schema())
    else:
        session = sessions()
    session.settings.method = kind
    if kind == "seedbased":
        plan_choice(session).draft.omega_low = plan_choice(session).draft.omega_high = len(
            session.settings.schema.columns
        )
    else:
        held = session.settings.of_method().held  # type: ignore[attr-defined]
        for name, value in METHODS[kind].settings.items():
            setattr(held, name, value)
    run = start(
        Job(session.records(), session.settings.plan()), home(), dataset=dataset_of(session)
    )
    assert wait(run).state == "finished", wait(run)
    put(run, _evaluated(session))
    return session, run


def _evaluated(session: Session) -> Evaluation:
    """Every measure that an evaluation of the run takes, of its table and of both references."""
    of_days = session.settings.method == "traces"
    best, worst = (PEOPLE, UNIFORM) if of_days else (REALS, MARGINALS)
    tables = {best: "reals", worst: "marginals", RELEASED: "released"}
    decided = session.settings.planned_run()
    findings = [
        Finding(each.about.key, {name: measured_of(each.about, 0.5) for name in tables})
        for each in decided.mechanism.measures(decided)
    ]
    measured = tuple(MeasuredTable(name, role, 180) for name, role in tables.items())  # type: ignore[arg-type]
    target = "" if of_days else decided.compared.names[-1]
    return Evaluation(measured, 190, target, tuple(findings))


def test_nothing_of_a_run_speaks_of_seeds(
    opened: Opened, said: Said, finished: tuple[Session, RunFolder]
) -> None:
    session, run = finished
    allowed = METHODS[session.settings.method].own
    spoken = []
    for name, text in _texts(opened, said, session, run):
        plain = _ABOUT_EVERY_METHOD.sub("", _MARKUP.sub(" ", text))
        for each in _WORDS.finditer(plain):
            if not each[0].casefold().startswith(allowed or ("\0",)):
                spoken.append(f"{name}: …{plain[max(0, each.start() - 70) : each.end() + 50]}…")
    assert not spoken, "\n".join(spoken)


def test_a_dictionary_is_of_the_table_that_was_released(
    finished: tuple[Session, RunFolder],
) -> None:
    session, run = finished
    packet = make_packet(run, home() / "packets", Cover(title="A table"), pdf=False)
    with (packet.path / "synthetic.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    described = {row["column"]: row for row in _rows(packet.path / "dictionary.csv")}
    assert list(described) == list(rows[0])
    listed: dict[str, set[str]] = {}
    for row in _rows(packet.path / "values.csv"):
        listed.setdefault(row["column"], set()).add(row["value"])
    (output,) = [each for each in session.settings.planned_run().outputs if each.schema is not None]
    assert output.schema is not None
    for column in output.schema.columns:
        found, about = {row[column.name] for row in rows}, described[column.name]
        if isinstance(column.domain, Categories):
            assert listed[column.name] - {""} == set(column.domain.values)
            assert found <= listed[column.name]
        else:
            ends = [Decimal(about[end]) for end in ("minimum", "maximum")]
            assert all(ends[0] <= Decimal(value) <= ends[1] for value in found if value)
    assert verify(packet.path).passed
    assert not list(packet.path.glob("synthetic-*.csv"))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _texts(
    opened: Opened, said: Said, session: Session, run: RunFolder
) -> Iterator[tuple[str, str]]:
    """Everything that is said of a run, by where it is said."""
    packet = make_packet(run, home() / "packets", Cover(title="A table"), pdf=False)
    for path in packet.path.iterdir():
        if path.suffix in (".html", ".txt"):
            yield path.name, path.read_text(encoding="utf-8")
    yield "annex", write_annex(run)
    page = opened("inspect", session)
    for tab in [each.label for each in page.tabs]:
        page.session_state["inspect-tab"] = tab
        page.run()
        yield from _of_page(f"inspect, {tab}", page, said)
    for name in ("release", "ledger"):
        yield from _of_page(name, opened(name, session), said)
    page = opened("present", session)
    page.button(key="present").click().run()
    (at,) = re.findall(r"1 / (\d+)", said(page))
    for _ in range(int(at)):
        yield from _of_page("present", page, said)
        next(each for each in page.button if each.label == "Next").click().run()


def _of_page(name: str, page: AppTest, said: Said) -> Iterator[tuple[str, str]]:
    assert not page.exception
    yield name, said(page)
    for each in page.dataframe:
        yield f"{name}, a table", each.value.to_csv()
    for each in page.get("expander"):
        yield f"{name}, a fold", each.label
