"""A table referee: cards seen by a camera, judged by one rules engine, told on every phone.

The house, one line per room (data flows from the top to the bottom):

    errors          what can go wrong, one tree
    config          the table's settings, from companion.toml
    config_reading  settings from TOML, every problem with its line, and as commented text
    rules           WHAT IS ALLOWED      what the rules of all games share: engine, records, hex grid, chips
    games           THE GAMES            the registry, and one package a game: rules, deck, recognition, demo, page
    printing        WHAT IS PRINTED      shapes in millimetres, sheets and PDF files
    vision          WHAT IS SEEN         stages of recognition, whatever the game: pictures to readings, over time
    interpretation  WHAT IT MEANS        what is seen beside what the session says: proposals and notices
    referee         WHAT HAS HAPPENED    one thread decides, writes the journal, and publishes
    views           HOW IT IS SHOWN      the session as a page's data, an event as a sentence
    devices         WHAT IS PLUGGED IN   cameras, buttons, lamps: one driver a file
    simulator       A TABLE THAT PLAYS ITSELF   filmed tabletops, hands, scripted players
    web             WHAT IS IN THE BROWSER      the scoreboard and its HTTP interface
    doctor          WHAT IS WRONG        checks of the machine, and what to do about each finding
    app             A TABLE PUT TOGETHER the parts of a running table, and what starts, watches and ends them
    cli             the command line, a file a command
"""

__version__ = "0.1.0"
