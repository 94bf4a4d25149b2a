"""HexDragon: rules, deck, recognition, interpretation and demo of one game."""
