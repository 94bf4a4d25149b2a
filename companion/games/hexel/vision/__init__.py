"""Recognition of Hex'el: the game's configuration of the shared stages, and the stages of its own."""
