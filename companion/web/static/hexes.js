// Pointy-top hexagons in axial cells: the same directions as the rules use, E first, counter-clockwise.

import { svg } from "./dom.js";
import { t } from "./words.js";

export const SIDE = 100;
export const APOTHEM = (SIDE * Math.sqrt(3)) / 2;
export const STEPS = [[1, 0], [1, -1], [0, -1], [-1, 0], [-1, 1], [0, 1]];

export function centre([q, r]) {
  return [APOTHEM * 2 * (q + r / 2), SIDE * 1.5 * r];
}

// The point at `distance` from a card's middle towards the middle of its edge `d`.
export function towards(d, distance) {
  const angle = (-Math.PI / 3) * d;
  return [distance * Math.cos(angle), distance * Math.sin(angle)];
}

export function outline(side = SIDE) {
  const corners = [...Array(6).keys()].map((k) => (Math.PI / 3) * k + Math.PI / 6);
  return corners.map((a) => `${(side * Math.cos(a)).toFixed(1)},${(side * Math.sin(a)).toFixed(1)}`).join(" ");
}

export function at(cell, ...children) {
  const [x, y] = centre(cell);
  return svg("g", { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, ...children);
}

export function neighbour([q, r], d) {
  return [q + STEPS[d][0], r + STEPS[d][1]];
}

export function same(a, b) {
  return a[0] === b[0] && a[1] === b[1];
}

// A place to tap; said in words too, for it may be reached by keyboard.
export function tappable(cell) {
  const face = svg("polygon", { points: outline(SIDE * 0.94), class: "tap" });
  return svg("g", { class: "place", "data-free": cell.join(), role: "button", tabindex: 0, "aria-label": t("free-cell") },
    at(cell, face, svg("text", { "text-anchor": "middle", dy: "0.36em" }, "+")));
}

// A picture that just holds all cells; few cells are not blown up beyond `least` of them across.
export function picture(cells, label, least, ...children) {
  const points = cells.length ? cells.map(centre) : [[0, 0]];
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const margin = SIDE * 1.2;
  const middle = [(Math.min(...xs) + Math.max(...xs)) / 2, (Math.min(...ys) + Math.max(...ys)) / 2];
  const width = Math.max(Math.max(...xs) - Math.min(...xs) + 2 * margin, least * APOTHEM * 2);
  const height = Math.max(Math.max(...ys) - Math.min(...ys) + 2 * margin, least * SIDE * 1.05);
  const box = [middle[0] - width / 2, middle[1] - height / 2, width, height].map((n) => n.toFixed(0)).join(" ");
  const told = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" }; // a picture beside its words says nothing
  return svg("svg", { viewBox: box, ...told, class: "picture" }, ...children);
}
