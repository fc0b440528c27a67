"""How far people's days are from other people's. Internal where one side is real."""
