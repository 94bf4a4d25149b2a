"""Following a table over time: changes, regions, tracks and events."""
