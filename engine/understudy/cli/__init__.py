"""The command line: `understudy VERB`, each verb one call of the engine.

Importing this package must stay cheap, so what a verb needs is imported when it runs.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence

import typer

from understudy.cli.application import command
from understudy.cli.verb import CommandCancelled
from understudy.core.debug import traceback_sentence, write_traceback
from understudy.core.files import keep_secret, refuse_disk_error
from understudy.core.refusal import Refusal
from understudy.core.text_escape import shorten_message
from understudy.runs.work_folder import RunFailed

__all__ = ["main"]

REFUSED = 2
FAILED = 1
CANCELLED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit status: 0 done, 2 refused, 130 cancelled, 1 a fault.

    Whatever goes wrong is said on stderr in a sentence or two. The text of an unforeseen error
    is kept back, as it may quote a confidential cell; see `core.debugging`.

    Args:
        arguments: what follows the program's name; that of this process if left out.
    """
    before = os.umask(0)
    try:
        keep_secret()
        return _quietly(sys.argv[1:] if arguments is None else list(arguments))
    finally:
        os.umask(before)


def _quietly(arguments: list[str]) -> int:
    """Run one verb without what libraries would say."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    with warnings.catch_warnings():
        # A library's warning may quote a cell too.
        warnings.simplefilter("ignore")
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        return (
            command().main(arguments or ["--help"], prog_name="understudy", standalone_mode=False)
            or 0
        )
    except typer.TyperException as misuse:
        return _end(_describe_misuse(misuse), REFUSED)
    except Refusal as refusal:
        return _end(str(refusal), REFUSED)
    except CommandCancelled as cancelled:
        return _end(str(cancelled), CANCELLED)
    except RunFailed as failed:
        return _end(str(failed), FAILED if failed.unforeseen else REFUSED)
    except OSError as error:
        return _end(str(refuse_disk_error(error)), REFUSED)
    except MemoryError:
        return _end("There is not enough memory. Use fewer columns or a smaller file.", FAILED)
    except Exception as error:
        write_traceback(error)
        return _end(
            f"An unforeseen {type(error).__name__} stopped the command. Please report it with "
            f"that name and with what you typed. {traceback_sentence(with_path=True)}",
            FAILED,
        )


def _describe_misuse(misuse: typer.TyperException) -> str:
    """Return what was typed wrongly, and which help to ask for."""
    context = getattr(misuse, "ctx", None)
    verb = "understudy" if context is None else context.command_path
    return f"{misuse.format_message().rstrip('.')}. Run `{verb} --help` to see what there is."


def _end(sentence: str, status: int) -> int:
    print(f"understudy: {shorten_message(sentence)}", file=sys.stderr)
    return status
