"""Games that were played: their pages, charts, statistics and exports."""
