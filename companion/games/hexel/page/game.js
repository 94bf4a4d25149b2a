// Hex'el in the browser: its cards as the table shows them, and the numbers that decide the next move.

import { counted, h, svg } from "/static/dom.js";
import { APOTHEM, at, centre, neighbour, outline, picture, same, SIDE, tappable, towards } from "/static/hexes.js";
import { isolated, t } from "/static/words.js";

export const title = t("hexel");

export const about = t("hexel-about");

// Which topic of how to play a refusal comes from.
export const refusals = {
  laying: ["bad-card", "cell-taken", "not-adjacent", "edge-mismatch", "duplicate-card"],
  line: ["not-a-line", "hoxla-open"],
  stake: ["not-dealer", "bad-amount", "already-hedged"],
  passing: ["not-your-turn", "wrong-phase"],
  insurance: ["out-of-game"],
};

// What a player's numbers and a command's are called.
export const quantities = { amount: t("amount"), chips: t("hexel-stock"), hedge: t("hexel-hedge"), hand_pot: t("hexel-hand-pot"), cards: t("in-hand") };

export const icon = "/games/hexel/icon.svg";

export const options = [{ name: "chips", label: t("hexel-chips-each"), value: 100 }];

// A stake for which somebody cannot hedge is allowed, and may be a slip of the finger.
export function doubt({ cmd, amount }, { players }) {
  const short = Object.entries(players).filter(([, { chips, in: isIn }]) => cmd === "stake" && isIn && chips < amount);
  return short.length ? t("hexel-stake-high", { amount, players: short.map(([name]) => isolated(name)).join(", ") }) : "";
}

export const entry = () => import("./entry.js");

const AT = 0.69 * APOTHEM;

// Every symbol has a shape of its own, so that none is told by its colour alone.
const SYMBOLS = {
  red: () => [svg("circle", { r: 20, class: "red" })],
  blue: () => [svg("circle", { r: 20, class: "blue" }), svg("path", { d: "M0-10 10 0 0 10-10 0Z", class: "inner" })],
  void: () => [svg("circle", { r: 16.5, class: "void" })],
  yellow: (d) => [svg("path", { d: "M-26 0 14-23V23Z", class: "yellow", transform: `rotate(${-60 * d})` })],
};
const SYMBOLS_46 = { ...SYMBOLS, blue: () => [svg("path", { d: "M0-22 22 0 0 22-22 0Z", class: "blue" })] };

function unread() {
  return [svg("text", { class: "unread", "text-anchor": "middle", dy: "0.36em" }, "?")];
}

function card({ cell, edges }, edition, kind) {
  const symbols = edition === "46" ? SYMBOLS_46 : SYMBOLS;
  const drawn = edges.map((symbol, d) => {
    const [x, y] = towards(d, AT);
    return svg("g", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, ...(symbols[symbol] ?? unread)(d));
  });
  const face = svg("polygon", { points: outline(SIDE * 0.965), class: "face" });
  return svg("g", { class: `card ${kind}`, "data-cell": cell.join() }, at(cell, face, ...drawn));
}

export function symbols(state) {
  return state.header.edition === "46" ? ["red", "blue", "yellow"] : ["red", "blue", "void"];
}

// One card on its own, as a picture.
export function preview({ edges, cards }, state) {
  if (!edges && !cards) return null;
  const faces = edges ? [{ cell: [0, 0], edges }] : cards.map((laid, n) => ({ ...laid, cell: [n, 0] }));
  return picture(faces.map((laid) => laid.cell), "", 1, ...faces.map((laid) => card(laid, state.header.edition ?? "36", "")));
}

function matches({ cell }, others) {
  const touching = others.filter((other) => !same(other.cell, cell));
  return [0, 1, 2, 3, 4, 5].filter((d) => touching.some((other) => same(other.cell, neighbour(cell, d))));
}

function seams(laid, directions, kind) {
  const bars = directions.map((d) => {
    const [x, y] = towards(d, APOTHEM);
    const turn = `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${-60 * d})`;
    return svg("rect", { x: -5, y: -30, width: 10, height: 60, rx: 5, class: kind, transform: turn });
  });
  return at(laid.cell, ...bars);
}

function hoxla(corner) {
  const points = corner.map(centre);
  const cx = points.reduce((sum, p) => sum + p[0], 0) / 3;
  const cy = points.reduce((sum, p) => sum + p[1], 0) / 3;
  return svg("circle", { cx: cx.toFixed(1), cy: cy.toFixed(1), r: SIDE * 0.86, class: "hoxla" });
}

// Around a card that people should look at.
function ring(cell) {
  return at(cell, svg("circle", { r: SIDE * 0.92, class: "ring" }));
}

function waiting(proposal) {
  const command = proposal?.command;
  if (command?.cmd === "line" && Array.isArray(command.cards)) return command.cards;
  return Array.isArray(command?.edges) && Array.isArray(command?.cell) ? [command] : [];
}

export function layWords({ phase }) {
  return { line: t("hexel-enter-line"), play: t("enter-by-hand") }[phase];
}

