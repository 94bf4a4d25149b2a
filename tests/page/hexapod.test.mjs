// How a Hexapod case counts, as the page tells it to whoever recounts.

import assert from "node:assert/strict";
import { test } from "node:test";

const PAGE = { "hexapod-in-rows": "rows {points}", "hexapod-in-columns": "columns {points}", "hexapod-couple": "1 for each couple", "hexapod-couples": "{couples} for couples, {neighbours} for neighbours", "hexapod-coin-each": "2 for each left" };
globalThis.document = /** @type {any} */ ({ body: { dataset: { words: JSON.stringify({ page: PAGE, counting: { small: [] } }) } } });

const { reckoning } = await import("/games/hexapod/score.js");

const CASE = [
  ["blue", "blue", "green"],
  ["blue", "leaf", "leaf"],
  ["gold", "leaf", "leaf"],
];

test("a kind's rows and columns are told apart", () => {
  assert.equal(reckoning("blue", 4, CASE), "rows 2, columns 2");
  assert.equal(reckoning("blue", 0, [["blue", null], [null, "blue"]]), "");
});

test("a longer run counts each of its insects by the kind's worth", () => {
  assert.equal(reckoning("gold", 9, [["gold", "gold", "gold"]]), "rows 9");
  assert.equal(reckoning("green", 4, [["green"], ["green"]]), "columns 4");
});

test("leaf beetles tell their couples and their neighbours, diagonals included", () => {
  assert.equal(reckoning("leaf", 14, CASE), "2 for couples, 12 for neighbours");
  assert.equal(reckoning("leaf", 1, [["leaf", null, "leaf"]]), "1 for each couple");
});

test("stags and moths tell how many there are", () => {
  assert.equal(reckoning("stag", 15, CASE), "3 × 5");
});
