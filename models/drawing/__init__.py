"""Photographs drawn to train and to measure recognition; never part of the product."""
