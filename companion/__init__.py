"""A table referee: a camera recognises the cards, one rules engine judges the moves, every phone shows them.

The rooms, in the order in which data flows:

    errors          every error the program raises, in one tree
    config          the table's settings, from companion.toml
    config_reading  reads settings from TOML with the line of every problem, and writes them as commented text
    rules           what the rules of all games share: engine, records, hex grid, chips; standard library only
    games           the registry, and one package a game: rules, deck, recognition, demo, page
    printing        shapes in millimetres, sheets and PDF files
    vision          stages of recognition, for any game: pictures to readings, and readings over time
    interpretation  compares what is seen with the session: proposals and notices
    referee         one thread decides, writes the journal and publishes
    views           the session as a page's data, an event as a sentence
    devices         cameras, buttons, lamps: one driver a file
    simulator       the demo's simulated tables, hands and scripted players
    web             the scoreboard and its HTTP interface
    doctor          checks of the machine, each with a remedy
    app             builds a running table from its parts, supervises and stops it
    cli             the command line, a file a command
"""

__version__ = "0.1.0"
