// Painting a card: every edge is a button that goes through the symbols; every free cell one that takes the card.

import { h } from "./dom.js";
import { t } from "./words.js";

const EDGE_NAMES = ["east", "north-east", "north-west", "west", "south-west", "south-east"];

// Changes `command` as its edges and its cell are chosen; for several cards of one command one after another.
export function paint(command, game, state, onChange = () => {}) {
  if (!game.symbols) return null;
  const cards = Array.isArray(command.cards) ? command.cards : [command];
  const parts = cards.filter((card) => Array.isArray(card.edges)).map((card, n) => painted(card, n, cards.length, game, state, onChange));
  return parts.length ? h("div", { class: "painting" }, ...parts) : null;
}

function painted(card, n, count, game, state, onChange) {
  const symbols = game.symbols(state);
  const face = h("div", { class: "painted" });
  const edges = h("div", { class: "edges", role: "group", "aria-label": count > 1 ? t("card-number", { n: n + 1 }) : t("edges") });
  const buttons = EDGE_NAMES.map((name, d) => {
    const button = h("button", { type: "button", class: `edge edge-${d}`, onclick: () => turn(d) });
    button.dataset.name = name;
    return button;
  });
  const draw = () => {
    face.replaceChildren(game.preview(card, state));
    buttons.forEach((button, d) => button.setAttribute("aria-label", t("edge", { edge: t(EDGE_NAMES[d]), symbol: card.edges[d] ?? t("edge-unread") })));
    onChange();
  };
  const turn = (d) => {
    card.edges[d] = symbols[(symbols.indexOf(card.edges[d]) + 1) % symbols.length];
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
