"""Verbs of the command line that are about traces alone."""

from understudy.mechanisms.traces.cli.fakes import fakes

VERBS = (fakes,)
