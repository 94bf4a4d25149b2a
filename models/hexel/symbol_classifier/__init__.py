"""Symbol classifier of Hex'el: weights, card and training."""
