"""What one open page knows: a table, its schema, the settings, and which runs it watches.

One typed object in `st.session_state`. It lives as long as the page is open and is never put
in a Streamlit cache, which other people's pages could share.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from dashboard import planning
from dashboard.draft import Draft
from dashboard.planning import SAMPLE, Offer, Way, Wish
from engine.privacy.budget import Budget
from engine.refusal import Refusal
from engine.runs.control import home, runs
from engine.runs.folder import RunFolder
from engine.synthesis.plan import Plan
from engine.synthesis.promise import Promise, promise
from engine.table.encoding import Outside, Policy, choices, encode, outside
from engine.table.raw import RawTable
from engine.table.records import Records
from engine.table.schema import Column, Schema
from engine.table.suggestion import Suggestion, suggest_schema

_KEY = "session"


@dataclass(frozen=True)
class Table:
    """A table as read: every value still a text."""

    name: str
    raw: RawTable
    sample: bool = False


@dataclass
class Session:
    """The state behind the pages.

    Attributes:
        table: the table that is open. Confidential.
        schema: what its columns may contain, as far as decided.
        notes: per column, what the suggestion wants looked at.
        left_out: columns of the file that are not used; each with its description, where it
            has one, and why it is out.
        policies: per column, what becomes of values outside the schema.
        wish: what the planner on the Privacy page is asked.
        draft: the settings on the Privacy page.
        run, rehearsal: names of the runs being looked at.
        column: the column being edited.
        groups: groups of categories being edited, before they cover a column.
        notices: sentences for the top of the next page drawn.
        demonstrated: whether the demonstration was opened already.
        revision: raised whenever the schema comes from elsewhere than its own form, so that
            the form is filled afresh.
        plans_loaded: how many plan files were loaded, to empty the upload each time.
        started: how many runs were started, to empty the confirmation each time.
        scores: name of the run whose scores the Trade-off page looks at.
        stand_ins: by run, the table that stood in for the confidential one; not confidential.
        stood_in: how many such tables were rehearsed on, to empty the upload each time.
        watching: whether the Generate page shows `run` rather than a new one.
        belongs_to: the dataset that the custodian says the open table belongs to; None leaves it
            to the ledger.
    """

    table: Table | None = None
    schema: Schema | None = None
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: dict[str, tuple[Column | None, str]] = field(default_factory=dict)
    policies: dict[str, Policy] = field(default_factory=dict)
    wish: Wish = field(default_factory=Wish)
    draft: Draft | None = None
    run: str | None = None
    rehearsal: str | None = None
    scores: str | None = None
    stand_ins: dict[str, Records] = field(default_factory=dict)
    stood_in: int = 0
    column: str | None = None
    groups: dict[str, list[tuple[str, list[str]]]] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    demonstrated: bool = False
    revision: int = 0
    plans_loaded: int = 0
    started: int = 0
    watching: bool = False
    belongs_to: str | None = None
    _kept: dict[str, tuple[Any, Any]] = field(default_factory=dict)

    @property
    def declared(self) -> bool:
        """Whether the schema as it stands was confirmed to be public knowledge."""
        return self.schema is not None and self.schema.declared

    def open(self, table: Table, schema: Schema | None = None) -> None:
        """Take in a table, with its schema or with a suggested one.

        Columns that cannot be described are left out, each with the reason.

        Raises:
            Refusal: fewer than two columns can be used, or the schema is for another table.
        """
        if schema is None:
            suggestion, unusable = _suggested(table.raw)
            schema, notes = suggestion.schema, suggestion.notes
        else:
            outside(table.raw, schema)
            notes, unusable = {}, {}
        left_out = {name: (None, why) for name, why in unusable.items()}
        self.close()
        self.table, self.notes = table, notes
        self.left_out.update(left_out)
        self.describe(schema)

    def close(self) -> None:
        """Forget the table and everything decided about it."""
        fresh = Session(demonstrated=self.demonstrated, revision=self.revision + 1)
        vars(self).update(vars(fresh))

    def describe(self, schema: Schema, *, by_form: bool = False) -> None:
        """Use this schema from now on; settings that no longer fit start afresh.

        Args:
            schema: what the columns may contain.
            by_form: whether the form shows it already.
        """
        before = self.schema
        self.schema = schema
        self.revision += not by_form
        self._drop_policies()
        unused = set(self.table.raw.names) - set(schema.names) if self.table else set()
        for name in unused - set(self.left_out):
            self.left_out[name] = (None, "The schema does not describe it.")
        for name in set(self.left_out) - unused:
            del self.left_out[name]
        if self.column not in schema.names:
            self.column = schema.names[0]
        if self.draft is None:
            self._begin(schema)
        elif before is not None:
            self._refit(len(schema) - len(before))

    def _begin(self, schema: Schema) -> None:
        """Start with the planner's answer where it has one, and seedless otherwise."""
        sample = self.table is not None and self.table.sample
        self.wish = replace(SAMPLE) if sample else Wish()
        self.draft = Draft.of(Plan.of(schema))
        answer = self.answer()
        self.draft = (answer if isinstance(answer, Offer) else self.seedless()).draft

    def _refit(self, more: int) -> None:
        """Copy as many columns as before where there are so many columns more."""
        assert self.draft is not None
        low, high = (max(0, end + more) for end in (self.draft.omega_low, self.draft.omega_high))
        self.draft = replace(self.draft, omega_low=low, omega_high=high)

    def _drop_policies(self) -> None:
        """Forget choices that a column, as now described, does not offer."""
        offered = {column.name: choices(column) for column in self._schema().columns}
        self.policies = {
            name: policy
            for name, policy in self.policies.items()
            if policy in offered.get(name, ())
        }

    def leave_out(self, name: str) -> None:
        """Do without a column.

        Raises:
            Refusal: fewer than two columns would remain.
        """
        schema = self._schema()
        rest = tuple(column for column in schema.columns if column.name != name)
        smaller = Schema(columns=rest, declaration=schema.declaration)
        self.left_out[name] = (schema.column(name), "You left it out.")
        self.policies.pop(name, None)
        self.describe(smaller)

    def bring_back(self, name: str) -> None:
        """Use a column after all, where the file has it."""
        schema, (column, _) = self._schema(), self.left_out[name]
        if column is None or self.table is None:
            return
        described = {each.name: each for each in (*schema.columns, column)}
        columns = tuple(described[each] for each in self.table.raw.names if each in described)
        self.describe(Schema(columns=columns, declaration=schema.declaration))
        self.column = name

    def outside(self) -> Mapping[str, Outside]:
        """Per column, how many values the schema does not name. Internal.

        Raises:
            Refusal: the table lacks a column of the schema.
        """
        if self.table is None:
            return {}
        schema, raw = self._schema(), self.table.raw
        found = self._keep("outside", _domains(schema), lambda: outside(raw, schema))
        return {each.column: each for each in found}

    def records(self) -> Records:
        """The table as codes. Confidential.

        Raises:
            Refusal: no table is open, or it holds values outside the schema.
        """
        if self.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        schema, raw = self._schema(), self.table.raw
        key = (_domains(schema), tuple(sorted(self.policies.items())))
        records = self._keep("records", key, lambda: encode(raw, schema, self.policies))
        return records if records.schema == schema else Records(schema, records.codes)

    def plan(self) -> Plan:
        """The settings as a plan.

        Raises:
            Refusal: there is no schema yet, or a setting cannot be used.
        """
        schema = self._schema()
        assert self.draft is not None
        return self.draft.plan(schema, self.policies)

    def promise(self) -> Promise:
        """What the plan promises.

        Raises:
            Refusal: as `plan`, or the plan cannot keep its δ.
        """
        schema, plan = self._schema(), self.plan()
        made: Promise = self._keep("promise", plan.to_json(), lambda: promise(plan, schema))
        return made

    def answer(self) -> Offer | Refusal | None:
        """The planner's plan with seeds, or why there is none; None where it was not asked for
        one, or cannot be as long as no number of seeds is known."""
        if self.wish.kept == 0 or self.wish.seeds_at_least is None:
            return None

        def made() -> Offer | Refusal:
            try:
                return planning.seedbased(*self._asked())
            except Refusal as refusal:
                return refusal

        answer: Offer | Refusal = self._keep("answer", self._asked_key(), made)
        return answer

    def seedless(self) -> Offer:
        """The planner's plan without seeds.

        Raises:
            Refusal: a number of the wish is out of range.
        """
        offer: Offer = self._keep(
            "seedless", self._asked_key(), lambda: planning.seedless(*self._asked())
        )
        return offer

    def aimed(self) -> Budget:
        """What the test of the planner's plan is planned at.

        Raises:
            Refusal: a number of the wish is out of range.
        """
        wish, draft, schema, _ = self._asked()
        return planning.aimed(wish, draft, schema)

    def ways(self) -> tuple[Way, ...]:
        """What makes a wish fit that does not."""
        wish, draft, schema, _ = self._asked()
        found: tuple[Way, ...] = self._keep(
            "ways", self._asked_key(), lambda: planning.ways(wish, draft, schema)
        )
        return found

    def _asked(self) -> tuple[Wish, Draft, Schema, dict[str, Policy]]:
        assert self.draft is not None
        return self.wish, self.draft, self._schema(), self.policies

    def _asked_key(self) -> tuple[str, ...]:
        """What an offer depends on."""
        return self._schema().fingerprint, repr(self.wish), repr(self.draft), repr(self.policies)

    def adopt(self, plan: Plan) -> None:
        """Take the settings from a plan made for this schema.

        Raises:
            Refusal: it was made for another schema.
        """
        plan.check(self._schema())
        self.draft = Draft.of(plan)
        self.policies = dict(plan.policies)

    def keep(self, name: str, key: Any, make: Any) -> Any:
        """Something made for this page, made again only when its key changes."""
        return self._keep(name, key, make)

    def _keep(self, name: str, key: Any, make: Any) -> Any:
        kept = self._kept.get(name)
        if kept is None or kept[0] != key:
            kept = self._kept[name] = (key, make())
        return kept[1]

    def _schema(self) -> Schema:
        if self.schema is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        return self.schema


