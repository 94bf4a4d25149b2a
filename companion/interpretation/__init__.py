"""WHAT IT MEANS: what the camera sees, laid beside what the session says lies there."""
