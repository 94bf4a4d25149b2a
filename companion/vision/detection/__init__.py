"""Finding cards on a picture: the heatmap detector and the refinement of corners."""
