// HexDragon in the browser: tiles with their bands, heads and tails, stars, and the points of each player.

import { counted, h, initial, svg } from "/static/dom.js";
import { APOTHEM, at, outline, picture, same, SIDE, tappable, towards } from "/static/hexes.js";
import { curve, lit, open } from "./lines.js";
import { isolated, t } from "/static/words.js";

export const title = t("hexdragon");

export const about = t("hexdragon-about");

// Which topic of how to play a refusal comes from.
export const refusals = {
  turn: ["not-your-turn", "cell-taken", "off-board", "bad-tile", "must-play"],
  star: ["reserved", "star-used"],
  supply: ["no-heads-left", "head-used", "supply-exhausted", "wrong-owner"],
  end: ["game-over"],
};

// What a player's numbers and a command's are called.
export const quantities = { points: t("points"), heads_left: t("hexdragon-heads") };

export const icon = "/games/hexdragon/icon.svg";

export const options = [{ name: "radius", label: t("hexdragon-radius"), value: (players) => (players <= 2 ? 2 : 3) }];

export const colours = ["red", "blue", "yellow", "purple"];

export const entry = () => import("./entry.js");

const BAND = 27;
const STAR = [...Array(10).keys()]
  .map((k) => [(k % 2 ? 17 : 42) * Math.sin((Math.PI / 5) * k), -(k % 2 ? 17 : 42) * Math.cos((Math.PI / 5) * k)])
  .map((point) => point.map((n) => n.toFixed(1)).join(","))
  .join(" ");

// Colours as the header gives them; whoever is left takes the first that is free.
export function owned(state) {
  const given = state.header.options.colours ?? {};
  const free = colours.filter((colour) => !Object.values(given).includes(colour));
  return Object.fromEntries(Object.keys(state.players).map((name) => [name, given[name] ?? free.shift()]));
}

function band(d) {
  const width = { "stroke-width": BAND };
  return [svg("path", { d, class: "band-edge", "stroke-width": BAND + 7 }), svg("path", { d, class: "band", ...width })];
}

function tail(d) {
  const points = [[APOTHEM, BAND / 2], [APOTHEM * 0.35, 0], [APOTHEM, -BAND / 2]].map((point) => point.join(",")).join(" ");
  return svg("polygon", { points, class: "tail", transform: `rotate(${-60 * d})` });
}

function head(d, owner, letter) {
  const [x, y] = towards(d, APOTHEM * 0.36);
  const neck = `M${towards(d, APOTHEM).join(" ")}L${x} ${y}`;
  const eyes = [-1, 1].map((side) => {
    const [ex, ey] = towards(d, APOTHEM * 0.36 - 20);
    const [dx, dy] = towards(d + 1.5, 13 * side);
    return svg("circle", { cx: ex + dx, cy: ey + dy, r: 7, class: "eye" });
  });
  const name = svg("text", { x, y, dy: "0.36em", "text-anchor": "middle", class: "letter" }, letter);
  return [...band(neck), svg("circle", { cx: x, cy: y, r: 33, class: `owner own-${owner}` }), ...eyes, name];
}

function tile({ cell, player, head: headEdge, tails, paths }, owner, kind) {
  const face = svg("polygon", { points: outline(SIDE * 0.965), class: "face" });
  const isHead = headEdge !== null && headEdge !== undefined;
  const rim = isHead ? svg("polygon", { points: outline(SIDE * 0.9), class: `rim own-${owner}` }) : null;
  const drawn = [...(tails ?? []).map(tail), ...(paths ?? []).map(([a, b]) => band(curve(a, b)))];
  const front = isHead ? head(headEdge, owner, initial(player ?? "?")) : null;
  return svg("g", { class: `card dragon ${kind}`, "data-cell": cell.join() }, at(cell, face, rim, ...drawn, front));
}

// One tile on its own, as a picture.
export function preview({ cmd, tile: laid, player }, state) {
  if (!laid && cmd !== "star") return null;
  const drawn = laid ? tile({ ...laid, cell: [0, 0], player }, owned(state)[player], "") : star({ cell: [0, 0], player }, owned(state)[player]);
  return picture([[0, 0]], "", 1, drawn);
}

function star({ cell, player }, owner) {
  const shape = svg("polygon", { points: STAR, class: `owner own-${owner}` });
  const letter = svg("text", { "text-anchor": "middle", dy: "0.4em", class: "letter" }, initial(player));
  return at(cell, svg("circle", { r: 54, class: "token" }), shape, letter);
}

// No table is larger than so many cells around the start tile; of a board that is said to be, no more are drawn.
const WIDEST = 20;

function field(radius) {
  const span = [...Array(2 * radius + 1).keys()].map((n) => n - radius);
  return span.flatMap((r) => span.filter((q) => Math.abs(q + r) <= radius).map((q) => [q, r]));
}

function isOnBoard([q, r], radius) {
  return Math.max(Math.abs(q), Math.abs(r), Math.abs(q + r)) <= radius;
}

const cellsOf = (radius) => 3 * radius * (radius + 1) + 1;

