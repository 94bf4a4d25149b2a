"""Teaching a printing: labels, and whether its classes can be told apart."""
