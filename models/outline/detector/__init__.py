"""Outline detector: cards and tiles of a shape, whatever is printed on them."""
