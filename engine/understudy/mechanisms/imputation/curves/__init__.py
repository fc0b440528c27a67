"""Exact privacy curves of everything that can be drawn from a posterior."""
