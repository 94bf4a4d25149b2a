"""A TABLE PUT TOGETHER: the parts of a running table, and what starts, watches and ends them."""
