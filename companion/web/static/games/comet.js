// Seven Card Comet in the browser: the six pots and the Tail, who has laid against them, chips and hands.

import { counted, h } from "../dom.js";

export const title = "Seven Card Comet";

export const entry = () => import("../entry/comet.js");

export const shown = (value) => (value === 14 ? "A" : String(value));

function set({ player, cards }, isOpen) {
  const faces = cards.map((card) =>
    h("span", { class: isOpen ? "triple" : "triple down" }, isOpen ? card.map(shown).join(" ") : ""));
  const words = `${player}: ${counted(cards.length, "card")}`;
  return h("li", { class: "laid" }, h("span", { class: "by" }, player), h("span", { class: "faces", role: "img", "aria-label": words }, ...faces));
}

function pot(name, chips, sets, winners, isWaiting) {
  const classes = ["comet-pot", name === "tail" && "is-tail", isWaiting && "is-waiting"].filter(Boolean).join(" ");
  return h("li", { class: classes },
    h("span", { class: "pot-name" }, name === "tail" ? "The Tail" : name),
    h("b", {}, chips),
    h("ul", {}, ...sets.map((laid) => set(laid, false))),
    winners.length ? h("p", { class: "won" }, winners.map(({ players, amount }) => `${players.join(", ")} +${amount}`).join(" · ")) : null);
}

export function drawTable(state) {
  const events = state.last?.events ?? [];
  const waiting = state.proposal?.command;
  const pots = Object.entries(state.table.pots).map(([name, chips]) => {
    const sets = state.table.sets.filter((laid) => laid.pot === name);
    const won = events.filter((event) => event.event === "won" && event.pot === name);
    return pot(name, chips, sets, won, waiting?.cmd === "set" && waiting.pot === name);
  });
  const scored = events.filter((event) => event.event === "scored");
  return h("div", { class: "comet" }, h("ul", { class: "comet-pots" }, ...pots), scored.length ? scores(scored) : null);
}

function scores(scored) {
  const rows = scored.map(({ pot: name, player, cards, score }) =>
    h("li", {}, h("span", {}, `${player}, ${name === "tail" ? "the Tail" : name}`),
      h("span", { class: "faces" }, ...cards.map((card) => h("span", { class: "triple" }, card.map(shown).join(" ")))),
      h("b", {}, score)));
  return h("ul", { class: "comet-scores" }, ...rows);
}

export function layWords({ phase }) {
  return phase === "lay" ? "Enter a set" : "";
}

// The cards of one set, face up.
export function preview({ cards }) {
  if (!Array.isArray(cards)) return null;
  return h("span", { class: "faces" }, ...cards.map((card) => h("span", { class: "triple" }, card.map(shown).join(" "))));
}

export function roundWords({ table }) {
  return [table.round ? `Round ${table.round}` : "New game", table.tail ? "the Tail" : ""].filter(Boolean).join(" · ");
}

export function tableFacts({ table }) {
  const total = Object.values(table.pots).reduce((a, b) => a + b, 0);
  return table.phase === "over" ? [] : [{ label: "In the pots", value: total }, { label: "Deals", value: table.dealer }];
}

export function seat(state, name) {
  const { chips, hand, reserved, in: isIn, won } = state.players[name];
  const pots = [{ label: "Won", value: won }];
  if (reserved) pots.push({ label: "Put aside", value: reserved });
  if (state.phase === "lay") pots.push({ label: "In hand", value: hand });
  return { main: { label: "chips", value: chips }, pots, hand: null, isOut: !isIn, isDealer: state.table.dealer === name };
}

export function prompt(state) {
  if (state.phase === "between") return `${state.table.dealer} deals the next round.`;
  if (state.phase === "lay") return "Lay sets against the pots, then turn them up.";
  return "";
}
