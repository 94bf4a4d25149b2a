"""WHAT IS ALLOWED: the shared rules engine. Pure functions, standard library only."""
