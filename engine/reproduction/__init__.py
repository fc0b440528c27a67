"""The published evaluation run again, its numbers beside the published ones. All of it internal."""
