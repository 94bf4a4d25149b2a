"""Tournaments: who plays, who meets whom, who stands where, and the results as the tables bring them."""
