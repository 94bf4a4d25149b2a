"""The rules of Lanterns."""
