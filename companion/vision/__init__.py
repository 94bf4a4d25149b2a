"""WHAT IS SEEN: pure functions on arrays, from a picture to a reading and from readings to settled changes."""
