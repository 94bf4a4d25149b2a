"""A hall of tables over MQTT 5: what a table publishes, what the hub keeps, shows and answers.

At the table: `outbox` reads the journals, `snapshot` sums the table up, `publisher` sends both, `answers` does what the
hub asks. In the hall: `store` keeps the events once, `consumer` fills it, `hall` knows every table, `pages` show it,
`tournaments` pair the players, `league` sends the games on. `messages` is what both sides agree on, `link` the
connection, `broker` a Mosquitto of one's own, `setup` what a hall needs before its first evening.
"""
