// Entering a move by hand, for a table without a camera or a card that it cannot read: paint the card, pick a tile and
// turn it, or what the game's own entry asks.

import { fetchOptions, judge } from "./api.js";
import { h } from "./dom.js";
import { paint } from "./paint.js";
import { t } from "./words.js";

const dialog = document.getElementById("sheet");
const turned = (d, k) => (d + k) % 6;

// `command` is what to begin with: what the camera saw and somebody puts right.
export async function openLay(cell, { state, game, me, press, onLaid, command = null }) {
  const note = h("p", { class: "soft", role: "status" });
  const lay = async (wanted) => {
    const answer = await press.command(wanted);
    if (answer?.error) note.textContent = answer.error.message;
    else if (answer) {
      dialog.close();
      onLaid();
    }
  };
  const players = Object.keys(state.players).filter((name) => plays(name, me));
  const body = await entering(cell, { state, game, players, lay, command });
  dialog.replaceChildren(
    h("div", { class: "row head" }, h("h2", { id: "sheet-title" }, command ? t("what-was-it") : heading(cell, state, game)),
      h("button", { class: "plain small", id: "sheet-close", onclick: () => dialog.close() }, t("close"))),
    ...body, note);
  if (!dialog.open) dialog.showModal();
}

function heading(cell, state, game) {
  if (cell) return t("lays-here", { player: state.turn });
  if (!game.entry) return t("first-cards");
  return state.turn ? t("lays", { player: state.turn, words: game.layWords(state) }) : game.layWords(state);
}

function plays(name, me) {
  return name === me.seat || me.operator || !me.taken.includes(name);
}

// The form for one move; `players` are those whom this phone plays for, `at` the move in whose place it would stand.
export async function entering(cell, { state, game, players, lay, at, command = null }) {
  const entry = await game.entry?.();
  if (entry && !command) return typing(entry, entry.blank(state, players), { state, players, lay, at });
  if (entry?.takes(command)) return typing(entry, structuredClone(command), { state, players, lay, at });
  if (command?.edges || command?.cards) return painting(structuredClone(command), { game, state, lay });
  if (game.blank) return painting(game.blank(state, cell), { game, state, lay });
  return choosing(cell ?? command.cell, { game, state, lay, at });
}

// A game's own way of entering.
function typing({ controls }, command, { state, players, lay, at }) {
  if (!players.length) return [h("p", {}, t("seats-claimed"))];
  return [...controls(command, { state, players, judge: (commands) => judge(commands, at) }),
    h("button", { id: "lay", class: "wide", onclick: () => lay(command) }, t("lay"))].filter(Boolean);
}

function painting(command, { game, state, lay }) {
  return [paint(command, game, state),
    h("button", { id: "lay", class: "wide", onclick: () => lay(command) }, command.cards ? t("lay-them") : t("lay"))];
}

// What the rules allow in a cell, one picture for all turnings of a tile; tapping it again turns it.
async function choosing(cell, { game, state, lay, at: number }) {
  const { commands } = await fetchOptions(cell, number).catch(() => ({ commands: [] }));
  if (!commands.length) return [h("p", {}, t("nothing-here"))];
  const chosen = h("div", { class: "chosen" });
  let turning = [];
  let at = 0;
  const show = () => {
    const command = turning[at];
    chosen.replaceChildren(game.preview(command, state) ?? "",
      h("div", { class: "row wrap" },
        turning.length > 1 ? h("button", { id: "turn-tile", class: "plain", onclick: () => { at = (at + 1) % turning.length; show(); } }, t("turn-tile", { n: at + 1, all: turning.length })) : null,
        h("button", { id: "lay", onclick: () => lay(command) }, command.cmd === "star" ? t("star-here") : t("lay-so"))));
  };
  const choices = [...grouped(commands).values()].map((same, n) =>
    h("li", {}, h("button", { id: `tile-${n}`, class: "plain suggestion", "aria-label": words(same[0]), onclick: () => { turning = same; at = 0; show(); } },
      game.preview(same[0], state) ?? null)));
  return [h("ul", { class: "suggestions tiles" }, ...choices), chosen];
}

function grouped(commands) {
  const kinds = new Map();
  for (const command of commands) kinds.set(canonical(command), [...(kinds.get(canonical(command)) ?? []), command]);
  return kinds;
}

// A tile whichever way it lies: of its six turnings the first in the alphabet.
function canonical({ cmd, player, tile }) {
  if (!tile) return `${cmd} ${player}`;
  const { kind, head = null, tails = [], paths = [] } = tile;
  const faces = [0, 1, 2, 3, 4, 5].map((k) => JSON.stringify([
    head === null ? null : turned(head, k),
    tails.map((d) => turned(d, k)).sort(),
    paths.map((path) => path.map((d) => turned(d, k)).sort().join("")).sort(),
  ]));
  return `${player} ${kind} ${faces.sort()[0]}`;
}

function words({ cmd, tile }) {
  if (!tile) return cmd;
  const parts = [tile.kind, tile.tails?.length ? `${tile.tails.length} tails` : "", tile.paths?.length ? `paths ${tile.paths.map((path) => path.join("-")).join(", ")}` : ""];
  return parts.filter(Boolean).join(", ");
}
