"""Pictures drawn to train networks with; not shipped."""
