"""Our models beside published private ones: the same table, domain, (ε, δ) and evaluation.

    python -m benchmarks.peers run                  every run that is not there yet
    python -m benchmarks.peers evaluate             what they are worth, as tables in Markdown

Every peer has an environment of its own and runs there in a process of its own (`drivers`);
`make bench-peers` makes the environments. Codes go in and codes come out: nobody but the public
schema says which values there are.
"""
