"""Recognition of Hexapod: the game's configuration of the shared stages, and the stages of its own."""
