"""What packets and annexes say of made traces."""
