"""Detector of Hexapod: weights, card and training."""
