"""WHAT IS PLUGGED IN: one driver a file; hardware libraries are imported only when a device is opened."""