def _suggested(raw: RawTable) -> tuple[Suggestion, dict[str, str]]:
    """A schema for the columns that can be described, and why the others cannot.

    Raises:
        Refusal: fewer than two can.
    """
    unusable: dict[str, str] = {}
    while True:
        try:
            return suggest_schema(raw, leave_out=tuple(unusable)), _each_alone(unusable)
        except Refusal as refusal:
            name = refusal.field
            if name not in raw.names or name in unusable:
                raise
            unusable[name] = refusal.problem


def _each_alone(problems: dict[str, str]) -> dict[str, str]:
    """Each column’s own sentence, where a refusal went on with those of the columns after it."""
    following = [*list(problems.values())[1:], ""]
    return {
        name: problem.removesuffix(after).strip()
        for (name, problem), after in zip(problems.items(), following, strict=False)
    }


def _domains(schema: Schema) -> tuple[Any, ...]:
    """What codes depend on: the domains, but not the buckets."""
    return tuple(
        (column.name, column.domain, column.missing, column.missing_values)
        for column in schema.columns
    )


def current() -> Session:
    """The session of this page."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    session: Session = st.session_state[_KEY]
    return session


def find_run(name: str | None) -> RunFolder | None:
    """A run of the home folder by name."""
    return next((run for run in runs(home()) if run.identity == name), None)
