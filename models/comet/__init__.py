"""The networks of Seven Card Comet."""
