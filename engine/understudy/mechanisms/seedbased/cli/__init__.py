"""Verbs of the command line that are about seedbased synthesis alone."""

from understudy.mechanisms.seedbased.cli.acceptance import acceptance
from understudy.mechanisms.seedbased.cli.account import account
from understudy.mechanisms.seedbased.cli.plan import plan
from understudy.mechanisms.seedbased.cli.propose import propose

VERBS = (propose, plan, account, acceptance)