function free({ table: { tableau } }) {
  const around = tableau.flatMap(({ cell }) => [0, 1, 2, 3, 4, 5].map((d) => neighbour(cell, d)));
  return around.filter((cell, n) => !tableau.some((laid) => same(laid.cell, cell)) && around.findIndex((other) => same(other, cell)) === n);
}

export function owed({ phase, table, players }, name) {
  if (!players[name].in) return "";
  if (phase === "hedge" && table.stake) return t("hexel-whole", { stake: table.stake });
  if (phase !== "play" || !table.mark || table.mark_by === name) return "";
  const most = table.mark * table.stake;
  const cover = players[name].hedge >= most ? t("hexel-covered") : t("hexel-holds", { amount: players[name].hedge });
  return t("hexel-owing", { mark: table.mark, stake: table.stake, player: table.mark_by, most, cover });
}

export function drawTable(state, isLaying = false) {
  const { tableau } = state.table;
  const places = isLaying && state.phase === "play" ? free(state) : [];
  const ghosts = waiting(state.proposal);
  if (!tableau.length && !ghosts.length) return h("p", { class: "empty" }, t("hexel-empty"));
  const events = state.last?.events ?? [];
  const placed = events.find((event) => event.event === "placed");
  const newest = placed && tableau.find((laid) => same(laid.cell, placed.cell));
  const edition = state.header.edition ?? "36";
  const kindOf = (laid) => (laid === newest ? "newest" : "");
  const drawn = [
    ...tableau.filter((laid) => laid !== newest).map((laid) => card(laid, edition, kindOf(laid))),
    newest && card(newest, edition, "newest"),
    newest && seams(newest, matches(newest, tableau), "seam"),
    ...ghosts.map((ghost) => card(ghost, edition, state.proposal.refusal ? "ghost refused" : "ghost")),
    ghosts.length === 1 && seams(ghosts[0], state.proposal.refusal?.edges ?? [], "clash"),
    ...events.filter((event) => event.event === "warning" && event.same_as).flatMap(({ cell, same_as: other }) => [cell, other].map(ring)),
    ...events.filter((event) => event.event === "hoxla").flatMap((event) => event.corners.map(hoxla)),
    ...places.map(tappable),
  ];
  const cells = [...[...tableau, ...ghosts].map((laid) => laid.cell), ...places];
  const label = t(ghosts.length ? "hexel-waiting" : "hexel-lying", { cards: counted(tableau.length, "card") });
  const drawing = picture(cells, label, 4.4, ...drawn);
  if (places.length) drawing.setAttribute("role", "group");
  return drawing;
}

export function roundWords({ table }) {
  return [table.round ? t("round", { n: table.round }) : t("new-game"), t("cards-left", { n: table.cards_left })].join(" · ");
}

export function tableFacts({ table }) {
  const facts = [];
  if (table.phase === "over") return facts;
  if (table.stake !== null) facts.push({ label: t("hexel-stake"), value: table.stake });
  if (table.phase !== "play") return facts;
  if (table.mark === null) return [...facts, { label: t("hexel-match"), value: t("hexel-free"), note: t("hexel-no-mark") }];
  facts.push({ label: t("hexel-match"), value: table.mark, note: t("hexel-set-by", { player: table.mark_by }) });
  if (!table.mark) return [...facts, { label: t("hexel-short"), value: 0, note: t("hexel-nothing") }];
  if (table.mark_by === table.turn) return [...facts, { label: t("hexel-short"), value: 0, note: t("hexel-own") }];
  const owed = t("hexel-owed", { amount: table.mark * table.stake, player: table.mark_by });
  return [...facts, { label: t("hexel-short"), value: table.stake, note: owed }];
}

export function seat(state, name) {
  const { chips, hedge, hand_pot: handPot, cards } = state.players[name];
  const pots = [{ label: t("hexel-stock"), value: chips }, { label: t("hexel-hedge"), value: hedge }];
  if (state.header.edition !== "46") pots.push({ label: t("hexel-hand-pot"), value: handPot });
  return {
    main: { label: t("chips"), value: chips + hedge + (handPot ?? 0) },
    pots,
    hand: state.phase === "play" && state.players[name].in ? cards : null,
    isOut: !state.players[name].in,
    isDealer: state.table.dealer === name,
  };
}

export function prompt(state) {
  if (state.phase === "line") return t("hexel-line");
  if (state.phase === "stake") return t("hexel-name");
  if (state.phase === "hedge") return t("hexel-hedging");
  if (state.phase === "play") return t("hexel-play");
  return "";
}

// A Hoxla, and who takes all the hedges.
export function scene({ last }) {
  const events = last?.events ?? [];
  const made = events.find(({ event }) => event === "hoxla");
  const won = events.find(({ event, amount }) => event === "won" && amount);
  return [
    made && [h("p", { class: "head" }, made.player), h("p", { class: "hero" }, "Hoxla!")],
    won && [h("p", { class: "head" }, won.player), h("p", { class: "gain" }, `+${won.amount}`)],
  ].filter(Boolean);
}
