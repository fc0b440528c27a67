"""Published evaluations run again, their numbers beside ours: what all of them share, and which
there are. A method brings its own."""
