# mypy: ignore-errors
"""AIM, MST and PrivBayes as packaged by dpmm. Runs in the environment of that package.

python dpmm_driver.py JOB_FOLDER

The domain is given, so nothing is spent on it and the data are not looked at to find it; what
dpmm would do before (binning) is left out, as the codes are integers below a public number.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from dpmm.models.aim import AIMGM
from dpmm.models.mst import MSTGM
from dpmm.models.priv_bayes import PrivBayesGM
from exchange import Codes, Job, run_fitted
from numpy.random import RandomState

MODELS = {"aim": AIMGM, "mst": MSTGM, "privbayes": PrivBayesGM}


def fit(job: Job, codes: Codes) -> Callable[[int], Codes]:
    """Learn a model of the codes; what is returned makes so many records."""
    names = list(job.names)
    model = MODELS[job.method](
        epsilon=job.epsilon,
        delta=job.delta,
        domain=dict(zip(names, job.cardinalities, strict=True)),
        n_jobs=1,
        **job.settings,
    )
    # Seeds what is chosen and drawn; the noise is OpenDP's and cannot be seeded.
    model.set_random_state(RandomState(job.seed))
    model.fit(pd.DataFrame(codes.astype(int), columns=names))
    return lambda count: model.generate(n_records=count)[names].to_numpy()


if __name__ == "__main__":
    run_fitted(Job.read(Path(sys.argv[1])), fit)
