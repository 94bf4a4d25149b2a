"""A TABLE THAT PLAYS ITSELF: drawn photographs, hands that lay cards, scripted players."""
