"""Which executor makes the attempts of a run."""

from __future__ import annotations

from understudy.core.threads import available
from understudy.mechanisms.seedbased.chunks import Executor
from understudy.mechanisms.seedbased.executors.cluster import Cluster
from understudy.mechanisms.seedbased.executors.local import Cores
from understudy.mechanisms.workers import Workers


def executor(workers: Workers) -> Executor:
    """Return what makes the attempts with these workers."""
    if workers.scheduler is not None:
        return Cluster(workers.scheduler, workers.shared)
    return Cores(min(workers.cores or available(), available()))
