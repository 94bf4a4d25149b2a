// Seven Card Comet in the browser: the six pots and the Tail, who has laid against them, chips and hands.

import { counted, h } from "/static/dom.js";
import { isolated, t } from "/static/words.js";

export const title = t("comet");

export const about = t("comet-about");

// Which topic of how to play a refusal comes from.
export const refusals = {
  set: ["bad-set", "bad-card", "hand-exceeded", "already-laid", "duplicate-card"],
  pots: ["unknown-pot"],
  tail: ["pot-closed"],
  reserve: ["already-reserved"],
  ante: ["cannot-pay", "out-of-game"],
  dealing: ["not-dealer", "wrong-phase"],
};

// What a player's numbers and a command's are called.
export const quantities = { chips: t("chips"), hand: t("in-hand"), reserved: t("comet-aside"), won: t("comet-won") };

export const icon = "/games/comet/icon.svg";

export const options = [
  { name: "chips", label: t("comet-chips-each"), value: 2000 },
  { name: "pot_share", label: t("comet-pot-share"), value: 25 },
  { name: "tail_share", label: t("comet-tail-share"), value: 150 },
  { name: "ante_every", label: t("comet-ante-every"), value: "cycle", choices: [["cycle", t("comet-every-cycle")], ["round", t("comet-every-round")]] },
];

export const entry = () => import("./entry.js");

export const shown = (value) => (value === 14 ? "A" : String(value));

function set({ player, cards }, isOpen) {
  const faces = cards.map((card) =>
    h("span", { class: isOpen ? "triple" : "triple down" }, isOpen ? card.map(shown).join(" ") : ""));
  const words = isOpen ? `${player}: ${cards.map((card) => card.map(shown).join(" ")).join(", ")}` : `${player}: ${counted(cards.length, "card")}`;
  return h("li", { class: "laid" }, h("span", { class: "by", dir: "auto" }, player), h("span", { class: "faces", role: "img", "aria-label": words }, ...faces));
}

// Whether a set lies face up: the camera has read its cards. One that was entered by hand lies as its player laid it.
// Against the Tail a player lays several.
function isSeen({ history }, { player, pot, cards }) {
  const isMine = ({ command }) => command.cmd === "set" && command.player === player && command.pot === pot && String(command.cards) === String(cards);
  return Boolean([...history].reverse().find(isMine)?.picture);
}

const named = (pot) => (pot === "tail" ? t("tail") : pot);

function pot(name, chips, sets, winners, waiting) {
  const classes = ["comet-pot", name === "tail" && "is-tail", waiting && "is-waiting"].filter(Boolean).join(" ");
  return h("li", { class: classes },
    h("span", { class: "pot-name" }, named(name)),
    h("b", {}, chips),
    h("ul", {}, ...sets.map((laid) => set(laid, laid.isSeen)), waiting ? set(waiting, true) : null),
    ...winners.map((won) => h("p", { class: "won" }, winning(won))));
}

function winning({ players, amount }) {
  if (players.length > 1) return t("comet-share", { players: players.map(isolated).join(", "), amount });
  return [h("span", { class: "taker", dir: "auto" }, players[0]), h("span", {}, `+${amount}`)];
}

export function drawTable(state) {
  const events = state.last?.events ?? [];
  const waiting = state.proposal?.command;
  const pots = inOrder(state.table).map(([name, chips]) => {
    const sets = state.table.sets.filter((laid) => laid.pot === name).map((laid) => ({ ...laid, isSeen: isSeen(state, laid) }));
    const won = events.filter((event) => event.event === "won" && event.pot === name);
    return pot(name, chips, sets, won, waiting?.cmd === "set" && waiting.pot === name ? waiting : null);
  });
  const scored = events.filter((event) => event.event === "scored");
  const table = h("div", { class: "comet" }, h("ul", { class: "comet-pots" }, ...pots), scored.length ? reveal(scored, events) : null);
  new ResizeObserver(() => fit(table)).observe(table);
  return table;
}

// In a round of the Tail it is played for alone: it stands first, seen without scrolling.
function inOrder({ pots, tail }) {
  const all = Object.entries(pots);
  return tail ? all.sort(([a], [b]) => Number(b === "tail") - Number(a === "tail")) : all;
}

