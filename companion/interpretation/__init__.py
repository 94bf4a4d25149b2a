"""Interpretation: compares the cards that the camera sees with the session and proposes the move between them."""
