"""Numeral classifier of Seven Card Comet: weights, card and training."""
