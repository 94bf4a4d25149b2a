"""Corner refiner of Hex'el: weights, card and training."""
