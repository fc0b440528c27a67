"""What packets say of days like given people's."""
