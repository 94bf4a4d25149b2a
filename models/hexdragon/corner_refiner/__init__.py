"""Corner refiner of HexDragon: weights, card and training."""
