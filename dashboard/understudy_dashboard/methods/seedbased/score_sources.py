"""The scores that many plans are tried on, of the confidential table or of one that stands in, and
the settings that are varied.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, get_args

import numpy as np
import streamlit as st

from understudy.core.refusal import Refusal
from understudy.mechanisms.fields import Words
from understudy.mechanisms.kinds import Whole
from understudy.mechanisms.seedbased.evaluation.pool import Pools
from understudy.mechanisms.seedbased.evaluation.sweep import (
    PARAMETERS,
    Parameter,
    possible,
    value_of,
)
from understudy.mechanisms.seedbased.fields.table import FIELDS
from understudy.mechanisms.seedbased.inquiries.pools import Pooling, all_pools
from understudy.mechanisms.seedbased.plan import Plan
from understudy.models.omega import Omega
from understudy.privacy.plausibility.privacy_test import TestKind
from understudy.projects.catalogue import prune_rehearsals
from understudy.runs.control import list_runs, start
from understudy.runs.evidence import find_comparable_table
from understudy.runs.folder import RecordsOf, RunAbout, RunFolder
from understudy.runs.inquiry import ask, find_inquiry
from understudy.runs.table_file import read_released
from understudy.runs.work import Job
from understudy.samples import census
from understudy.table.encoding import as_written, encode_public
from understudy.table.records import Records
from understudy.table.schema import Schema
from understudy.table.sources.reading import read_table
from understudy.table.sources.source import ENDINGS
from understudy_dashboard import words
from understudy_dashboard.demo import is_demonstration
from understudy_dashboard.frame import FieldRefusals, showing_refusals
from understudy_dashboard.ledger_status import (
    format_moment,
    read_about,
    read_progress,
    read_run_plan,
    runs_of_purpose,
)
from understudy_dashboard.parts.controls import find_nearest, list_field_stops
from understudy_dashboard.parts.evaluation import watch_inquiry
from understudy_dashboard.parts.file_reading import upload_limit
from understudy_dashboard.parts.watch import watch_run
from understudy_dashboard.session import Session, find_open_run


def start_rehearsal(session: Session, job: Job) -> str:
    """Start a rehearsal.

    Returns:
        Its name.

    Raises:
        Refusal: as `understudy.runs.control.start`.
    """
    run = start(job, session.runs_at)
    if session.project is not None:
        prune_rehearsals(session.project)
    return run.identity


MOST_VARIED = 3
_MOST_VALUES = 200
_APART = 1.25

_STEPS: Final[Mapping[str, Sequence[int]]] = {
    "k": (-9, -6, -3, 0, 3),
    "epsilon0": (-3, 0, 3, 6, 9),
    "gamma": (-3, 0, 4),
    "attempts": (-10, -7, 0, 4, 10),
}
"""How many stops of its slider away from the present value the usual values are."""

_SEPARATED = re.compile(r"[,;\s]+")


def ask_settings(plan: Plan, pools: Pools) -> list[Parameter]:
    """Ask which settings to vary, in the order in which they are told apart."""
    several = len(pools.epsilons) > 1
    names: list[Parameter] = st.multiselect(
        "Vary",
        list(PARAMETERS),
        default=["omega", "model_epsilon"] if several else ["omega", "k", "epsilon0"],
        max_selections=MOST_VARIED,
        format_func=lambda name: _choose_words(plan, name).title,
        key=f"explore-varied-{several}",
        help="Up to three settings. Every combination of their values is tried; all other "
        "settings are those of the present plan.",
    )
    if "gamma" in names and "test" not in names and plan.test.kind != "plausible-deniability":
        st.caption(
            "γ belongs to the plausible-deniability test. Vary how plausible seeds are counted "
            "too, or choose that test on the Privacy page."
        )
    return names


def ask_values(
    plan: Plan, schema: Schema, pools: Pools, names: Sequence[Parameter], scores: str
) -> dict[Parameter, tuple[Any, ...]]:
    """Ask for the values of each setting; a refusal stands beside its field.

    Args:
        plan: the present plan, around which the usual values lie.
        schema: what it was made for.
        pools: what there are scores of.
        names: the settings.
        scores: names them; other scores start afresh.

    Raises:
        Refusal: a value cannot be tried; shown already where it belongs.
    """
    key = f"{scores}-{len(pools.each)}"
    found: dict[Parameter, tuple[Any, ...]] = {}
    first: Refusal | None = None
    for place, name in zip(st.columns(max(1, len(names))), names, strict=False):
        with place:
            try:
                found[name] = _ask_value_list(plan, schema, pools, name, key)
            except Refusal as refusal:
                first = first or refusal
    if first is not None:
        raise first
    return found


def _choose_words(plan: Plan, name: Parameter) -> Words:
    """Return what is said of a setting: attempts are records where the attempts are hidden."""
    return FIELDS[name].choose_words({"protocol": plan.protocol})


def _ask_value_list(
    plan: Plan, schema: Schema, pools: Pools, name: Parameter, scores: str
) -> tuple[Any, ...]:
    options: Mapping[str, Sequence[Any]] = {
        "omega": list_omegas(pools),
        "model_epsilon": sorted(pools.epsilons, key=_noise_last),
        "test": get_args(TestKind),
    }
    if name in options:
        return _ask_chosen(plan, schema, name, options[name], scores)
    key = f"explore-{name}"
    if key not in st.session_state:
        st.session_state[key] = suggest_values(plan, schema, name)
    setting = _choose_words(plan, name)
    text = st.text_input(
        f"Values of {setting.brief}",
        key=key,
        help=f"{setting.help}\n\nWrite numbers separated by commas, such as “50, 100, "
        "200”, and thousands without a sign between.",
    )
    try:
        return parse_numbers(text, name)
    except Refusal as refusal:
        FieldRefusals(refusal).beside(name)
        raise


def list_omegas(pools: Pools) -> list[Omega]:
    """Return every ω that there are scores of."""
    return sorted(pools.omegas, key=lambda omega: (omega.high, omega.low))


def _noise_last(epsilon: float | None) -> float:
    """Return a key for sorting that takes no noise as an ε without end."""
    return float("inf") if epsilon is None else epsilon


def _ask_chosen(
    plan: Plan, schema: Schema, name: Parameter, options: Sequence[Any], scores: str
) -> tuple[Any, ...]:
    """Return some of the values that there are scores of; at first those of which each makes a
    plan."""
    by_name = {FIELDS[name].show(each): each for each in options}
    key = f"explore-{name}-{scores}"
    if key not in st.session_state:
        st.session_state[key] = [
            FIELDS[name].show(each) for each in possible(plan, schema, name, options)
        ]
    chosen = st.multiselect(
        f"Values of {_choose_words(plan, name).brief}",
        list(by_name),
        key=key,
        help=_choose_words(plan, name).help,
    )
    if not chosen:
        refusal = Refusal("There is no value to try.", "Choose one or more.", field=name)
        FieldRefusals(refusal).beside(name)
        raise refusal
    return tuple(by_name[each] for each in chosen)


def suggest_values(plan: Plan, schema: Schema, name: Parameter) -> str:
    """Return the usual values of a setting: those of its slider around the present one that each
    make a plan."""
    now = value_of(plan, name)
    stops = list_field_stops(FIELDS[name])
    if now is None:
        return ", ".join(f"{stop:g}" for stop in stops[:: len(stops) // 4])
    at = stops.index(find_nearest(stops, now))
    near = [stops[place] for step in _STEPS[name] if 0 <= (place := at + step) < len(stops)]
    apart = [stop for stop in near if not 1 / _APART < stop / now < _APART]
    able = possible(plan, schema, name, apart)
    return ", ".join(f"{value:.10g}" for value in sorted([now, *able]))


def parse_numbers(text: str, name: str) -> tuple[float, ...]:
    """Return the numbers of a list such as “50, 100, 200”, each once, ascending.

    Raises:
        Refusal: there is none, there are too many, or one is no number; `field` is `name`.
    """
    parts = [part for part in _SEPARATED.split(text.strip()) if part]
    if not parts:
        raise Refusal(
            "There is no value to try.", "Write one number or more, such as 50, 100.", field=name
        )
    if len(parts) > _MOST_VALUES:
        raise Refusal(
            f"These are {len(parts):,} values, and at most {_MOST_VALUES} can be tried.",
            "Write fewer.",
            field=name,
        )
    return tuple(sorted({_parse_number(part, name) for part in parts}))


def _parse_number(text: str, name: str) -> float:
    whole = isinstance(FIELDS[name].kind, Whole)
    try:
        # “1,000” is 1 and 000: no number starts with two zeros.
        if re.match(r"0\d", text):
            raise ValueError
        value = int(text) if whole else float(text)
    except ValueError:
        raise Refusal(
            f"“{text}” is {'no whole number' if whole else 'no number'}.",
            "Separate the values by commas, such as 50, 100, 200, and write thousands without a "
            "sign between; decimals have a point.",
            field=name,
        ) from None
    if not 0 < value < float("inf"):
        raise Refusal(f"“{text}” cannot be tried.", "Write a number above 0.", field=name)
    return value


def parse_omegas(text: str) -> tuple[Omega, ...]:
    """Return the ω of a list such as “9, 5-11”.

    Raises:
        Refusal: one cannot be read; `field` is "omega".
    """
    parts = [part for part in _SEPARATED.split(text.strip()) if part]
    return tuple(dict.fromkeys(Omega.parse(part) for part in parts))


FEWEST = 500
"""A table of fewer records says little about what settings do."""

_SEED = census.SHIPPED_SEED + 1
"""Other people than those of the sample that is shipped."""


def draw_stand_ins(session: Session, plan: Plan) -> None:
    """Draw the ways to rehearse on another table."""
    assert session.settings.schema is not None
    if _list_domains(session.settings.schema) == _list_domains(census.schema()):
        _draw_simulated(session, plan)
    _draw_public(session, plan)
    _draw_released(session, plan)
    st.caption(
        "Plausible seeds are counted among the records of that table, so choose one with about "
        "as many records as yours."
    )


def _list_domains(schema: Schema) -> list[object]:
    """Return what the codes of columns depend on."""
    return [(each.name, each.domain.substance(), each.missing) for each in schema.columns]


def _draw_simulated(session: Session, plan: Plan) -> None:
    st.markdown("**Simulated people** with the same columns. None of them exists.")
    if st.button(
        f"Rehearse on {census.SHIPPED_ROWS:,} simulated people",
        icon=":material/groups:",
        key="explore-simulated",
    ):
        _rehearse_on(session, plan, lambda: _simulate_records(session), "simulated", "")


def _draw_public(session: Session, plan: Plan) -> None:
    if is_demonstration():
        return
    st.markdown("**A public table** with the same columns, read by the same schema.")
    turn = session.stood_in
    given = st.file_uploader(
        "A public CSV, Parquet, Excel, Stata, SPSS or SAS file",
        type=list(ENDINGS),
        key=f"explore-upload-{turn}",
        max_upload_size=upload_limit(),
    )
    public = st.checkbox(
        "Everything in this file is public already, whoever reads it.", key=f"explore-public-{turn}"
    )
    ready = given is not None and public
    if (
        st.button(
            "Rehearse on the public table",
            icon=":material/public:",
            key="explore-take-public",
            disabled=not ready,
        )
        and given is not None
    ):
        content, name = given.getvalue(), given.name
        _rehearse_on(session, plan, lambda: _read_records(session, content, name), "public", name)


def _draw_released(session: Session, plan: Plan) -> None:
    st.markdown("**The synthetic table of an earlier run**: it is released and paid for.")
    found = {run.identity: run for run in list_released(session)}
    if not found:
        st.caption("No private run of these columns has finished yet.")
        return
    name = st.selectbox(
        "Synthetic table of",
        list(found),
        format_func=lambda each: _title_of_table(found[each]),
        key="explore-released",
    )
    if st.button(
        "Rehearse on the synthetic table", icon=":material/table:", key="explore-synthetic"
    ):
        run = found[name]
        _rehearse_on(
            session, plan, lambda: _load_synthetic(session, run), "synthetic", run.identity
        )


def list_released(session: Session) -> tuple[RunFolder, ...]:
    """Return the finished runs of the open schema whose tables keep a promise, newest first."""
    assert session.settings.schema is not None
    wanted = session.settings.schema.fingerprint
    return tuple(
        run
        for run in runs_of_purpose(session, "release")
        if run.guarantee.exists()
        and _is_private(run)
        and getattr(read_run_plan(run), "domain", "") == wanted
    )


def _is_private(run: RunFolder) -> bool:
    """Return whether the release promises something: it is no demonstration, and has an ε."""
    about = read_about(run)
    try:
        said = json.loads(run.guarantee.read_text(encoding="utf-8"))
        return about is not None and not about.stained and said["guarantee"]["epsilon"] is not None
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _title_of_table(run: RunFolder) -> str:
    about = read_about(run)
    return run.identity if about is None else format_moment(datetime.fromisoformat(about.at))


def _rehearse_on(
    session: Session,
    plan: Plan,
    make: Callable[[], Records],
    records_of: RecordsOf,
    named: str,
) -> None:
    """Start a rehearsal on a table that stands in, and look at its scores from now on."""
    with showing_refusals():
        with st.spinner("Starting the rehearsal…"):
            records = make()
            if len(records) < FEWEST:
                raise Refusal(
                    f"This table has {words.count(len(records), 'record')}, which is too few to "
                    "learn from.",
                    f"Choose one of {FEWEST:,} records or more.",
                    field="table",
                )
            job = Job(records, plan, purpose="rehearsal", records_of=records_of, named=named)
            session.scores = start_rehearsal(session, job)
        session.stood_in += 1
        session.stand_ins[session.scores] = records
        st.rerun()


def load_records(session: Session, run: RunFolder, about: RunAbout) -> Records:
    """Return the records that these scores are of.

    Raises:
        Refusal: they are no longer at hand.
    """
    kept = session.stand_ins.get(run.identity)
    if kept is not None:
        return kept
    if about.records_of == "simulated":
        return _simulate_records(session)
    if (
        about.records_of == "synthetic"
        and (source := find_open_run(session, about.named)) is not None
    ):
        return _load_synthetic(session, source)
    raise Refusal(
        f"{about.named or 'The table'} is no longer open.",
        "Rehearse on it again, then ask for more scores.",
        field="table",
    )


def _simulate_records(session: Session) -> Records:
    assert session.settings.schema is not None
    return Records(session.settings.schema, census.simulate(census.SHIPPED_ROWS, _SEED))


def _read_records(session: Session, content: bytes, name: str) -> Records:
    assert session.settings.schema is not None
    raw = read_table(content, name=name, limit_bytes=upload_limit() << 20, trusted=False)
    if raw.reading.kind == "csv":
        raw = as_written(
            raw, staying=session.settings.schema
        )  # it may be a table that was released here
    return encode_public(raw, session.settings.schema, session.settings.policies)


def _load_synthetic(session: Session, run: RunFolder) -> Records:
    """Return the released table, as its statement has it.

    Raises:
        Refusal: it is not the one that the statement is about, or there is none.
    """
    assert session.settings.schema is not None
    if run.artefacts() is None:
        raise Refusal(
            "The released table of this run is not the one that its statement is about.",
            "Put back the released file, or choose another run.",
            field="table",
        )
    raw = read_released(find_comparable_table(run))
    if not raw.rows:
        return Records(
            session.settings.schema, np.zeros((0, len(session.settings.schema)), np.uint16)
        )
    return encode_public(raw, session.settings.schema)


WHAT = {
    "confidential": "a confidential table",
    "simulated": "simulated people",
    "public": "a public table",
    "synthetic": "a released synthetic table",
}
"""Whose scores they are."""


def list_scored_runs(session: Session) -> tuple[RunFolder, ...]:
    """Return the runs and rehearsals that there are, or will be, scores of: of the open schema,
    newest first."""
    assert session.settings.schema is not None
    wanted = session.settings.schema.fingerprint
    found = list_runs(session.runs_at)
    return tuple(run for run in found if _domain_of(session, run) == wanted and _has_scores(run))


def _domain_of(session: Session, run: RunFolder) -> str:
    found: str = session.cache.keep(
        f"domain {run.identity}", None, lambda: getattr(read_run_plan(run), "domain", "")
    )
    return found


def _has_scores(run: RunFolder) -> bool:
    if (run.internal / "figures.json").exists():
        return True
    progress = read_progress(run)
    return progress is not None and not progress.ended


def choose_scores(session: Session) -> RunFolder | None:
    """Return the scores to look at: those last chosen or asked for, or the newest; None without
    any."""
    found = list_scored_runs(session)
    by_name = {run.identity: run for run in found}
    if session.scores not in by_name:
        session.scores = next(iter(by_name), None)
    if session.scores is None:
        return None
    key = "explore-scores"
    st.session_state[key] = session.scores
    st.selectbox(
        "Scores of",
        list(by_name),
        format_func=lambda name: _title_of(by_name[name]),
        key=key,
        on_change=_remember_choice,
        args=(session, key),
        help="Runs and rehearsals on a table with these columns, newest first.",
    )
    return by_name[session.scores]


def _remember_choice(session: Session, key: str) -> None:
    session.scores = st.session_state[key]


def _title_of(run: RunFolder) -> str:
    """Return a run in a line, by whose scores they are. It stays the same as the run goes on."""
    about = read_about(run)
    if about is None:
        return run.identity
    whose = WHAT[about.records_of].capitalize()
    if about.records_of == "public":
        whose += f" ({about.named})"
    doing = "rehearsed" if about.purpose == "rehearsal" else "released from"
    return f"{whose} · {doing} · {format_moment(datetime.fromisoformat(about.at))}"


def draw_warnings(session: Session, run: RunFolder, plan: Plan) -> None:
    """Draw whether choosing by these scores is covered, and the way to scores by which it is."""
    about = read_about(run)
    other = "Choose on another table instead: nothing of yours is read"
    if about is None or about.records_of == "confidential":
        st.warning(
            "**These scores are of confidential records. Settings chosen by looking at them "
            "are not covered by the guarantee:** the choice itself can show something. Look for "
            "the shape of the trade-off here, or choose on another table instead.",
            icon=":material/warning:",
        )
    else:
        st.success(describe_source(about), icon=":material/check:")
        other = "Choose on yet another table"
    with st.expander(other, icon=":material/swap_horiz:"):
        draw_stand_ins(session, plan)


def describe_source(about: RunAbout) -> str:
    """Return why choosing by these scores costs nothing."""
    why = {
        "simulated": "**These scores are of simulated people, none of whom exists.** Nothing of "
        "your table was read, so settings chosen here tell nothing about it.",
        "public": f"**These scores are of {words.escape(about.named)}, which you said is public.** "
        "Nothing of your table was read, so settings chosen here tell nothing about it.",
        "synthetic": "**These scores are of a synthetic table that was released and paid for.** "
        "What is done with a released table costs nothing more, and choosing by it is covered.",
    }
    return why[about.records_of] + " How your own table does may differ."


def draw_first_scores(session: Session, plan: Plan) -> None:
    """Draw the ways to make scores, if there are none yet."""
    st.info(
        "There are no scores of these columns yet. A rehearsal makes them: it learns the model, "
        "makes some thousand candidates and releases nothing.",
        icon=":material/theater_comedy:",
    )
    st.markdown("**On another table**, so that the guarantee covers what you choose:")
    with st.container(border=True):
        draw_stand_ins(session, plan)
    draw_rehearsals(session, plan)


def draw_rehearsals(session: Session, plan: Plan) -> None:
    """Draw the button that rehearses on the confidential table."""
    st.markdown("**On your own table**, to see what it does there:")
    st.caption(f":material/warning: {words.TUNING}")
    if st.button(
        "Rehearse now on my table", icon=":material/theater_comedy:", key="explore-rehearse"
    ):
        with showing_refusals():
            with st.spinner("Starting the rehearsal…"):
                job = Job(session.records(), plan, purpose="rehearsal")
                session.scores = session.rehearsal = start_rehearsal(session, job)
            st.rerun()


def draw_progress(run: RunFolder) -> bool:
    """Return whether these scores are still being made; if so, watch."""
    progress = read_progress(run)
    if progress is None or progress.ended:
        return False
    st.markdown("**Making candidates and their scores.** Nothing is released and nothing spent.")
    watch_run(run)
    return True


def load_run_pools(session: Session, run: RunFolder) -> Pools:
    """Return every pool of a run.

    Raises:
        Refusal: it has none.
    """
    asked = find_inquiry(run, Pooling)
    stamp = (run.identity, "" if asked is None else asked.result.name)
    found: Pools = session.cache.keep("pools", stamp, lambda: all_pools(run))
    return found


def draw_more_pools(session: Session, run: RunFolder, pools: Pools) -> None:
    """Draw the way to scores at another ε of the model, or at other ω."""
    asked = find_inquiry(run, Pooling)
    if asked is not None:
        watch_inquiry(asked)
        if not asked.progress().ended:
            return
    with (
        st.expander(
            "Scores at another ε of the model, or at another ω",
            icon=":material/add_chart:",
        ),
        st.form("explore-asked", border=False),
    ):
        st.caption(
            "A model is learned for each ε from the same records, and candidates are made with "
            "each ω. This takes seconds, and on a large table a minute or more."
        )
        one, other = st.columns(2)
        epsilons = one.text_input(
            FIELDS["model_epsilon"].words.title, "0.1, 0.3, 1, 3, 10", key="explore-more-epsilons"
        )
        ranges = other.text_input(
            FIELDS["omega"].words.title,
            ", ".join(str(each) for each in list_omegas(pools)),
            key="explore-more-omegas",
        )
        if st.form_submit_button("Make these scores", icon=":material/add:", key="explore-more"):
            with showing_refusals():
                _ask_more_pools(session, run, pools, epsilons, ranges)
                st.rerun()


def _ask_more_pools(
    session: Session, run: RunFolder, pools: Pools, epsilons: str, ranges: str
) -> None:
    wanted = dict.fromkeys((*pools.epsilons, *parse_numbers(epsilons, "model_epsilon")))
    omega = dict.fromkeys((*pools.omegas, *parse_omegas(ranges)))
    assert session.settings.schema is not None
    for each in omega:
        each.fits(len(session.settings.schema))
    ask(Pooling(tuple(wanted), tuple(omega)), _records_of(session, run), run)


def _records_of(session: Session, run: RunFolder) -> Records:
    about = read_about(run)
    if about is None or about.records_of == "confidential":
        return session.records()
    return load_records(session, run, about)
