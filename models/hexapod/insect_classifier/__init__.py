"""Insect classifier of Hexapod: weights, card and training."""
