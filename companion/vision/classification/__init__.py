"""Naming what a crop shows: what the games' classifiers share."""
