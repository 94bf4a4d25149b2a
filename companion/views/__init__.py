"""HOW IT IS TOLD: pure functions from the session to a page and from an event to a sentence."""
