"""Days like those of given people: made from one day of a person, and released only where enough
other people's days could have been made into the same."""
