# mypy: ignore-errors
"""DataSynthesizer's PrivBayes and its independent attributes. Runs in its own environment.

python datasynthesizer_driver.py JOB_FOLDER

Two things are other than packaged, and neither changes what comes out. Its processes are threads
of one core. Mutual information is counted on whole numbers instead of on texts put together record
by record, which takes many minutes; the values are the same.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from multiprocessing.pool import ThreadPool
from pathlib import Path

import numpy as np
from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.DataGenerator import DataGenerator
from DataSynthesizer.lib import PrivBayes
from exchange import Codes, Job, run_fitted


def fit(folder: Path, job: Job, codes: Codes) -> Callable[[int], Codes]:
    """Describe the codes in files, as it does; what is returned makes so many records."""
    names = list(job.names)
    table, domain, description = (folder / name for name in ("table.csv", "domain", "description"))
    np.savetxt(table, codes, fmt="%d", delimiter=",", header=",".join(names), comments="")
    values = {name: list(range(size)) for name, size in zip(names, job.cardinalities, strict=True)}
    domain.write_text(json.dumps(values))
    describer, generator = DataDescriber(), DataGenerator()
    known = {
        "attribute_to_datatype": dict.fromkeys(names, "Integer"),
        "attribute_to_is_categorical": dict.fromkeys(names, True),
        "attribute_to_is_candidate_key": dict.fromkeys(names, False),
        "categorical_attribute_domain_file": str(domain),
        "epsilon": job.epsilon,
        "seed": job.seed,
    }
    if job.method == "independent":
        describer.describe_dataset_in_independent_attribute_mode(str(table), **known)
        generate = generator.generate_dataset_in_independent_mode
    else:
        PrivBayes.Pool = partial(ThreadPool, 1)
        columns = dict(zip(names, codes.T, strict=True))
        PrivBayes.mutual_information = partial(_mutual_information, columns)
        describer.describe_dataset_in_correlated_attribute_mode(str(table), **known, **job.settings)
        generate = generator.generate_dataset_in_correlated_attribute_mode
    describer.save_dataset_description_to_file(str(description))

    def sample(count: int) -> Codes:
        generate(count, str(description), seed=job.seed)
        return generator.synthetic_dataset[names].to_numpy().astype(int)

    return sample


def _mutual_information(columns, child, parents) -> float:
    """That of a column with several together, in nats; the columns say only which are meant."""
    together = np.zeros(len(child), dtype=np.int64)
    for name in parents.columns:
        together = together * (int(columns[name].max()) + 1) + columns[name]
    own = columns[child.name].astype(np.int64)
    both = _entropy(together * (int(own.max()) + 1) + own)
    return _entropy(together) + _entropy(own) - both


def _entropy(codes: Codes) -> float:
    """That of the shares of equal codes, in nats."""
    counts = np.bincount(codes)
    shares = counts[counts > 0] / len(codes)
    return float(-(shares * np.log(shares)).sum())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as files:
        run_fitted(Job.read(Path(sys.argv[1])), partial(fit, Path(files)))
