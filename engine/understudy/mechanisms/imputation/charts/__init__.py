"""Figures of what only Bayesian imputation has."""
