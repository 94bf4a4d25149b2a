"""Networks that find outlines of cards."""
