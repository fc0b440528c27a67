"""Figures of what only made traces have."""
