"""The rules of Seven Card Comet as pure functions over frozen state."""
