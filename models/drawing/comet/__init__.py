"""Drawn photographs of Seven Card Comet."""
