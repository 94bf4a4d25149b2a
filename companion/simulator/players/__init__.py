"""One file a game: people who play it sensibly, dealt from a seed."""
