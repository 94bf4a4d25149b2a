// Entering cards of Hex'el by hand: every edge is a button that goes through the symbols.

import { h } from "/static/dom.js";
import { neighbour, same } from "/static/hexes.js";
import { t } from "/static/words.js";
import { preview, symbols } from "./game.js";

const EDGE_NAMES = ["east", "north-east", "north-west", "west", "south-west", "south-east"];

export const takes = ({ edges, cards }) => Boolean(edges || cards);

// The first three cards go down together; from then on a free cell is tapped first.
export const takesCell = ({ phase }) => phase === "play";

// What painted cards begin as: three that the rules would take, or the symbols that the neighbours ask for.
const LINE = ["RBBBBB", "RBBRBB", "RRBRBB"];

export function blank(state, _players, cell) {
  const { tableau } = state.table;
  const face = (letters) => [...letters].map((letter) => (letter === "R" ? "red" : "blue"));
  if (!cell) return { cmd: "line", cards: LINE.map((letters, n) => ({ cell: [n - 1, 0], edges: face(letters) })) };
  const asked = (d) => tableau.find((laid) => same(laid.cell, neighbour(cell, d)))?.edges[(d + 3) % 6];
  const edges = [0, 1, 2, 3, 4, 5].map((d) => asked(d) ?? symbols(state).at(-1));
  return { cmd: "place", player: state.turn, cell, edges };
}

// A face read either way round: two cards that turned or mirrored look the same are one.
function face(edges) {
  const ways = [edges, [...edges].reverse()].flatMap((one) => one.map((_, k) => [...one.slice(k), ...one.slice(0, k)].join()));
  return ways.sort()[0];
}

// The deck of 36 has every face once.
export function withheld({ edges, cards }, { header, table }) {
  const lying = table.tableau.map((card) => face(card.edges));
  const laid = (cards ?? [{ edges }]).map((card) => face(card.edges));
  const isTwice = laid.some((one, k) => lying.includes(one) || laid.indexOf(one) < k);
  return header.edition !== "46" && isTwice ? t("on-the-table") : "";
}

export const layLabel = ({ cards }) => (cards ? t("lay-them") : t("lay"));

// Changes `command` as its edges are chosen; for several cards of one command one after another.
export function controls(command, { state, onChange = () => {} }) {
  const cards = Array.isArray(command.cards) ? command.cards : [command];
  const line = h("div", { class: "painted-line" });
  const changed = () => {
    if (command.cards) line.replaceChildren(preview(command, state)); // as they will lie, beside each other
    onChange();
  };
  const parts = cards.filter((card) => Array.isArray(card.edges)).map((card, n) => painted(card, n, cards.length, state, changed));
  return [command.cards ? line : null, h("div", { class: "painting" }, ...parts)];
}

function painted(card, n, count, state, onChange) {
  const all = symbols(state);
  const face = h("div", { class: "painted" });
  const edges = h("div", { class: "edges", role: "group", "aria-label": count > 1 ? t("card-number", { n: n + 1 }) : t("edges") });
  const buttons = EDGE_NAMES.map((name, d) => {
    const button = h("button", { type: "button", class: `edge edge-${d}`, onclick: () => turn(d) });
    button.dataset.name = name;
    return button;
  });
  const draw = () => {
    face.replaceChildren(preview(card, state));
    for (const [d, button] of buttons.entries()) button.setAttribute("aria-label", t("edge", { edge: t(EDGE_NAMES[d]), symbol: card.edges[d] ? t(`symbol-${card.edges[d]}`) : t("edge-unread") }));
    onChange();
  };
  const turn = (d) => {
    card.edges[d] = all[(all.indexOf(card.edges[d]) + 1) % all.length];
    draw();
  };
  const rotate = () => {
    card.edges = [...card.edges.slice(1), card.edges[0]];
    draw();
  };
  edges.append(face, ...buttons);
  draw();
  return h("div", { class: "paint" }, edges,
    h("div", {}, h("p", { class: "soft" }, t("edge-tap")),
      h("button", { type: "button", class: "plain small", onclick: rotate }, t("card-turn"))));
}
