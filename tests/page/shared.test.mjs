// What the shared scripts compute: hexagons' places, phrases with their fields.

import assert from "node:assert/strict";
import { test } from "node:test";

const WORDS = { page: { unreachable: "Nobody answers.", turn: "{player}’s turn", plainly: "Nothing to fill in" }, counting: { small: ["no", "one", "two"], card: ["card", "cards"] } };
globalThis.document = /** @type {any} */ ({ body: { dataset: { words: JSON.stringify(WORDS) } } });

const { counted, isolated, parts, t } = await import("/static/words.js");
const { sendPromptly } = await import("/static/api.js");
const { APOTHEM, centre, neighbour, SIDE, STEPS } = await import("/static/hexes.js");

test("six steps lead around and back, each a neighbour one card's width away", () => {
  const end = [0, 1, 2, 3, 4, 5].reduce((cell, d) => neighbour(cell, d), [3, -1]);
  assert.deepEqual(end, [3, -1]);
  for (const step of STEPS) assert.ok(Math.abs(Math.hypot(...centre(step)) - 2 * APOTHEM) < 1e-9);
});

test("east is to the right and directions go counter-clockwise", () => {
  assert.deepEqual(centre([1, 0]), [2 * APOTHEM, 0]);
  assert.equal(centre(neighbour([0, 0], 1))[1], -1.5 * SIDE);
});

test("phrases take their fields, elements too", () => {
  const bold = { element: "b" };
  assert.equal(t("turn", { player: "Ana" }), "Ana’s turn");
  assert.deepEqual(parts("turn", { player: bold }), [bold, "’s turn"]);
  assert.equal(t("plainly"), "Nothing to fill in");
});

test("a number after a name from right to left stays after it", () => {
  assert.equal(t("turn", { player: "\u0639\u0644\u06cc" }), "\u2068\u0639\u0644\u06cc\u2069’s turn");
  assert.equal(isolated(isolated("\u05d0\u05d1\u05d0")), "\u2068\u05d0\u05d1\u05d0\u2069");
  assert.equal(isolated("Ana"), "Ana");
});

test("small numbers are words, and one is singular", () => {
  assert.equal(counted(1, "card"), "one card");
  assert.equal(counted(2, "card"), "two cards");
  assert.equal(counted(7, "moth"), "7 moths");
});

test("what nobody answers is given up after a while, and said", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const silent = (_, { signal }) => new Promise((_, refuse) => { signal.onabort = () => refuse(signal.reason); });
  globalThis.fetch = /** @type {any} */ (silent);
  const asked = sendPromptly("/api/tournaments", {}, 500);
  context.mock.timers.tick(500);
  await assert.rejects(asked, { code: "offline", message: "Nobody answers." });
});
