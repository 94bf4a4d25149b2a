"""Lanterns, a game made up for a test: lay a lantern of another colour than the one before and take a point."""
