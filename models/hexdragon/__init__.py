"""The networks of HexDragon."""
