"""Models of others: found by the name they are installed under, used on their own word.

A package offers a learner in the entry point group `understudy.models`. It may return a Bayesian
network, exact tables and all, or anything that can say the law of an attribute given those before
it. What its learning promises is its own word: it is repeated, added up and named in the statement
of the guarantee, but proved nowhere here. What is checked is that it keeps to what the plan
allows, and that its laws are laws.
"""
