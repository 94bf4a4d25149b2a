"""Corners of cards, found again more exactly where a detector has found them."""
