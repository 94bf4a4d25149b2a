// Hexapod in the browser: the two display cases with their insects, drawn by shape, and the points they are worth.

import { h, svg } from "/static/dom.js";
import { marks, reckoning } from "./score.js";
import { isolated, t } from "/static/words.js";

export const title = t("hexapod");

export const about = t("hexapod-about");

// Which topic of how to play a refusal comes from.
export const refusals = {
  laying: ["bad-card", "no-match", "out-of-case"],
  halves: ["half-covered"],
  dung: ["dung-covered"],
  coins: ["coin-used", "no-coins", "nothing-spent"],
  passing: ["passed-out", "not-your-turn"],
  spider: ["game-over"],
};

// What a player's numbers and a command's are called.
export const quantities = { coins: t("hexapod-coins") };

export const icon = "/games/hexapod/icon.svg";

export const options = [{ name: "rows", label: t("hexapod-rows"), value: 5 }, { name: "cols", label: t("hexapod-cols"), value: 5 }];

export const entry = () => import("./entry.js");

export const CELL = 100;
export const KINDS = ["blue", "green", "gold", "dung", "leaf", "stag", "moth", "coins"];

const legs = () => svg("path", { d: "M-34-20-18-12M34-20 18-12M-38 6-20 6M38 6 20 6M-32 34-18 22M32 34 18 22", class: "legs" });
const beetle = (kind, letter) => [
  legs(),
  svg("ellipse", { rx: 24, ry: 32, cy: 6, class: `shell ${kind}` }),
  svg("circle", { r: 12, cy: -32, class: `shell ${kind}` }),
  svg("text", { "text-anchor": "middle", y: 16, class: "glyph" }, letter),
];
const INSECTS = {
  blue: () => beetle("blue", "1"),
  green: () => beetle("green", "2"),
  gold: () => beetle("gold", "3"),
  dung: () => [legs(), svg("circle", { r: 29, cy: 4, class: "shell dung" }), svg("rect", { x: -17, y: -38, width: 34, height: 16, rx: 8, class: "shell dung" })],
  leaf: () => [-1, 1].map((side) => svg("ellipse", { rx: 14, ry: 27, cx: side * 13, transform: `rotate(${side * 16})`, class: "shell leaf" })),
  stag: () => [
    svg("path", { d: "M-10-58C-40-80-20-104-6-92M10-58C40-80 20-104 6-92", class: "jaws" }),
    svg("path", { d: "M-30-30-18-20M30-30 18-20M-34 10-20 10M34 10 20 10M-30 52-18 40M30 52 18 40", class: "legs" }),
    svg("ellipse", { rx: 26, ry: 60, cy: 12, class: "shell stag" }),
  ],
  moth: () => [
    svg("path", { d: "M0-6C-30-48-96-36-84 4C-76 36-28 36 0 12C28 36 76 36 84 4C96-36 30-48 0-6Z", class: "shell moth" }),
    svg("circle", { cx: -50, cy: -6, r: 9, class: "spot" }), svg("circle", { cx: 50, cy: -6, r: 9, class: "spot" }),
    svg("ellipse", { rx: 7, ry: 26, class: "body" }),
  ],
};

// One insect for each cell; a stag takes the cell below with it, a moth the one to the right.
function insects(cells) {
  const taken = new Set();
  const found = [];
  for (const [row, line] of cells.entries()) for (const [col, kind] of line.entries()) {
    if (!kind || taken.has(`${row},${col}`)) continue;
    const [down, right] = [kind === "stag" ? 1 : 0, kind === "moth" ? 1 : 0];
    taken.add(`${row + down},${col + right}`);
    found.push({ kind, x: (col + 0.5 + right / 2) * CELL, y: (row + 0.5 + down / 2) * CELL });
  }
  return found;
}

export function drawn(cells) {
  return insects(cells).map(({ kind, x, y }) =>
    svg("g", { transform: `translate(${x} ${y})` }, svg("title", {}, t(`insect-${kind}`)), ...(INSECTS[kind]?.() ?? [])));
}

export function square(row, col, rows, cols, kind) {
  return svg("rect", { x: col * CELL, y: row * CELL, width: cols * CELL, height: rows * CELL, rx: 8, class: kind });
}

