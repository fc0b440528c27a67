"""The pages of seedbased synthesis: its planner, its settings, its rehearsals and its trade-off."""
