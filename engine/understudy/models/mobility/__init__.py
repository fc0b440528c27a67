"""People's days on a public map: stays, counts of people, the law fitted to them, made days."""
