"""Seven Card Comet on the simulated table: what lies there, and scripted players."""
