"""Lanterns on the simulated table."""
