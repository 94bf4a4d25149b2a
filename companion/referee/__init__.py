"""WHAT HAS HAPPENED: one thread decides, writes the journal, lets it happen, and tells."""
