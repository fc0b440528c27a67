"""What a schema refuses: names, people, distances, omissions, rules and totals that do not go with
its columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from understudy.core.numerals import count
from understudy.core.refusal import Refusal
from understudy.table.checks import first_lookalikes, first_repeat
from understudy.table.column import Column
from understudy.table.known_totals import KnownTotals
from understudy.table.omissions import Omission
from understudy.table.people import People
from understudy.table.positions.positions import ORDER, PERSON
from understudy.table.recodings.recoded_column import Recoding
from understudy.table.rules.rule import MOST_RULES, Rule

MOST_COLUMNS: Final = 255


def check_column_names(names: Sequence[str]) -> None:
    """Check that there are neither too few nor too many columns, each with a name of its own.

    Args:
        names: of the columns.

    Raises:
        Refusal: it is not so.
    """
    if not 2 <= len(names) <= MOST_COLUMNS:
        raise Refusal(
            f"The schema has {count(len(names), 'column')}.",
            f"Use 2 to {MOST_COLUMNS} columns of the table, and leave out the others.",
            field="columns",
        )
    repeated = first_repeat(names)
    if repeated is not None:
        raise Refusal(
            f"Columns {repeated[0] + 1} and {repeated[1] + 1} of the schema have the same "
            f"name, “{names[repeated[0]]}”.",
            "Give each column a name of its own.",
            field="columns",
        )
    alike = first_lookalikes(names)
    if alike is not None:
        raise Refusal(
            f"The names of columns {alike[0] + 1} and {alike[1] + 1} of the schema look the "
            f"same, “{names[alike[0]]}”: they are the same letters in two forms of Unicode.",
            "Give each column a name of its own.",
            field="columns",
        )


def check_owner(people: People | None, released: Collection[str]) -> None:
    """Check that the column that says whose a record is is not released.

    Args:
        people: whose the records are.
        released: the names of columns of a released table.

    Raises:
        Refusal: it is.
    """
    if people is not None and people.person in released:
        raise Refusal(
            f"Column “{people.person}” says whose a record is, and stands among those that are "
            "released.",
            "Leave it out of the columns, or name another for the people.",
            field=people.person,
        )


def check_position_owner(people: People | None, *, of_positions: bool) -> None:
    """Check that whose the positions are that records are made of is said: one position more
    changes many of such records, all of them of one person.

    Raises:
        Refusal: it is not.
    """
    if of_positions and (people is None or people.columns != (PERSON, ORDER)):
        raise Refusal(
            "The records are made of positions of people, and the schema does not say whose they "
            "are.",
            f"Say in the schema that column “{PERSON}” says whose a record is, and “{ORDER}” what "
            "orders them.",
            field="people",
        )


def check_recodings(
    recodings: Sequence[Recoding], columns: Sequence[Column], file_names: Sequence[str]
) -> None:
    """Check that each column that is modelled by its distance from another can be.

    Args:
        recodings: of these columns, each after those that it follows.
        columns: that the model has, distances among them.
        file_names: the names of the columns as the file has them.

    Raises:
        Refusal: one cannot.
    """
    known = {each.name: each for each in columns}
    for recoding in recodings:
        if recoding.distance not in known:
            raise Refusal(
                f"The schema has no column “{recoding.distance}”, by which “{recoding.name}” is "
                "modelled.",
                "Use it, or model the other as it is.",
                field=recoding.name,
            )
        recoding.check_distance(known[recoding.after], known[recoding.distance])
        known[recoding.name] = recoding.column
    repeated = first_repeat((*file_names, *(each.distance for each in recodings)))
    if repeated is not None or len(known) < len(columns) + len(recodings):
        raise Refusal(
            "Two columns have the same name, one of them modelled by its distance from another or "
            "a distance.",
            "Model a column in one way, and give each a name of its own.",
            field="recodings",
        )


def check_omissions(omissions: Sequence[Omission], released: Sequence[str]) -> None:
    """Check that each column is either used, derived or left out, and is so once.

    Args:
        omissions: the columns that are left out.
        released: the names of the columns of the file that are used, then of those derived.

    Raises:
        Refusal: one is two of these, or one of them twice.
    """
    again = first_repeat(released)
    if again is not None:
        raise Refusal(
            f"Column “{released[again[1]]}” is derived, and named a second time in the schema.",
            "Take it out of the columns, or do not derive it.",
            field=released[again[1]],
        )
    names = (*released, *(each.name for each in omissions))
    repeated = first_repeat(names)
    if repeated is not None:
        raise Refusal(
            f"Column “{names[repeated[1]]}” is left out and named a second time in the schema.",
            "Name it once.",
            field="left_out",
        )


def check_declared_rules(
    rules: Sequence[Rule], derived: Collection[str], *, of_positions: bool
) -> None:
    """Check that there are no more rules than can be used, each once, and that none names a column
    that is derived.

    Args:
        rules: all that are declared.
        derived: the names of columns that are derived.
        of_positions: whether records are made of positions.

    Raises:
        Refusal: it is not so.
    """
    if rules and of_positions:
        raise Refusal(
            "The records are made of positions of people, which rules are not about.",
            "Take the rules out of the schema.",
            field="rules",
        )
    if len(rules) > MOST_RULES:
        raise Refusal(
            f"The schema has {len(rules):,} rules; at most {MOST_RULES:,} can be used.",
            "Take out those that others imply.",
            field="rules",
        )
    repeated = first_repeat(rule.text for rule in rules)
    if repeated is not None:
        raise Refusal(
            f"The rule “{rules[repeated[0]].title}” stands in the schema twice.",
            "Take one of the two out.",
            field="rules",
        )
    for rule in rules:
        names = set(derived).intersection(rule.names)
        if names:
            raise Refusal(
                f"The rule “{rule.title}” names column “{min(names)}”, which is derived.",
                "Write the rule on the columns that it is derived from, or take it out.",
                field="rules",
            )


def check_declared_totals(
    totals: Sequence[KnownTotals], distances: Collection[str], *, of_positions: bool
) -> None:
    """Check that known totals are by columns that a released table has.

    Args:
        totals: all of them.
        distances: the names of columns of distances.
        of_positions: whether records are made of positions.

    Raises:
        Refusal: some are not.
    """
    if totals and of_positions:
        raise Refusal(
            "The records are made of positions of people, which known totals are not about.",
            "Take the totals out of the schema.",
            field="totals",
        )
    named = {name for each in totals for name in each.columns}.intersection(distances)
    if named:
        raise Refusal(
            f"There are totals by “{min(named)}”, a distance that no released table has.",
            "Take these totals out, or model the column as it is.",
            field="totals",
        )
