// Entering a move by hand, for a table without a camera or a card that it cannot read: as the game's own page has it
// painted, picked or typed; what laying it would do stands beside the button before it counts.

import { fetchOptions, judge } from "./api.js";
import { closeDialog, openDialog } from "./dialog.js";
import { copied, h, spoken } from "./dom.js";
import { ruleButton } from "./rule.js";
import { t } from "./words.js";

// `command` is what to begin with: what the camera saw and somebody puts right.
export async function openLay(cell, { state, game, me, press, onLaid, command = null }) {
  const lay = async (wanted) => {
    const answer = await press.command(wanted, form.at(-1));
    if (answer && !answer.error) {
      closeDialog(form.at(-1));
      onLaid();
    }
    return answer;
  };
  const players = Object.keys(state.players).filter((name) => plays(name, me));
  let changed = state.changed;
  const form = await entering(cell, { state, game, players, lay, command, howTo: press.howTo });
  openDialog(command ? t("what-was-it") : heading(cell, state, game), form, (now) => {
    if (now.game !== state.game) return closeDialog(form.at(-1)); // its cards are not this game's
    if (now.changed === changed) return;
    changed = now.changed;
    form.judge();
  });
}

function heading(cell, state, game) {
  if (cell) return t("lays-here", { player: state.turn });
  return state.turn ? t("lays", { player: state.turn, words: game.layWords(state) }) : game.layWords(state);
}

function plays(name, me) {
  return name === me.seat || me.operator || !me.taken.includes(name);
}

/**
 * The form for one move: its elements, and `judge` that asks anew what laying it would do.
 * @param {number[] | null} cell where it goes, if that is known
 * @param {object} asked
 * @param {import("./contract.js").State} asked.state
 * @param {any} asked.game
 * @param {string[]} asked.players those whom this phone plays for
 * @param {(command: import("./contract.js").Command, event?: Event) => any} asked.lay
 * @param {(topic: string) => void} asked.howTo opens a rule
 * @param {number} [asked.at] the move in whose place it would stand
 * @param {import("./contract.js").Command | null} [asked.command] what to begin with
 */
export async function entering(cell, { state, game, players, lay, howTo, at = undefined, command = null }) {
  const entry = await game.entry();
  if (!players.length) return Object.assign([h("p", {}, t("seats-claimed"))], { judge: () => {} });
  const wanted = command && entry.takes(command) ? copied(command) : entry.blank(state, players, cell ?? command?.cell);
  const button = h("button", { id: "lay", class: "wide", onclick: (event) => pressed(event) });
  const place = Array.isArray(wanted.cell) ? h("div", { class: "cloth where", "aria-hidden": "true" }) : null;
  const drawPlace = (refusal) => place?.replaceChildren(...[game.drawTable({ ...state, last: null, proposal: { command: wanted, refusal } })].flat());
  const outcome = foretelling(at, game, howTo, drawPlace);
  const onChange = () => {
    const isComplete = entry.isComplete?.(wanted) ?? true;
    const withheld = isComplete && entry.withheld?.(wanted, state);
    button.disabled = !isComplete || Boolean(withheld);
    button.textContent = entry.layLabel?.(wanted) ?? t("lay");
    if (withheld) outcome.show({ refusal: { code: "duplicate-card", message: withheld } });
    else outcome.tell(isComplete ? wanted : null);
  };
  const pressed = async (event) => {
    const answer = await lay(wanted, event);
    if (answer?.error) outcome.show({ refusal: answer.error });
  };
  const asked = { state, players, onChange, judge: (commands) => judge(commands, at), options: (of) => fetchOptions(of, at).catch(() => ({ commands: [] })) };
  const controls = await entry.controls(wanted, asked);
  onChange();
  return Object.assign([...controls, place, outcome.element, button].filter(Boolean), { judge: onChange });
}

// What the rules say of a command that is not yet laid: the sentences of what it would do, or why not; `drawPlace` draws where.
function foretelling(at, game, howTo, drawPlace) {
  const element = h("div", { class: "foretold", "aria-live": "polite" });
  let asked = 0;
  const tell = async (command) => {
    const mine = ++asked;
    const [verdict] = command ? await judge([command], at).catch(() => []) : [];
    if (mine === asked) draw(verdict);
  };
  const show = (verdict) => {
    asked += 1; // what is still being asked comes too late
    draw(verdict);
  };
  const draw = (verdict) => {
    drawPlace(verdict?.refusal ?? null);
    element.className = verdict?.refusal ? "foretold refused" : "foretold";
    const rule = verdict?.refusal ? ruleButton(game, verdict.refusal, howTo) : null;
    element.replaceChildren(...lines(verdict).map((line) => h("p", {}, line)), rule ?? "");
  };
  return { element, tell, show };
}

function lines(verdict) {
  if (!verdict) return [];
  return verdict.refusal ? [spoken(verdict.refusal.message)] : verdict.said;
}
