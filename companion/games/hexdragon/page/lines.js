// Where HexDragon's lines run: from edge to edge over the tiles, to a head, to a tail, or into the open.

import { initial, svg } from "/static/dom.js";
import { isolated, t } from "/static/words.js";
import { APOTHEM, at, centre, neighbour, STEPS, towards } from "/static/hexes.js";

// The middles of two edges joined; a line's end stands where head and tail are drawn.
export function curve(a, b) {
  const [from, to] = [towards(a, APOTHEM), towards(b, APOTHEM)];
  const [near, far] = [towards(a, APOTHEM * 0.42), towards(b, APOTHEM * 0.42)];
  return `M${from.join(" ")}C${near.join(" ")} ${far.join(" ")} ${to.join(" ")}`;
}

function piece({ cell, from, to }) {
  const edges = [from, to].filter((edge) => edge !== null);
  const d = edges.length === 2 ? curve(...edges) : `M${towards(edges[0], APOTHEM).join(" ")}L${towards(edges[0], APOTHEM * 0.36).join(" ")}`;
  return at(cell, svg("path", { d }));
}

function direction([q, r], [otherQ, otherR]) {
  return STEPS.findIndex(([stepQ, stepR]) => q + stepQ === otherQ && r + stepR === otherR);
}

// A connection's cells, in order from one end, as the pieces of its line; a loop comes back to its first cell.
function pieces({ kind, cells }) {
  const isLoop = kind === "loop";
  return cells.map((cell, n) => {
    const before = cells[n - 1] ?? (isLoop ? cells.at(-1) : null);
    const after = cells[n + 1] ?? (isLoop ? cells[0] : null);
    return { cell, from: before && direction(cell, before), to: after && direction(cell, after) };
  });
}

// A connection lit up in the colour of whom it scored for, two colours in turn where it scored for two.
export function lit(connection, owners, nth) {
  const { kind, cells, length, scores } = connection;
  const names = Object.keys(scores);
  const drawn = names.map((name, n) =>
    svg("g", { class: `lit own-${owners[name]}${n ? " second" : ""}` }, ...pieces(connection).map(piece)));
  const [x, y] = centre(cells[Math.min(cells.length - 1, Math.floor(cells.length / 2) + nth)]);
  const points = names.map((name) => `${isolated(name)} +${scores[name]}`).join(", ");
  const short = names.map((name) => `${isolated(name.length > 8 ? initial(name) : name)} +${scores[name]}`).join(", ");
  const words = svg("g", { class: "lit-words", "text-anchor": "middle" }, svg("text", { x, y: y - 8 }, short), svg("text", { x, y: y + 34, class: "less" }, t("hexdragon-length", { n: length })));
  const title = svg("title", {}, t("hexdragon-made", { kind: t(`kind-${kind}`), n: length, points }));
  return svg("g", { class: "lit-all" }, title, svg("g", { class: "lit-edge" }, ...pieces(connection).map(piece)), ...drawn, words);
}

// What an edge's line leads to on a tile: another edge, or null for a head or a tail.
function across(tile, edge) {
  const path = (tile.paths ?? []).find((pair) => pair.includes(edge));
  return path ? path[path[0] === edge ? 1 : 0] : null;
}

// On from a cell through an edge, over tiles: the pieces passed, and whether the line may still go on.
function follow(tiles, cell, edge) {
  const passed = [];
  let [here, out] = [cell, edge];
  for (;;) {
    const next = neighbour(here, out);
    const tile = tiles.get(next.join());
    if (!tile) return { passed, end: next };
    const from = (out + 3) % 6;
    const to = across(tile, from);
    passed.push({ cell: next, from, to });
    if (to === null || passed.length > 400) return { passed, end: null };
    [here, out] = [next, to];
  }
}

// The heads' lines that end in the open, thin; paler where the board ends and nothing can come of them.
export function open(list, owners, isOnBoard) {
  const tiles = new Map(list.map((tile) => [tile.cell.join(), tile]));
  const heads = list.filter(({ head }) => head !== null && head !== undefined);
  return heads.map((tile) => {
    const { passed, end } = follow(tiles, tile.cell, tile.head);
    if (!end) return null;
    const kind = isOnBoard(end) ? "open" : "open dead";
    return svg("g", { class: `${kind} own-${owners[tile.player]}` }, ...passed.map(piece));
  });
}
