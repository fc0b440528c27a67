"""The evaluation that was published with the method, run again: on simulated people beside the
published numbers, and on a table of one's own."""

from understudy.mechanisms.seedbased.reproduction.census import Census
from understudy.mechanisms.seedbased.reproduction.own_table import OwnTable

REPRODUCTIONS = (Census(), OwnTable())
