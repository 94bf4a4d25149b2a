"""Trains the reader of single numbers of a taught Comet printing."""
