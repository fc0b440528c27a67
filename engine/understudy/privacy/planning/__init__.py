"""The planner: from a privacy budget to the parameters of a test."""
