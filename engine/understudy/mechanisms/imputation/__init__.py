"""Rows, parameters and imputations drawn from a Bayesian model (Zheng 2015)."""
