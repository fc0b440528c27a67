"""A table that was opened: its texts, where they came from, and how they may be read once more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from understudy.core.refusal import Refusal
from understudy.ledger.likeness import Likeness
from understudy.table.declared_reading import Reading
from understudy.table.raw import RawTable
from understudy.table.schema import Schema
from understudy.table.sources.positions.reading import read_positions


@dataclass(frozen=True)
class Table:
    """A table as read: every value still a text.

    Attributes:
        name: what it is called, such as the name of its file.
        raw: its values. Confidential.
        sample: whether it is one of the simulated tables that anybody can begin with.
        reached: of a database, the connection string without its password, and the query; two
            empty texts for a file. None leaves what its project remembers.
        again: reads a file once more, in another way; None where that cannot be.
        insisted: whether somebody said how it is read when it was opened.
        likeness: what the ledger knows it by; None where that was not found yet. Secret.
    """

    name: str
    raw: RawTable
    sample: bool = False
    reached: tuple[str, str] | None = None
    again: Callable[[Reading], RawTable] | None = None
    insisted: bool = False
    likeness: Likeness | None = field(default=None, repr=False, compare=False)

    def read_as(self, reading: Reading) -> Table:
        """Return the same, read in another way; of positions that are there, what they become.

        Raises:
            Refusal: it cannot be read so, or not once more.
        """
        if self.raw.reading == reading:
            return self
        if reading.positions is not None and reading.of_file() == self.raw.reading:
            return replace(self, raw=read_positions(self.raw, reading.positions).raw, likeness=None)
        if self.again is None:
            raise Refusal(
                "The file is not there to be read once more.",
                "Open it again, and then say how it is read.",
                field="table",
            )
        return replace(self, raw=self.again(reading), likeness=None)

    def told(self, schema: Schema) -> Schema:
        """Return a schema from elsewhere, which may not say how the file is read, with how this
        is."""
        if schema.reading is not None or self.raw.reading.is_usual:
            return schema
        return schema.with_reading(self.raw.reading)

    def under(self, schema: Schema) -> tuple[Table, Schema]:
        """Return the table as a schema says that it is read; or where somebody said how when it was
        opened, the schema with that.

        Raises:
            Refusal: it cannot be read so.
        """
        kind = self.raw.reading.kind
        if self.insisted and self.raw.reading != schema.reading_of(kind):
            return self, schema.with_reading(self.raw.reading)
        wanted = schema.reading_of(kind)
        there = self.again is not None or wanted.of_file() == self.raw.reading
        return (self.read_as(wanted) if there else self), schema
