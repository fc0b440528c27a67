"""The front door: what an analyst calls from Python. `understudy` itself exports all of it."""
