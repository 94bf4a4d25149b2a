"""The networks of Hexapod."""
