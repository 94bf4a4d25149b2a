"""Recognition of Seven Card Comet: the game's configuration of the shared stages, and the stages of its own."""
