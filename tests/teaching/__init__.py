"""Pictures of teaching layouts, and what is taught with them."""
