"""What packets and annexes say of seedbased synthesis."""
