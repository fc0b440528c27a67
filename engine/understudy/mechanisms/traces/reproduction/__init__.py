"""The published evaluation of fake traces, run again on the simulated city."""

from understudy.mechanisms.traces.reproduction.locations import Locations

REPRODUCTIONS = (Locations(),)
