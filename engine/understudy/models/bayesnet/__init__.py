"""The Bayesian network of the census evaluation: structure, parameters, tables."""
