"""Outline judge: whether a refined candidate is a card."""
