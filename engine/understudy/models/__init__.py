"""Generative models: they propose a candidate from a seed and compute its likelihood under any
seed."""
