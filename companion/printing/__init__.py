"""WHAT IS PRINTED: face lists as data, and every face drawn once, as shapes in millimetres."""
