"""Third-party models: found by the name they are installed under, used on their own claim.

A package offers a learner in the entry point group `understudy.models`. It may return a Bayesian
network with its tables, or a `Law`: the conditional distribution of each attribute given earlier
ones. The privacy guarantee of its learning is its own claim: it is composed and named in the
statement of the guarantee, but not proved here. What is checked is that the claim is within the
plan's budget, and that conditional distributions are valid.
"""
