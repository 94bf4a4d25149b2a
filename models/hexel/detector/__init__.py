"""Detector of Hex'el: weights, card and training."""
