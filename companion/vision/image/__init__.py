"""Pictures at several scales, and rectified crops of them."""
