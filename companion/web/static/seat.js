// My seat: what I have, what I may owe, and my buttons, at the bottom of the screen where the thumb is.

import { actions } from "./actions.js";
import { h } from "./dom.js";
import { t } from "./words.js";

export function mySeat(state, game, me, possible, press) {
  if (!me.joined) return [];
  const doubt = (command) => game.doubt?.(command, state) ?? "";
  const buttons = [actions({ ...state, actions: possible }, press, me, doubt)].flat();
  const lay = layButton(state, game, me, press);
  if (!me.seat || !state.players[me.seat]) return [lay, ...buttons];
  return [have(state, game, me.seat), lay, ...buttons];
}

// What the seat shows besides its buttons: nothing else draws it anew, for somebody may be typing.
export function mySeatShows(state, game, me) {
  const words = layer(state, me) ? game.layWords?.(state) : "";
  if (!me.seat || !state.players[me.seat]) return [state.turn, state.is_over, words];
  const { main, pots } = game.seat(state, me.seat);
  return [state.turn, state.is_over, words, main, pots, game.owed?.(state, me.seat)];
}

function have(state, game, name) {
  const { main, pots } = game.seat(state, name);
  const numbers = [main, ...pots].filter(({ value }) => typeof value === "number");
  const owed = game.owed?.(state, name);
  return h("div", { class: "have" },
    h("dl", {}, ...numbers.map(({ label, value }) => h("div", {}, h("dt", {}, label), h("dd", {}, value)))),
    owed ? h("p", {}, owed) : null);
}

// Whether this phone may lay for whoever's turn it is.
export function layer(state, me) {
  const player = state.turn;
  if (!me.joined || state.is_over) return false;
  return !player || player === me.seat || !me.taken.includes(player) || me.operator;
}

function layButton(state, game, me, press) {
  if (!layer(state, me) || !game.layWords?.(state)) return null;
  return h("button", { id: "lay-by-hand", class: "plain small", "aria-pressed": String(press.isLaying()), onclick: press.layByHand },
    press.isLaying() ? t("lay-stop") : game.layWords(state));
}
