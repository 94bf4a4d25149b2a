"""The referee: one thread decides, writes the journal, evolves the session and publishes."""
