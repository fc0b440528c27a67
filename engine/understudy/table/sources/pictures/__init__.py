"""Files of small grey pictures."""
