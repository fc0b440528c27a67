"""What may be inferred from the noisy tables of a release, and from nothing else."""
