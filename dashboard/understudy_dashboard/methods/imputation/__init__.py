"""What pages show of Bayesian imputation."""
