"""Positions, as phones and cars record them, into the rows of a table of traces."""
