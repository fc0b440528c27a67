"""Speed and growth, each a command that prints a table: `python -m benchmarks core`."""
