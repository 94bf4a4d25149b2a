// What a Hex'el player is told of what may be owed.

import assert from "node:assert/strict";
import { test } from "node:test";

const PAGE = { "hexel-whole": "whole stakes of {stake}", "hexel-owing": "{most} at most to {player}, {cover}", "hexel-covered": "covered", "hexel-holds": "holds {amount}" };
globalThis.document = /** @type {any} */ ({ body: { dataset: { words: JSON.stringify({ page: PAGE, counting: { small: [] } }) } } });

const { owed } = await import("/games/hexel/game.js");

const players = { Ana: { hedge: 6, in: true }, Bo: { hedge: 3, in: true }, Cy: { hedge: 0, in: false } };
const at = (phase) => ({ phase, players, table: { stake: 3, mark: phase === "play" ? 2 : null, mark_by: phase === "play" ? "Ana" : null } });

test("whoever is in may owe the mark's player, whose own mark it is owes nobody", () => {
  assert.equal(owed(at("play"), "Bo"), "6 at most to Ana, holds 3");
  assert.equal(owed(at("play"), "Ana"), "");
  assert.equal(owed(at("hedge"), "Bo"), "whole stakes of 3");
});

test("whoever is out until the next game owes nothing and hedges nothing", () => {
  assert.equal(owed(at("play"), "Cy"), "");
  assert.equal(owed(at("hedge"), "Cy"), "");
});
