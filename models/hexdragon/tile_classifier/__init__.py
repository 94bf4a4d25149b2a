"""Tile classifier of HexDragon: weights, card and training."""
