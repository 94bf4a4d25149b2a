// How a Hexapod case counts: its runs of beetles and its pairs of leaf beetles, to be drawn and to be told.

import { svg } from "/static/dom.js";
import { t } from "/static/words.js";

const CELL = 100;
const WORTH = { blue: 1, green: 2, gold: 3 };
const BIG = 5;

// Every run of two or more of one kind of beetle: where it begins, how long it is, and what it scores.
function runs(cells) {
  const [rows, cols] = [cells.length, cells[0].length];
  const found = [];
  const along = (count, length, at, isRow) => {
    for (let line = 0; line < count; line += 1) {
      for (let from = 0; from < length; ) {
        const kind = at(line, from);
        let to = from + 1;
        while (to < length && at(line, to) === kind) to += 1;
        if (WORTH[kind] && to - from > 1) found.push({ kind, isRow, line, from, to, points: (to - from) * WORTH[kind] });
        from = to;
      }
    }
  };
  along(rows, cols, (row, col) => cells[row][col], true);
  along(cols, rows, (col, row) => cells[row][col], false);
  return found;
}

// Couples of leaf beetles that lie side by side, diagonals included, each pair once.
function pairs(cells) {
  const leaves = cells.flatMap((line, row) => line.flatMap((kind, col) => (kind === "leaf" ? [[row, col]] : [])));
  return leaves.flatMap(([row, col], n) => leaves.slice(n + 1)
    .filter(([other, there]) => Math.max(Math.abs(other - row), Math.abs(there - col)) === 1)
    .map((other) => [[row, col], other]));
}

function mark({ kind, isRow, line, from, to, points }) {
  const [across, a, b] = [(line + 0.88) * CELL, (from + 0.22) * CELL, (to - 0.22) * CELL];
  const ends = isRow ? { x1: a, y1: across, x2: b, y2: across } : { x1: across, y1: a, x2: across, y2: b };
  const [x, y] = isRow ? [(from + 0.5) * CELL - 24, across] : [across, (from + 0.5) * CELL - 24];
  return svg("g", { class: `run ${kind}` }, svg("line", ends), svg("circle", { cx: x, cy: y, r: 21 }),
    svg("text", { x, y, dy: "0.36em", "text-anchor": "middle" }, points));
}

function tie([[row, col], [other, there]]) {
  const place = (n) => (n + 0.5) * CELL;
  return svg("line", { x1: place(col), y1: place(row), x2: place(there), y2: place(other), class: "tie" });
}

export function marks(cells) {
  return [...pairs(cells).map(tie), ...runs(cells).map(mark)];
}

const sum = (list) => list.map(({ points }) => points).join(" + ");

// What makes up a kind's points, for whoever recounts: rows and columns, couples and neighbours, insects.
export function reckoning(kind, points, cells) {
  if (WORTH[kind]) {
    const own = runs(cells).filter((run) => run.kind === kind);
    const [rows, columns] = [own.filter((run) => run.isRow), own.filter((run) => !run.isRow)];
    return [rows.length ? t("hexapod-in-rows", { points: sum(rows) }) : "", columns.length ? t("hexapod-in-columns", { points: sum(columns) }) : ""].filter(Boolean).join(", ");
  }
  if (kind === "leaf") {
    const beside = 2 * pairs(cells).length;
    return beside ? t("hexapod-couples", { couples: points - beside, neighbours: beside }) : t("hexapod-couple");
  }
  if (kind === "coins") return t("hexapod-coin-each");
  return `${points / BIG} × ${BIG}`;
}
