"""The published evaluation repeated, with its numbers beside the published ones. All of it
internal."""
