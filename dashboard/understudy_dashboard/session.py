"""What one open page knows: a table, its schema, the settings, and which runs it watches.

One typed object in `st.session_state`. It lives as long as the page is open and is never put
in a Streamlit cache, which other people's pages could share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st

from understudy.core.home import home
from understudy.core.numerals import join_first
from understudy.core.refusal import Refusal
from understudy.ledger.people import Alike
from understudy.privacy.strength import About
from understudy.projects.catalogue import ListedProject
from understudy.projects.project import Project
from understudy.projects.state import Answers, ProjectState, Sizes
from understudy.runs.control import list_runs
from understudy.runs.folder import RunFolder
from understudy.table.authoring.derivation_edits import (
    MovedRules,
    derive_column,
    drop_derivations,
    move_rules,
)
from understudy.table.authoring.edits import (
    keep_empty,
    name_omissions,
    only_columns,
    with_columns,
    with_why,
    without_columns,
)
from understudy.table.authoring.first_schema import ColumnLeftOut, suggest_first_schema
from understudy.table.authoring.recoding_edits import drop_recodings, follow_columns
from understudy.table.authoring.rule_patterns import RuleDraft
from understudy.table.authoring.suggestion import draft_column, without_odd_rows
from understudy.table.column import Column
from understudy.table.declared_reading import Reading
from understudy.table.derivations.derivation import Derivation
from understudy.table.encoding import choices, outside
from understudy.table.known_totals import TotalsOf
from understudy.table.omissions import WHY, Why
from understudy.table.people import People
from understudy.table.recodings.recoded_column import Follows
from understudy.table.records import Records
from understudy.table.rules.rule import Rule, SetMissing
from understudy.table.schema import MOST_COLUMNS, Schema
from understudy_dashboard.demo import refuse_own
from understudy_dashboard.loaded_table import LoadedTable
from understudy_dashboard.schema_edits import Editing
from understudy_dashboard.settings import Settings
from understudy_dashboard.sign_in import current_person, require_role
from understudy_dashboard.table_diagnostics import ResultCache, TableDiagnostics
from understudy_dashboard.words import count, escape

_KEY = "session"
_SAYS_WHOSE = "It says whose a record is."
_NAMED = 12


@dataclass(frozen=True)
class ProjectQuestion:
    """Which project a table belongs to, where that is not plain.

    Attributes:
        table: the table that was read. Confidential.
        schema: the schema that came with it, if any.
        fingerprint: its keyed fingerprint.
        projects: those that this very table belongs to, newest used first.
        known: what the ledger knows this very table as; None where it does not.
        lacking: columns of the open project that it does not have.
        further: columns that it has and the open project does not know.
        alike: the datasets that it may be of, by what it has in common with their tables.
    """

    table: LoadedTable
    schema: Schema | None
    fingerprint: str
    projects: tuple[ListedProject, ...] = ()
    known: str | None = None
    lacking: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    alike: tuple[Alike, ...] = ()


@dataclass
class TotalsForm:
    """Known totals as they are typed, until they are added.

    Attributes:
        text: the table.
        of: what is counted; None while nobody has said.
        source: where they are published.
    """

    text: str = ""
    of: TotalsOf | None = None
    source: str = ""


@dataclass
class Session:
    """The state behind the pages.

    Attributes:
        cache: what was worked out for this page.
        data: the open table, and what is counted in it.
        settings: what is decided about its columns, and the settings of methods.
        project: what is worked on; None before a table is open, and for runs made without one.
        saved: what is known to be on disk of what was decided in the project.
        question: what has to be answered before a table is opened.
        left_out: columns of the file that are not used; each with its description, where it
            has one, and why it is out.
        run, rehearsal: names of the runs being looked at.
        column: the column being edited; None until a page has chosen one.
        answers: what was answered about whose the rows are, half an answer included.
        rule_draft: a rule that is being written; None where none is.
        totals_form: known totals that are being typed.
        policy_when_counted: by the text of a rule, what was to become of records that break it
            when it was first shown how many these are.
        editing: what the Data and Buckets pages remember, undoing included.
        notices: sentences for the top of the next page drawn.
        cautions: the same, of what did not go as asked.
        demonstrated: whether the demonstration was opened already.
        revision: raised whenever the schema comes from elsewhere than its own form, so that
            the form is filled afresh.
        plans_loaded: how many plan files were loaded, to empty the upload each time.
        started: how many runs were started, to empty the confirmation each time.
        scores: name of the run on whose scores many plans are tried at once.
        stand_ins: by run, the table that stood in for the confidential one; not confidential.
        stood_in: how many such tables were rehearsed on, to empty the upload each time.
        watching: whether the Generate page shows `run` rather than a new one.
        belongs_to: the dataset that the custodian says the open table belongs to; None leaves it
            to the ledger.
        new_people: the fingerprint of the table whose people the custodian said are new; None
            where nobody said so.
        apart_because: why they are not those of a table that looks alike; "" where not said.
        apart_table: the fingerprint of the table that this was said of; None for `new_people`.
        put_aside: the name of the newest run whose end was seen and put aside; "" for none.
        cover: what was typed for the title page of packets, by field.
        prior, about: the belief whose change the Privacy page shows: how likely something is
            held to be, and what.
    """

    cache: ResultCache = field(default_factory=ResultCache)
    data: TableDiagnostics = field(init=False)
    settings: Settings = field(init=False)
    project: Project | None = None
    saved: ProjectState | None = None
    question: ProjectQuestion | None = None
    left_out: dict[str, tuple[Column | None, str]] = field(default_factory=dict)
    run: str | None = None
    rehearsal: str | None = None
    scores: str | None = None
    stand_ins: dict[str, Records] = field(default_factory=dict)
    stood_in: int = 0
    column: str | None = None
    answers: Answers = field(default_factory=Answers)
    rule_draft: RuleDraft | None = None
    totals_form: TotalsForm = field(default_factory=TotalsForm)
    policy_when_counted: dict[str, SetMissing | None] = field(default_factory=dict)
    editing: Editing = field(default_factory=Editing)
    notices: list[str] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)
    demonstrated: bool = False
    revision: int = 0
    plans_loaded: int = 0
    started: int = 0
    watching: bool = False
    belongs_to: str | None = None
    new_people: str | None = None
    apart_because: str = ""
    apart_table: str | None = None
    put_aside: str = ""
    cover: dict[str, str] = field(default_factory=dict)
    prior: float = 0.1
    about: About = "presence"

    def __post_init__(self) -> None:
        self.data = TableDiagnostics(self.cache)
        self.settings = Settings(self.data, self.cache)

    @property
    def runs_at(self) -> Path:
        """Where the runs of this page are."""
        if self.project is not None:
            return self.project.runs
        who = current_person()
        # Runs outside of projects are nobody's, where people sign in.
        return home() / "people" / who.key if who.key else home()

    def open(self, table: LoadedTable, schema: Schema | None = None) -> None:
        """Take in a table, with its schema or with a suggested one.

        Columns that cannot be described are left out, each with the reason.

        Raises:
            Refusal: fewer than two columns can be used, or the schema is for another table.
        """
        _refuse_own(table)
        left_out: Mapping[str, ColumnLeftOut] = {}
        notes: Mapping[str, tuple[str, ...]] = {}
        if schema is None:
            first = suggest_first_schema(table.raw)
            schema, notes, left_out = first.schema, first.notes, first.left_out
        else:
            table, schema = table.fit_reading(table.with_reading(schema))
            outside(table.raw, schema)
        self._begin_anew()
        self.data.table, self.data.notes = table, notes
        if notes:
            self.data.suggested = {column.name: column.domain for column in schema.columns}
        if table.sample:
            # It is simulated, so the number of its records is public.
            self.settings.sizes = Sizes(records=table.raw.rows)
        self.left_out.update({name: (each.column, each.reason) for name, each in left_out.items()})
        self.describe(schema)
        if schema.people is None and (table.sample or schema.declared):
            # Whoever declared what columns may contain declared whose the rows are with it.
            self.answers = Answers(positions=False, several=False)
        if notes:
            # The Data page begins with the column that presses most.
            self.column = None
        if left_out:
            self.notices.append(_describe_left_out(left_out))

    def attach_table(self, table: LoadedTable) -> None:
        """Take in a table for what is decided already; its other columns are left out.

        Raises:
            Refusal: the table lacks a column of the schema.
        """
        _refuse_own(table)
        table, schema = table.fit_reading(self.settings.require_schema())
        outside(table.raw, schema)
        self.data.table, self.question = table, None
        self.cache.clear()
        if table.sample and self.settings.sizes.records is None:
            self.settings.set_sizes(
                self.settings.sizes.model_copy(update={"records": table.raw.rows})
            )
        self.describe(schema)

    def read_anew(self, reading: Reading, *, suggest: bool) -> None:
        """Read the open file in another way; the confirmation that held before does not hold then.

        Args:
            reading: how.
            suggest: whether the columns are described afresh. They are, too, where the file has
                other columns when it is read so.

        Raises:
            Refusal: no table is open, it cannot be read so, or fewer than two columns can be used.
        """
        if self.data.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        table, before = self.data.table.read_as(reading), self.data.table.raw.reading.positions
        if suggest or not set(self.settings.require_schema().needed) <= set(table.raw.names):
            sizes, answers = self.settings.sizes, self.answers
            self.open(table)
            if reading.positions == before:
                self._keep_answers(sizes, answers)
            return
        self.replace_table(table)
        self.describe(self.settings.require_schema().with_reading(reading))

    def _keep_answers(self, sizes: Sizes, answers: Answers) -> None:
        """Keep what was said of the rows where they are the same ones, only read otherwise."""
        self.settings.set_sizes(sizes)
        self.answers = answers
        if self.data.table is None or not {answers.person, answers.order} <= {
            None,
            *self.data.table.raw.names,
        }:
            self.answers = Answers(positions=answers.positions)

    def replace_table(self, table: LoadedTable) -> None:
        """Go on with the open table as it was read now, and forget what was made of it before."""
        if table is not self.data.table:
            self.data.table = table
            self.cache.clear()

    def unload_table(self) -> None:
        """Forget the table and what was made of it. What was decided stays with its project."""
        if self.project is None:
            self.close()
            return
        self.data.table = self.question = None
        self.revision += 1
        self.cache.clear()
        self.stand_ins.clear()

    def close(self) -> None:
        """Forget the table and everything decided about it, and leave its project."""
        fresh = Session(demonstrated=self.demonstrated, revision=self.revision + 1)
        vars(self).update(vars(fresh))

    def _begin_anew(self) -> None:
        """Forget everything but the project, and what its packets say."""
        project, saved, cover, put_aside = self.project, self.saved, self.cover, self.put_aside
        self.close()
        if project is not None:
            self.project, self.saved, self.cover = project, saved, cover
            self.put_aside = put_aside

    def records(self) -> Records:
        """Return the table as codes. Confidential.

        Raises:
            Refusal: no table is open, or it holds values outside the schema.
        """
        return self.data.records(self.settings.require_schema(), self.settings.policies)

    def describe(self, schema: Schema, *, by_form: bool = False) -> None:
        """Use this schema from now on; settings that no longer fit start afresh.

        Args:
            schema: what the columns may contain.
            by_form: whether the form shows it already.
        """
        before = self.settings.schema
        if schema.people != (None if before is None else before.people):
            self.answers = self.answers.follow_people(schema.people)
        if self.data.table is not None and self.data.table.again is not None:
            # Undoing, too, may bring back another way of reading.
            self.replace_table(
                self.data.table.read_as(schema.reading_of(self.data.table.raw.reading.kind))
            )
        self._name_lost_rules(before, schema)
        self.settings.schema = schema
        self.revision += not by_form
        self._drop_policies()
        used = set(schema.of_file.names)
        unused = set(self.data.table.raw.names) - used if self.data.table else set()
        unused -= {each.name for each in schema.derived}
        reasons = {each.name: each.reason for each in schema.omissions}
        for name in unused - set(self.left_out):
            self.left_out[name] = (None, reasons.get(name, "The schema does not describe it."))
        if schema.people is not None and schema.people.person in unused:
            described, _ = self.left_out[schema.people.person]
            self.left_out[schema.people.person] = (described, _SAYS_WHOSE)
        for name in set(self.left_out) - unused:
            del self.left_out[name]
        if self.column not in schema.names:
            self.column = schema.names[0]
        self.settings.fit(before, schema)

    def _name_lost_rules(self, before: Schema | None, after: Schema) -> None:
        """Say which rules and totals went with a column that is no longer used; rules on one that
        is derived are named before that is done."""
        if before is None:
            return
        used = set(after.of_file.names)
        followed = used | {each.name for each in after.derived}
        rules = [
            each.title
            for each in before.declared_rules
            if each not in after.declared_rules and not followed.issuperset(each.names)
        ]
        totals = [
            f"by {each.title}"
            for each in before.totals
            if each not in after.totals and not used.issuperset(each.columns)
        ]
        for titles, number in (
            (rules, count(len(rules), "rule")),
            (totals, count(len(totals), "table of totals", "tables of totals")),
        ):
            if titles:
                self.cautions.append(
                    f"{number} went with the columns that are no longer used: "
                    f"{_quote_titles(titles)}. Undo brings both back."
                )

    def _drop_policies(self) -> None:
        """Forget choices that a column, as now described, does not offer."""
        offered = {
            column.name: choices(column) for column in self.settings.require_schema().file_columns
        }
        self.settings.policies = {
            name: policy
            for name, policy in self.settings.policies.items()
            if policy in offered.get(name, ())
        }

    def leave_out(self, *names: str) -> None:
        """Do without columns.

        Raises:
            Refusal: fewer than two columns would remain.
        """
        schema = self.settings.require_schema()
        smaller = without_columns(schema, names)
        for name in names:
            column = schema.file_columns[schema.index(name)]
            self.left_out[column.name] = (column, "You left it out.")
            self.settings.policies.pop(column.name, None)
        self.describe(smaller)

    def derive(self, name: str, derivation: Derivation) -> None:
        """Have a column computed from others: one of the file, which leaves the model, or a new
        one.

        Raises:
            Refusal: it is no function of these columns, or fewer than two would be in the model.
        """
        schema = self.settings.require_schema()
        order = schema.order if self.data.table is None else self.data.table.raw.names
        changed = derive_column(schema, name, derivation, order)
        moved = self.moved_rules(name, derivation)
        self.settings.policies.pop(name, None)
        self.describe(changed)
        if moved.rewritten:
            self.notices.append(
                f"Rules on “{escape(name)}” stand on the columns that it is derived from now: "
                f"{_list_titles(tuple(moved.rewritten.values()))}."
            )
        if moved.lost:
            self.cautions.append(
                f"{count(len(moved.lost), 'rule')} went with “{escape(name)}”, which is derived "
                f"now: {_list_titles(moved.lost)}. Undo brings both back."
            )

    def moved_rules(self, name: str, derivation: Derivation) -> MovedRules:
        """Return what becomes of the rules on a column if it is derived."""
        schema = self.settings.require_schema()
        found: MovedRules = self.cache.keep(
            f"moved rules {name}",
            (schema.fingerprint, derivation),
            lambda: move_rules(schema, name, derivation),
        )
        return found

    def drop_derivation(self, name: str) -> None:
        """Derive a column no longer. One of the file is used again, described as it was suggested.

        Raises:
            Refusal: another is derived from it.
        """
        self.describe(drop_derivations(self.settings.require_schema(), [name]))
        for refusal in self.bring_back(name).values():
            raise refusal

    def follow(self, follows: Follows) -> None:
        """Have a column modelled by its distance from another.

        Raises:
            Refusal: it has none, or rules bind too many combinations of values so.
        """
        schema = follow_columns(self.settings.require_schema(), [follows])
        _ = schema.relations
        self.describe(schema)
        self.column = schema.sums[follows.column][1]

    def drop_recoding(self, name: str) -> None:
        """Have a column modelled as it is again."""
        self.describe(drop_recodings(self.settings.require_schema(), [name]))
        self.column = name

    def bring_back(self, *names: str) -> dict[str, Refusal]:
        """Use columns after all, described now where they were not before; except for the one that
        says whose a record is.

        Returns:
            Why some of them cannot be described.

        Raises:
            Refusal: they would be more than can be used together.
        """
        schema = self.settings.require_schema()
        back, refused = self._describe_back(names)
        if back and self.data.table is not None:
            self.describe(with_columns(schema, back, self.data.table.raw.names))
            self.column = back[0].name
        return refused

    def use_only(self, *names: str) -> dict[str, Refusal]:
        """Use these columns, described now where they were not before, and do without all others.

        Returns:
            Why some of them cannot be described.

        Raises:
            Refusal: they are fewer than two, or more than can be used together.
        """
        schema = self.settings.require_schema()
        order = schema.names if self.data.table is None else self.data.table.raw.names
        back, refused = self._describe_back(names)
        narrow = only_columns(schema, back, names, order)
        for column in schema.file_columns:
            if column.name not in narrow.of_file.names:
                self.left_out[column.name] = (column, "You left it out.")
                self.settings.policies.pop(column.name, None)
        self.describe(narrow)
        return refused

    def _describe_back(self, names: Sequence[str]) -> tuple[list[Column], dict[str, Refusal]]:
        """Return those of these columns that are left out as they are described, now where they
        were not before, and why some cannot be; without the one that says whose a record is."""
        people = self.settings.require_schema().people
        back: list[Column] = []
        refused: dict[str, Refusal] = {}
        for name in names:
            closed = people is not None and name == people.person
            if closed or name not in self.left_out or self.data.table is None:
                continue
            column, _ = self.left_out[name]
            if column is None:
                try:
                    described = draft_column(without_odd_rows(self.data.table.raw), name)
                except Refusal as refusal:
                    refused[name] = refusal
                    continue
                column = described.column
                self.data.notes = {**self.data.notes, name: described.notes}
                self.data.suggested = {**self.data.suggested, name: column.domain}
            back.append(column)
        return back, refused

    def keep_empty(self, *names: str, empty: bool) -> None:
        """Keep columns that are left out as empty ones in the released table, or no longer.

        Raises:
            Refusal: one has a name that no column can have.
        """
        schema = self.settings.require_schema()
        if self.data.table is not None:
            schema = name_omissions(schema, self.data.table.raw.names)
        self.describe(keep_empty(schema, names, empty=empty))

    def say_why(self, *names: str, why: Why) -> None:
        """Say for which kind of reason columns are left out; it is published.

        Raises:
            Refusal: one has a name that no column can have.
        """
        schema = self.settings.require_schema()
        if self.data.table is not None:
            schema = name_omissions(schema, self.data.table.raw.names)
        self.describe(with_why(schema, names, why), by_form=True)
        for name in names:
            described, _ = self.left_out[name]
            self.left_out[name] = (described, f"You say: {WHY[why]}.")

    def say_whose(self, people: People | None) -> None:
        """Say whose the records are; None where each stands for itself. The column that says it is
        used for nothing else.

        Raises:
            Refusal: no table is open, some record is nobody's or has no place in the order, or
                fewer than two columns would remain.
        """
        schema, before = self.under_people(people), self.settings.require_schema().people
        if people is not None and people.person in self.settings.require_schema().names:
            described = self.settings.require_schema().column(people.person)
            self.left_out[people.person] = (described, _SAYS_WHOSE)
        if before is not None and before.person in self.left_out:
            described_before, _ = self.left_out[before.person]
            self.left_out[before.person] = (described_before, "It said whose a record is.")
        self.describe(schema)

    def under_people(self, people: People | None) -> Schema:
        """Return the schema whose records are of these people; None if each row stands for itself.

        Raises:
            Refusal: as of `say_whose`.
        """
        if self.data.table is None:
            raise Refusal("No table is open.", "Open one on the Data page.", field="table")
        schema = self.settings.require_schema().with_people(None)
        if people is None:
            return schema
        self.data.tally(people)
        if people.person in schema.names:
            schema = without_columns(schema, (people.person,), "people")
        return schema.with_people(people)


def _list_titles(rules: Sequence[Rule]) -> str:
    return _quote_titles([rule.title for rule in rules])


def _quote_titles(titles: Sequence[str]) -> str:
    return "; ".join(f"“{escape(title)}”" for title in titles)


def _describe_left_out(left_out: Mapping[str, ColumnLeftOut]) -> str:
    """Return which columns were left out as the table was opened, and why."""
    reasons: dict[Why, list[str]] = {}
    for name, each in left_out.items():
        reasons.setdefault(each.why, []).append(escape(name))
    surplus = reasons.pop("surplus", [])
    parts = [f"{join_first(names, _NAMED)} ({WHY[why]})" for why, names in reasons.items()]
    said = f"Left out: {'; '.join(parts)}. " if parts else ""
    if surplus:
        said += (
            f"{MOST_COLUMNS} columns at most can be used together: the first {MOST_COLUMNS} are "
            f"used, and not {join_first(surplus, _NAMED)}. To choose others, search by a pattern "
            "such as q17_\\* in the list of columns, tick what is shown, and use only these. "
        )
    return f"{said}To use any of them after all, open “Left out” in the list of columns."


def _refuse_own(table: LoadedTable) -> None:
    """Turn away a table that is not simulated, in a demonstration."""
    if not table.sample:
        refuse_own()


def current() -> Session:
    """Return the session of this page.

    Raises:
        Refusal: whoever is here is no custodian.
    """
    require_role("custodian")
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    session: Session = st.session_state[_KEY]
    return session


def find_open_run(session: Session, name: str | None) -> RunFolder | None:
    """Return a run of the open project by name, or of the home folder where no project is open."""
    return next((run for run in list_runs(session.runs_at) if run.identity == name), None)
