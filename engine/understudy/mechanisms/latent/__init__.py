"""Tables made from a model of a few hidden coordinates, learned under a guarantee."""
