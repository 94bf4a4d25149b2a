"""The rules of HexDragon as pure functions over frozen state."""
