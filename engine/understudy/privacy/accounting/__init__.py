"""The privacy accountant: what one unit of a run guarantees, and all units composed."""
