"""Generative models: propose a candidate from a seed, say how likely each seed makes it."""
