// Which drawing belongs to which game: that of the game's own page, or the plain one where it has none.

import * as plain from "./plain.js";

/** @typedef {import("./contract.js").GamePage} GamePage */

/** @type {string[]} the games that have a page of their own */
const PAGES = JSON.parse(document.body.dataset.games ?? "[]");
/** in addresses that a browser may keep: "?v=0123456789" */
const VERSION = new URL(import.meta.url).search;
/** @type {Map<string, Promise<GamePage>>} */
const known = new Map();

/** @param {string} name @returns {Promise<GamePage>} */
async function load(name) {
  if (!PAGES.includes(name)) return plain;
  return { ...plain, ...(await import(`/games/${name}/game.js`)) };
}

/**
 * A game's page, loaded once; one that did not arrive is asked for again the next time.
 * @param {string} name @returns {Promise<GamePage>}
 */
export function gameModule(name) {
  const page = known.get(name) ?? load(name);
  known.set(name, page);
  page.catch(() => known.delete(name));
  return page;
}

/**
 * The page in a game's own style: resolves when it can be drawn.
 * @param {string} name
 */
export async function wear(name) {
  const worn = document.getElementById("game-style");
  const address = PAGES.includes(name) ? `/games/${name}/style.css${VERSION}` : null;
  if (!address || worn?.getAttribute("href") === address) return;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: address });
  const isLoaded = new Promise((done) => {
    link.onload = link.onerror = done;
  });
  document.head.append(link);
  await isLoaded;
  worn?.remove();
  link.id = "game-style";
}
