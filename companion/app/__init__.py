"""Composition: builds a running table from its parts, starts them, supervises them and stops them."""
