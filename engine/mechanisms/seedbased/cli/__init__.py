"""Verbs of the command line that are about seedbased synthesis alone."""

from engine.mechanisms.seedbased.cli.acceptance import acceptance
from engine.mechanisms.seedbased.cli.account import account
from engine.mechanisms.seedbased.cli.plan import plan
from engine.mechanisms.seedbased.cli.propose import propose

VERBS = (propose, plan, account, acceptance)
