"""The rules of Hexapod as pure functions over frozen state."""
