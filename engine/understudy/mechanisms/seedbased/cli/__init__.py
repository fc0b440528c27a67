"""Verbs of the command line that are about seedbased synthesis alone."""

from understudy.mechanisms.seedbased.cli.acceptance import acceptance
from understudy.mechanisms.seedbased.cli.plan import account, plan, propose

VERBS = (propose, plan, account, acceptance)
