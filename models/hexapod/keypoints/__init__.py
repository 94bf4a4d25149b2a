"""Keypoints of Hexapod: weights, card and training."""
