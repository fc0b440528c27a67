"""The published evaluation of fake traces, run again on the simulated city."""

from understudy.studies.traces.locations import Locations

REPRODUCTIONS = (Locations(),)
