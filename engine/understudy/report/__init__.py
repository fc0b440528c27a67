"""The packet for a review board: what may be published of a run, as files that can be checked."""
