"""WHAT IS ALLOWED: what the rules of all games share. Pure functions, standard library only."""
