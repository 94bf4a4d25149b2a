"""WHAT IS IN THE BROWSER: the scoreboard and the HTTP interface of the table."""