export function layWords({ phase }) {
  return phase === "play" ? t("enter-by-hand") : "";
}

export function drawTable(state, isLaying = false) {
  const { tiles, stars, radius } = state.table;
  const owners = owned(state);
  const command = state.proposal?.command;
  const ghosts = command?.tile ? [{ ...command.tile, cell: command.cell, player: command.player }] : [];
  const ghostStars = command?.cmd === "star" ? [command] : [];
  const events = state.last?.events ?? [];
  const laid = events.find((event) => event.event === "placed");
  const newest = laid && tiles.find(({ cell }) => same(cell, laid.cell));
  const cells = field(Math.min(radius, WIDEST));
  const ghostKind = state.proposal?.refusal ? "ghost refused" : "ghost";
  const drawn = [
    ...cells.map((cell) => at(cell, svg("polygon", { points: outline(SIDE * 0.965), class: "free" }))),
    ...tiles.filter((other) => other !== newest).map((other) => tile(other, owners[other.player], "")),
    newest && tile(newest, owners[newest.player], "newest"),
    ...open(tiles, owners, (cell) => isOnBoard(cell, radius)),
    ...stars.map((token) => star(token, owners[token.player])),
    ...ghosts.map((ghost) => tile(ghost, owners[ghost.player], ghostKind)),
    ...ghostStars.map((ghost) => svg("g", { class: ghostKind }, star(ghost, owners[ghost.player]))),
    ...events.filter((event) => event.event === "connection").map((made, n) => lit(made, owners, n)),
    ...(isLaying ? cells.filter((cell) => !tiles.some((laid) => same(laid.cell, cell))).map(tappable) : []),
  ];
  const label = t("hexdragon-lying", { tiles: counted(tiles.length, "tile"), cells: cellsOf(radius) });
  const drawing = picture([...cells, ...[...tiles, ...ghosts].map(({ cell }) => cell)], label, 4, ...drawn);
  if (isLaying) drawing.setAttribute("role", "group");
  return state.result && isTied(state) ? [drawing, ranking(state)] : drawing;
}

const sorted = (connections) => connections.map(({ length }) => length).sort((a, b) => b - a);

const isTied = ({ players }) => new Set(Object.values(players).map(({ points }) => points)).size < Object.keys(players).length;

// The places where points are equal, and the connections that decided, the longest first.
function ranking({ result, players }) {
  let place = 1;
  const rows = result.ranking.map((names) => {
    const row = names.map((name) => {
      const { points, connections } = players[name];
      const isEqual = Object.entries(players).some(([other, theirs]) => other !== name && theirs.points === points);
      const lengths = sorted(connections).join(", ") || "0";
      const reason = isEqual ? h("span", { class: "soft" }, t("hexdragon-lengths", { lengths })) : null;
      return h("li", { value: place }, h("b", {}, name), h("span", {}, counted(points, "point")), reason);
    });
    place += names.length;
    return row;
  });
  return h("div", { class: "ranking" }, h("ol", {}, ...rows), h("p", { class: "soft" }, t("hexdragon-tie")));
}

export function roundWords({ table }) {
  const { radius, tiles } = table;
  return t("hexdragon-free", { n: cellsOf(radius) - tiles.length });
}

export function tableFacts({ table }) {
  const supply = Object.entries(table.supply).map(([kind, left]) => `${kind} ${left}`);
  return [{ label: t("hexdragon-left"), value: Object.values(table.supply).reduce((a, b) => a + b, 0), note: supply.join(" · ") }];
}

export function seat(state, name) {
  const { points, heads_left: heads, star: token, connections } = state.players[name];
  const starWords = Array.isArray(token) ? t("star-lying") : t(`star-${token}`);
  const made = connections.map(({ kind, length }) => `${t(`kind-${kind}`)} ${length}`).join(", ");
  return {
    main: { label: points === 1 ? t("point") : t("points"), value: points },
    pots: [{ label: t("hexdragon-heads"), value: heads }, { label: t("hexdragon-star"), value: starWords }, { label: t("hexdragon-colour"), value: t(`colour-${owned(state)[name]}`) }],
    hand: null,
    extra: made ? h("p", { class: "soft small" }, made) : null,
  };
}

export function prompt(state) {
  return state.phase === "play" ? t("hexdragon-play") : "";
}

// A dragon that was closed, with its length and whom it scored for; then the end.
export function scene({ last, finale }) {
  const made = (last?.events ?? []).filter(({ event, kind }) => event === "connection" && kind.endsWith("dragon"));
  const winners = finale?.ranking.filter(({ won }) => won).map(({ name }) => name);
  return [
    ...made.map(({ length, scores }) => [h("p", { class: "hero" }, t("hexdragon-dragon", { n: length })),
      ...Object.entries(scores).map(([name, points]) => h("p", { class: "gain" }, `${isolated(name)} +${points}`))]),
    ...(winners ? [[h("p", { class: "head" }, t("over")), h("p", { class: "hero" }, winners.join(", "))]] : []),
  ];
}
