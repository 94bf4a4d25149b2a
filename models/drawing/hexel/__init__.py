"""Drawn photographs of Hex'el."""
