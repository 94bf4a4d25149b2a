"""The networks of Hex'el."""