// A screen that never scrolls leaves out of a long reveal what does not fit: the lines that score, then the cards.
function fit(table) {
  table.classList.remove("is-long", "is-longer");
  for (const size of ["is-long", "is-longer"]) if (table.scrollHeight > table.clientHeight) table.classList.add(size);
}

// The reveal, pot by pot: every set with all its score lines, who takes the pot, and the hands that grow of it.
function reveal(scored, events) {
  const pots = [...new Set(scored.map((event) => event.pot))];
  const hands = events.find((event) => event.event === "hands")?.hands ?? {};
  const sizes = Object.entries(hands).map(([name, size]) => `${isolated(name)} ${size}`).join(", ");
  return h("div", { class: "reveal" }, ...pots.map((name) => {
    const won = events.find((event) => event.event === "won" && event.pot === name);
    return h("section", {}, h("h3", {}, named(name), won ? h("span", { class: "won" }, winning(won)) : h("span", { class: "soft" }, t("comet-stays"))),
      ...scored.filter((event) => event.pot === name).map(reckoned));
  }), sizes ? h("p", { class: "soft" }, t("comet-hands", { hands: sizes })) : null);
}

function reckoned({ player, cards, lines, score }) {
  const counts = new Map();
  for (const line of lines) counts.set(line.join(), { line, times: (counts.get(line.join())?.times ?? 0) + 1 });
  const worded = [...counts.values()].map(({ line, times }) =>
    h("li", {}, `${line.map((value) => (value === 1 ? "A" : shown(value))).join("-")}`, h("span", {}, times > 1 ? `${times} × ${total(line)}` : total(line))));
  return h("div", { class: "reckoned" },
    h("p", {}, h("b", {}, player), h("span", { class: "faces" }, ...cards.map((card) => h("span", { class: "triple" }, card.map(shown).join(" ")))), h("b", { class: "sum" }, score)),
    lines.length ? h("ul", { class: "score-lines" }, ...worded) : h("p", { class: "soft" }, t("comet-no-line")));
}

const total = (line) => line.reduce((a, b) => a + b, 0);

export function layWords({ phase }) {
  return phase === "lay" ? t("comet-enter") : "";
}

// The cards of one set, face up.
export function preview({ cards }) {
  if (!Array.isArray(cards)) return null;
  return h("span", { class: "faces" }, ...cards.map((card) => h("span", { class: "triple" }, card.map(shown).join(" "))));
}

export function roundWords({ table }) {
  return [table.round ? t("round", { n: table.round }) : t("new-game"), table.tail ? t("tail") : ""].filter(Boolean).join(" · ");
}

export function tableFacts({ table }) {
  const total = Object.values(table.pots).reduce((a, b) => a + b, 0);
  return table.phase === "over" ? [] : [{ label: t("comet-pots"), value: total }, { label: t("comet-deals"), value: table.dealer }];
}

export function seat(state, name) {
  const { chips, hand, reserved, in: isIn, won } = state.players[name];
  const pots = [{ label: t("comet-won"), value: won }];
  if (reserved) pots.push({ label: t("comet-aside"), value: reserved });
  if (state.phase === "lay") pots.push({ label: t("in-hand"), value: hand });
  return { main: { label: t("chips"), value: chips }, pots, hand: null, isOut: !isIn, isDealer: state.table.dealer === name };
}

export function prompt(state) {
  if (state.phase === "between") return t("comet-between", { player: state.table.dealer });
  if (state.phase === "lay") return t("comet-lay");
  return "";
}

// The turning up, pot by pot: the sets against it, then who takes it.
export function scene({ last }) {
  const events = last?.events ?? [];
  return events.filter(({ event, pot: name }) => event === "won" && name).map((won) => [
    h("p", { class: "head" }, named(won.pot)),
    ...events.filter(({ event, pot: name }) => event === "scored" && name === won.pot).map(({ player, cards, score }) =>
      h("p", { class: "line" }, h("span", { class: "by", dir: "auto" }, player), " ", h("span", { class: "faces" }, ...cards.map((card) => h("span", { class: "triple" }, card.map(shown).join(" ")))), " ", h("b", {}, score))),
    h("p", { class: "hero" }, won.players.map(isolated).join(", ")),
    h("p", { class: "gain" }, `+${won.amount}`),
  ]);
}
