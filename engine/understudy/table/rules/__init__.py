"""Rules that everyone knows: what cannot be, in codes, and which values it leaves to draw from."""
