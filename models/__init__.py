"""The trained networks, and everything that trains them; only the weights are part of the product."""
