"""Who may do what: joining, seats and their keys, the operator, and how often one may try."""
