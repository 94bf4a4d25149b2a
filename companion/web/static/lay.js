// Entering a move by hand, for a table without a camera or a card that it cannot read: as the game's own page has it
// painted, picked or typed; what laying it would do stands beside the button before it counts.

import { fetchOptions, judge } from "./api.js";
import { find, h, spoken } from "./dom.js";
import { t } from "./words.js";

const dialog = find("sheet");

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
  return state.turn ? t("lays", { player: state.turn, words: game.layWords(state) }) : game.layWords(state);
}

function plays(name, me) {
  return name === me.seat || me.operator || !me.taken.includes(name);
}

/**
 * The form for one move.
 * @param {number[] | null} cell where it goes, if that is known
 * @param {object} asked
 * @param {import("./contract.js").State} asked.state
 * @param {any} asked.game
 * @param {string[]} asked.players those whom this phone plays for
 * @param {(command: import("./contract.js").Command) => void} asked.lay
 * @param {number} [asked.at] the move in whose place it would stand
 * @param {import("./contract.js").Command | null} [asked.command] what to begin with
 */
export async function entering(cell, { state, game, players, lay, at = undefined, command = null }) {
  const entry = await game.entry();
  if (!players.length) return [h("p", {}, t("seats-claimed"))];
  const wanted = command && entry.takes(command) ? structuredClone(command) : entry.blank(state, players, cell ?? command?.cell);
  const button = h("button", { id: "lay", class: "wide", onclick: () => lay(wanted) });
  const outcome = foretelling(at);
  const onChange = () => {
    const isComplete = entry.isComplete?.(wanted) ?? true;
    button.hidden = !isComplete;
    button.textContent = entry.layLabel?.(wanted) ?? t("lay");
    outcome.tell(isComplete ? wanted : null);
  };
  const asked = { state, players, onChange, judge: (commands) => judge(commands, at), options: (of) => fetchOptions(of, at).catch(() => ({ commands: [] })) };
  const controls = await entry.controls(wanted, asked);
  onChange();
  return [...controls.filter(Boolean), outcome.element, button];
}

// What the rules say of a command that is not yet laid: the sentences of what it would do, or why not.
function foretelling(at) {
  const element = h("div", { class: "foretold", "aria-live": "polite" });
  let asked = 0;
  const tell = async (command) => {
    const mine = ++asked;
    const [verdict] = command ? await judge([command], at).catch(() => []) : [];
    if (mine !== asked) return;
    element.className = verdict?.refusal ? "foretold refused" : "foretold";
    element.replaceChildren(...lines(verdict).map((line) => h("p", {}, line)));
  };
  return { element, tell };
}

function lines(verdict) {
  if (!verdict) return [];
  return verdict.refusal ? [spoken(verdict.refusal.message)] : verdict.said;
}
