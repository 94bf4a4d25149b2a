// What a game's page keeps to, for the type checker and for whoever writes one: `game.js` in the game's page folder is a
// `GamePage`; what it leaves out is as in `plain.js`. `style.css` and `words.toml` lie beside it.

/**
 * The table as `/api/state` gives it; `players` and `table` are the game's own.
 * @typedef {object} State
 * @property {number} version
 * @property {string} game
 * @property {string} phase
 * @property {string | null} turn
 * @property {Record<string, any>} players
 * @property {any} table
 * @property {any} result
 * @property {any} proposal
 * @property {any} header
 * @property {any} last
 * @property {any} call
 * @property {string[]} said
 * @property {string[]} why
 * @property {any[]} notices
 * @property {any[]} history
 * @property {any[]} amendments
 * @property {any[]} actions
 * @property {number} changed
 * @property {boolean} can_undo
 * @property {boolean} can_redo
 * @property {boolean} is_over
 * @property {any} finale the ranking of a game that is over
 */

/** @typedef {Record<string, any>} Command a command as it stands in a record */

/**
 * A player's place on the scoreboard.
 * @typedef {object} Seat
 * @property {{label: string, value: string | number}} main
 * @property {{label: string, value: string | number}[]} pots
 * @property {number | null} [hand] cards in hand, where the game shows them
 * @property {boolean} [isOut]
 * @property {boolean} [isDealer]
 * @property {Node | null} [extra]
 */

/**
 * What the controls of an entry work with.
 * @typedef {object} Asked
 * @property {State} state
 * @property {string[]} players those whom this phone plays for
 * @property {(commands: Command[]) => Promise<any[]>} judge what the rules would say of each
 * @property {(cell: number[]) => Promise<{commands: Command[]}>} options what the rules list in a cell
 * @property {() => void} [onChange] called after each change of the command
 */

/**
 * Entering a move by hand: `entry.js` of a game's page.
 * @typedef {object} Entry
 * @property {(command: Command) => boolean} takes whether a command is entered here
 * @property {(state: State, players: string[], cell?: number[]) => Command} blank what to begin with
 * @property {(command: Command, asked: Asked) => Node[] | Promise<Node[]>} controls change the command in place
 * @property {(state: State) => boolean} [takesCell] whether a free cell of the table is tapped first
 * @property {boolean} [isListed] whether commands are picked from what the rules list
 * @property {(command: Command) => boolean} [isComplete] whether it can be laid; true where it is left out
 * @property {(command: Command, state: State) => string} [withheld] why a complete command is not offered; empty where it is
 * @property {(command: Command) => string} [layLabel] the words of the button
 */

/**
 * A game's page.
 * @typedef {object} GamePage
 * @property {string | null} title
 * @property {string} [icon] the address of its picture
 * @property {string} [about] the game in one sentence
 * @property {Record<string, string[]>} [refusals] the codes of refusals by the topic of how to play that explains them
 * @property {Record<string, string>} [quantities] what a player's numbers and a command's are called
 * @property {string[]} [colours] those that players may have, where the game has colours
 * @property {{name: string, label: string, value: any, choices?: [string, string][]}[]} [options] house rules, as the header takes them; a value may depend on how many play
 * @property {(state: State, isLaying?: boolean) => Node | Node[]} drawTable
 * @property {(state: State) => string} roundWords
 * @property {(state: State) => {label: string, value: string | number, note?: string}[]} tableFacts
 * @property {(state: State, name: string) => Seat} seat
 * @property {(state: State) => string} prompt what is to be done now
 * @property {() => Promise<Entry>} [entry] there where `layWords` is
 * @property {(state: State) => string} [layWords] the words of the button that enters a move; empty where there is none
 * @property {(state: State, name: string) => string} [owed] what a player may owe
 * @property {(command: Command, state: State) => string} [doubt] what to ask before a command that the rules allow and that is hardly meant; empty where it is sent at once
 * @property {(state: State) => any[]} [scene] the steps of a great moment, by the last move
 * @property {(command: Command, state: State) => Node | null} [preview] a command's card as a picture
 */

export {};
