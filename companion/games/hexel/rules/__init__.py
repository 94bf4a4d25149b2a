"""The rules of Hex'el as pure functions over frozen state."""
