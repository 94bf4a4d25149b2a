// Which drawing belongs to which game: the file of the game's own name, or the plain one while there is none.

import * as plain from "./games/plain.js";

const known = new Map();

async function load(name) {
  if (!/^[a-z][a-z0-9]*$/.test(name)) return plain;
  try {
    return { ...plain, ...(await import(`./games/${name}.js`)) };
  } catch {
    return plain;
  }
}

export function gameModule(name) {
  if (!known.has(name)) known.set(name, load(name));
  return known.get(name);
}
