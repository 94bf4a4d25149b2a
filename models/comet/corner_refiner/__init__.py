"""Corner refiner of Seven Card Comet: weights, card and training."""
