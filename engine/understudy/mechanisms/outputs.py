"""What a run releases, each output made in parts, and what makes them: any number of tables and of
figures; cores of this machine, or workers of a cluster.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from understudy.core.arrays import CodeArray
from understudy.privacy.wording import THIS_RELEASE, THIS_TABLE, WordedPromise
from understudy.table.records import Records
from understudy.table.schema import Schema

MOST_OUTPUTS: Final = 100
RESERVED: Final = frozenset(
    {
        "cancel", "datapackage", "dictionary", "guarantee", "intervals", "ledger", "outputs",
        "packet", "plan", "readme", "relations", "report", "schema", "values", "versions",
    }
)  # fmt: skip
"""Names that files beside the outputs have, in a release or in a packet."""
_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,39}")
_TAKEN: Final = re.compile(r"demonstration-.*|.*-(?:dictionary|values)")


def is_name(text: str) -> bool:
    """Return whether an output can be called so."""
    taken = text in RESERVED or _TAKEN.fullmatch(text) is not None
    return not taken and _NAME.fullmatch(text) is not None


@dataclass(frozen=True)
class Output:
    """Something that a run releases.

    Attributes:
        name: of its file, without what tells the form: "synthetic", "parameters". Small letters,
            digits and hyphens, and no name that another file of a release or packet has.
        kind: records of a schema, or named figures as one JSON object.
        schema: of the records, which need not be that of the confidential table; None for figures.
        about: what it is, in a sentence.
        rows_at_most: the most records that it can come to; 0 for figures.
        own_numbers: whether the method draws the numbers of measured columns itself, so that
            its guarantee has to cover them. Otherwise each is drawn evenly within the cell that
            is released.

    Raises:
        ValueError: it has no such name, or is neither a table with a schema nor figures without.
    """

    name: str
    kind: Literal["table", "figures"]
    about: str
    schema: Schema | None = None
    rows_at_most: int = 0
    own_numbers: bool = False

    def __post_init__(self) -> None:
        if not is_name(self.name):
            raise ValueError(f"{self.name!r} cannot be the name of an output")
        if (self.schema is not None) is not (self.kind == "table"):
            raise ValueError(f"the output {self.name} has to be a table with a schema, or figures")

    def check(self, content: CodeArray | Records | Mapping[str, Any]) -> None:
        """Check that a chunk of it is what it says of itself.

        Raises:
            ValueError: it is something else.
        """
        schema = self.schema
        if schema is None:
            alike = isinstance(content, Mapping)
        else:
            measured = isinstance(content, Records) and content.numbers is not None
            alike = measured is (self.own_numbers and bool(schema.measured_places))
            alike = alike and not isinstance(content, Mapping)
        if isinstance(content, Records):
            alike = alike and (content.schema is schema or content.schema == schema)
        if not alike:
            raise ValueError(f"a chunk of the output {self.name} is not what the output is")


def checked_outputs(outputs: Sequence[Output]) -> tuple[Output, ...]:
    """Return the outputs of a run, in an order of their own: first the table named “synthetic”, if
    any.

    Raises:
        ValueError: there are none, too many, or two of a name.
    """
    if not 1 <= len(outputs) <= MOST_OUTPUTS:
        raise ValueError(f"a run releases 1 to {MOST_OUTPUTS} outputs, not {len(outputs)}")
    if len({each.name for each in outputs}) < len(outputs):
        raise ValueError("two outputs of a run have one name")
    return tuple(sorted(outputs, key=lambda each: (each.name, each.kind) != ("synthetic", "table")))


def read_of(outputs: Sequence[Output]) -> WordedPromise:
    """Return what somebody reads who reads all of these: a table, or whatever else it is."""
    return THIS_TABLE if [each.kind for each in outputs] == ["table"] else THIS_RELEASE


@dataclass(frozen=True, eq=False)
class Chunk:
    """A part of an output, as a run makes it. It may be published.

    Attributes:
        output: the name of the output.
        content: of a table, (rows, m) codes in schema order; or records with the numbers of
            their measured columns where the method draws them itself (`Output.own_numbers`),
            each of the precision and within the bounds that its column declares. Of figures, the
            whole JSON object.
        reached: where to go on from once this is written; rises from chunk to chunk.
        done: how much of `Mechanism.steps` is done.
    """

    output: str
    content: CodeArray | Records | Mapping[str, Any]
    reached: int
    done: int


@dataclass(frozen=True)
class ResumePoint:
    """How far a run is.

    Attributes:
        at: `Chunk.reached` of the last chunk that was written; 0 before the first.
        rows: how many records each table has by then, by the name of its output.
        written: the codes of each table so far, (rows, m) in schema order, in parts of some rows
            that are read as they are gone through, once and before anything is added to the table;
            by the name of its output.
    """

    at: int = 0
    rows: Mapping[str, int] | None = None
    written: Mapping[str, Iterable[CodeArray]] | None = None

    def rows_of(self, output: str) -> int:
        """Return how many records a table has."""
        return 0 if self.rows is None else self.rows.get(output, 0)

    def codes_of(self, output: str) -> Iterable[CodeArray]:
        """Return the codes of a table so far; see `encode_candidates`."""
        return () if self.written is None else self.written[output]


@dataclass(frozen=True)
class Workers:
    """What may be used.

    Attributes:
        cores: how many cores of this machine; None for all there are.
        scheduler: the address of a Dask scheduler whose workers do the work; None for this machine.
        shared: where those workers put what they made.
    """

    cores: int | None = None
    scheduler: str | None = None
    shared: str | None = None
