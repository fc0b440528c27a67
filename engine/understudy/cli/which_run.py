"""Which run is meant by what was typed: a folder, a name in the home folder, or none."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.core.refusal import Refusal

if TYPE_CHECKING:
    from understudy.runs.folder import RunFolder

Run = Annotated[
    str | None,
    typer.Argument(
        metavar="RUN",
        help="The folder of a run, or the name of one in the home folder (default: the newest "
        "release there).",
    ),
]
"""What a verb about a run is given, or not; see `find_named_run`."""

_MOST_NAMED = 5
_MAKE_ONE = (
    "Make one from the pages of `understudy dashboard`, or with `understudy synthesize --keep`."
)


def find_named_run(name: str | None) -> RunFolder:
    """Return the run of a folder or of a name; without one, the newest release that has finished.

    Raises:
        Refusal: there is none.
    """
    from understudy.core.home import home
    from understudy.projects.catalogue import find_run, list_every_run

    if name is not None:
        found = find_run(name)
        if found is None:
            raise Refusal(f"There is no run “{name}”.", _choice())
        return found
    for each in list_every_run():
        # One that cannot be read is not meant.
        with suppress(Refusal):
            if each.about().purpose == "release" and each.progress().state == "finished":
                return each
    raise Refusal(f"No release has finished in {home()}.", _MAKE_ONE)


def _choice() -> str:
    """Return which runs there are to choose from."""
    from understudy.core.home import home
    from understudy.projects.catalogue import list_every_run

    names = [each.identity for each in list_every_run()][:_MOST_NAMED]
    if not names:
        return f"There are none in {home()}. {_MAKE_ONE}"
    return f"Name the folder of a run, or one of those in {home()}, such as {', '.join(names)}."
