"""Homographies, pose codes and the table's plane."""
