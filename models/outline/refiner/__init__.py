"""Outline refiner: where a card ends, along its sides."""
