"""The options that say with what a run is made, and into which kind of file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.runs.resources import Resources

_WITH = "With what the run is made"


class Form(StrEnum):
    """A kind of file."""

    csv = "csv"
    parquet = "parquet"


FormOption = Annotated[
    Form,
    typer.Option(
        "--format",
        rich_help_panel=_WITH,
        help="The kind of file of the table: synthetic.csv, or synthetic.parquet with the types "
        "of the columns (default csv).",
    ),
]
Streamed = Annotated[
    bool,
    typer.Option(
        "--streamed",
        rich_help_panel=_WITH,
        help="Read a Parquet file piece by piece, as often as it takes, for a table that does not "
        "fit in memory.",
    ),
]
Cores = Annotated[
    int | None,
    typer.Option(
        "--cores",
        metavar="NUMBER",
        rich_help_panel=_WITH,
        help="How many cores make attempts (default: all).",
    ),
]
Memory = Annotated[
    float | None,
    typer.Option(
        "--memory",
        metavar="GB",
        rich_help_panel=_WITH,
        help="The most memory that the run's process may hold, in gigabytes. A run that needs more "
        "stops, and says so.",
    ),
]
Minutes = Annotated[
    float | None,
    typer.Option(
        "--minutes",
        metavar="NUMBER",
        rich_help_panel=_WITH,
        help="The longest that the run may take. It then stops, and can be gone on with by "
        "--resume once it has learned its model.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="ADDRESS",
        rich_help_panel=_WITH,
        help="Have the attempts made by the workers of a Dask cluster, such as "
        "tcp://127.0.0.1:8786 after `make cluster`. They see confidential records: use tls:// "
        "where others could listen.",
    ),
]
Shared = Annotated[
    str | None,
    typer.Option(
        "--shared",
        metavar="FOLDER",
        rich_help_panel=_WITH,
        help="A folder or an object store that the workers of the cluster write to (default: what "
        "passed comes over the connection).",
    ),
]


@dataclass(frozen=True, kw_only=True)
class ResourceOptions:
    """With what a run is made, and into which kind of file, as it was typed."""

    form: FormOption = Form.csv
    streamed: Streamed = False
    cores: Cores = None
    memory: Memory = None
    minutes: Minutes = None
    scheduler: Scheduler = None
    shared: Shared = None

    def resources(self) -> Resources:
        """Return what was typed, as the engine takes it.

        Raises:
            Refusal: a limit is too low, or a shared folder is named without a cluster.
        """
        from understudy.runs.resources import Resources

        if self.shared is not None and self.scheduler is None:
            raise Refusal(
                "--shared: only the workers of a cluster write to a shared folder.",
                "Leave it out, or name the cluster with --scheduler.",
            )
        held = Resources.bytes_of(self.memory)
        return Resources(
            self.form.value, self.cores, held, self.minutes, self.scheduler, self.shared
        )

    def check_kept(self) -> None:
        """Check that a run can be kept with its figures.

        Raises:
            Refusal: it cannot.
        """
        if self.form is Form.parquet:
            raise Refusal(
                "--format: a run that is kept is released as CSV, beside which its packet has "
                "Parquet.",
                "Leave out --format, or else --keep and --project.",
            )
        if self.streamed:
            raise Refusal(
                "--streamed: the figures of a run that is kept need the table in memory.",
                "Leave out --streamed, or else --keep and --project.",
            )
