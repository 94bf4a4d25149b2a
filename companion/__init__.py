"""A table referee: cards seen by a camera, judged by one rules engine, told on every phone.

The house, one line per room (data flows from the top to the bottom):

    errors      what can go wrong, one tree
    config      the table's settings, from companion.toml
    config_reading  settings from TOML, every problem with its line, and as commented text
    rules       WHAT IS ALLOWED      the games as pure functions over frozen state
    decks       WHAT IS PRINTED      faces as data, and each face as shapes in millimetres
    vision      WHAT IS SEEN         pictures to readings, readings over time to settled changes
    meaning     WHAT IT MEANS        what is seen beside what the session says: proposals and notices
    watching    the vision thread    frames in, proposals out to the referee
    reviewing   the second look      stored pictures read again with today's recogniser and rules
    referee     WHAT HAS HAPPENED    one thread decides, writes the journal, and tells
    views       HOW IT IS TOLD       the session as a page's data, an event as a sentence
    devices     WHAT IS PLUGGED IN   cameras, buttons, lamps: one driver a file
    simulator   A TABLE THAT PLAYS ITSELF   drawn photographs, hands, scripted players
    web         WHAT IS IN THE BROWSER      the scoreboard and its HTTP interface
    invitation  the table's address, its codes, and the picture that a phone's camera reads
    doctor      WHAT IS WRONG        the machine looked at, and what to do about each finding
    calibrating where the camera stands over a table, from marks, cards or four taps
    surveying   calibrating a running table on the page
    announcing  what the table says aloud
    switching   whether the camera is switched on, also after a restart
    choosing    what the settings ask for: game, panel, camera
    table       a running table: its parts in one hand
    welcoming   what people are told when a table starts
    supervising what the process owes the system: signs of life, a stop at a signal, an end at a bug
    bootstrap   the only module that knows every other
    demo        a whole table in one process, played by scripted people before a filmed table
    cli         one thin function per command
"""

__version__ = "0.1.0"
