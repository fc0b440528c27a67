"""What is declared of small grey pictures, and the table they make: a picture a record."""
