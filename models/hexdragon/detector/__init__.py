"""Detector of HexDragon: weights, card and training."""
