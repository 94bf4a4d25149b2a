// Tiles whichever way they lie.

import assert from "node:assert/strict";
import { test } from "node:test";

const WORDS = { page: { "kind-body": "body", "hexdragon-paths": "paths {paths}", "hexdragon-star": "Star" }, counting: { small: [], tail: ["tail", "tails"] } };
globalThis.document = /** @type {any} */ ({ body: { dataset: { words: JSON.stringify(WORDS) } } });

const { canonical, grouped, words } = await import("/games/hexdragon/turnings.js");

const tile = (paths, tails = [], head = null) => ({ cmd: "place", player: "Ana", tile: { kind: "body", paths, tails, head } });

test("all six turnings of a tile are one tile", () => {
  const all = [0, 1, 2, 3, 4, 5].map((k) => tile([[k % 6, (k + 1) % 6]], [(k + 3) % 6]));
  assert.equal(new Set(all.map(canonical)).size, 1);
});

test("a path is the same whichever end is named first", () => {
  assert.equal(canonical(tile([[0, 2]])), canonical(tile([[2, 0]])));
});

test("a bend and a straight path are two tiles", () => {
  assert.equal(grouped([tile([[0, 1]]), tile([[0, 3]]), tile([[1, 4]])]).length, 2);
});

test("a tile is told in words", () => {
  assert.equal(words(tile([[0, 3]], [1, 2])), "body, 2 tails, paths 0-3");
  assert.equal(words({ cmd: "star" }), "Star");
});
