"""The hub's pages: the hall display, the referee's desk, the tournaments, and their server."""
