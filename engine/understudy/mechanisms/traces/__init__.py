"""Made traces: people and their days on a map, from counts of people with exact sensitivities."""
