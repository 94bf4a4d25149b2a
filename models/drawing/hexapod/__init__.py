"""Drawn photographs of Hexapod."""
