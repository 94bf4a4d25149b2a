"""Drawn photographs of HexDragon."""
