"""Models of a few hidden coordinates: numbers are projected on directions, disturbed there on a
public grid, and decoded. What is released of the disturbed coordinates is post-processing."""