function showcase(state, name) {
  const cells = state.players[name].case;
  const [rows, cols] = [cells.length, cells[0].length];
  const floor = cells.flatMap((line, row) => line.map((kind, col) => square(row, col, 1, 1, kind ? "cell full" : "cell")));
  const command = state.proposal?.command;
  const isMine = command?.card && command.player === name;
  const laid = state.last?.command;
  const frame = laid?.card && laid.player === name ? square(laid.row, laid.col, 2, 2, "fresh") : null;
  const ghost = isMine
    ? svg("g", { class: state.proposal.refusal ? "laid-ghost refused" : "laid-ghost" },
        square(command.row, command.col, 2, 2, "sheet-ghost"),
        svg("g", { transform: `translate(${command.col * CELL} ${command.row * CELL})` }, ...drawn(command.card.cells)))
    : null;
  const box = `-14 -14 ${cols * CELL + 28} ${rows * CELL + 28}`;
  const board = svg("svg", { viewBox: box, role: "img", "aria-label": t("hexapod-case", { player: name }), class: "picture" },
    svg("rect", { x: -8, y: -8, width: cols * CELL + 16, height: rows * CELL + 16, rx: 14, class: "frame" }),
    ...floor, ...drawn(cells), ...marks(cells), frame, ghost, ...(isMine ? clashes(state.proposal.refusal) : []));
  return h("figure", { class: "case" }, h("figcaption", {}, name), board);
}

// The cells that the rules name when they refuse a card.
function clashes(refusal) {
  return (refusal?.cells ?? []).map(([row, col]) => svg("g", { class: "clash" }, square(row, col, 1, 1, "clash-cell"),
    svg("path", { d: `M${col * CELL + 22} ${row * CELL + 22}l56 56m0-56l-56 56` })));
}

export function drawTable(state) {
  return h("div", { class: "cases" }, ...Object.keys(state.players).map((name) => showcase(state, name)));
}

export function layWords({ phase }) {
  return phase === "over" ? "" : t("hexapod-enter");
}

// One card on its own, as a picture.
export function preview({ card }) {
  if (!card) return null;
  const floor = [0, 1].flatMap((row) => [0, 1].map((col) => square(row, col, 1, 1, "cell full")));
  return svg("svg", { viewBox: `-4 -4 ${2 * CELL + 8} ${2 * CELL + 8}`, "aria-hidden": "true", class: "picture" }, ...floor, ...drawn(card.cells));
}

export function roundWords({ phase }) {
  return phase === "last-turn" ? t("hexapod-last") : "";
}

export function tableFacts() {
  return [];
}

export function seat(state, name) {
  const { coins, passed, score } = state.players[name];
  const parts = KINDS.filter((kind) => kind !== "dung" && score[kind]);
  const made = parts.map((kind) => h("li", {}, h("span", { class: `swatch ${kind}` }), h("span", {}, t(`insect-${kind}`)), h("b", {}, score[kind]),
    h("span", { class: "soft" }, reckoning(kind, score[kind], state.players[name].case))));
  return {
    main: { label: t("points"), value: score.total },
    pots: [{ label: t("hexapod-in-case"), value: score.total - (score.coins ?? 0) }, { label: t("hexapod-coins"), value: coins }, ...(passed ? [{ label: "", value: t("hexapod-passed") }] : [])],
    hand: null,
    extra: made.length ? h("ul", { class: "reckoning small" }, ...made) : null,
  };
}

export function prompt(state) {
  if (state.phase === "last-turn") return t("hexapod-spider");
  return state.phase === "play" ? t("hexapod-play") : "";
}

// The Spider, and the end with both totals.
export function scene({ last, finale }) {
  const events = last?.events ?? [];
  const spider = events.find(({ event }) => event === "spider-revealed");
  return [
    ...(spider ? [[h("p", { class: "head" }, spider.player), h("p", { class: "hero" }, t("hexapod-spider-up"))]] : []),
    ...(finale ? [[h("p", { class: "head" }, t("over")), ...finale.ranking.map(({ name, total, won }) => h("p", { class: won ? "hero" : "line" }, `${isolated(name)} ${total}`))]] : []),
  ];
}
