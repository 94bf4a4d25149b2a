// Entering a card of Hexapod by hand: four cells to paint with insects, then a place in the case that the rules allow.

import { copied, h, svg } from "/static/dom.js";
import { CELL, drawn, preview, square, KINDS } from "./game.js";
import { t } from "/static/words.js";

const CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]];
const NAMES = { "0,0": "top-left", "0,1": "top-right", "1,0": "bottom-left", "1,1": "bottom-right" };
const PARTNER = { stag: ([row, col]) => [1 - row, col], moth: ([row, col]) => [row, 1 - col] };

export const takes = ({ cmd }) => cmd === "play";

export const isComplete = ({ card }) => card.cells.flat().every((kind) => kind !== null);

export function blank(state) {
  return { cmd: "play", player: state.turn, row: 0, col: 0, card: { cells: [[null, null], [null, null]] } };
}

export function controls(command, { state, judge, onChange = () => {} }) {
  const card = copied(command.card.cells);
  command.card = { cells: card };
  let brush = "blue";
  const palette = h("div", { class: "palette", role: "group", "aria-label": t("insects") });
  const face = h("div", { class: "painted square" });
  const cells = CORNERS.map((corner) => h("button", { type: "button", class: "quarter", onclick: () => dab(corner) }));
  const places = placing(command, state, judge, onChange);

  const drawPalette = () => palette.replaceChildren(...KINDS.filter((kind) => kind !== "coins").map(brushFor));
  const brushFor = (kind) =>
    h("button", { type: "button", id: `brush-${kind}`, class: "plain brush", "aria-pressed": String(kind === brush), onclick: () => choose(kind) },
      insect(kind), h("span", {}, t(`insect-${kind}`)));
  const choose = (kind) => {
    brush = kind;
    drawPalette();
  };
  const dab = (corner) => {
    put(card, corner, brush);
    draw();
  };
  const draw = () => {
    face.replaceChildren(preview(command));
    cells.forEach((button, n) => {
      const [row, col] = CORNERS[n];
      button.setAttribute("aria-label", t("quarter", { quarter: t(NAMES[CORNERS[n]]), kind: card[row][col] ? t(`insect-${card[row][col]}`) : t("quarter-empty") }));
    });
    places.show();
    onChange();
  };

  drawPalette();
  draw();
  return [
    h("p", { class: "soft" }, t("insect-choose")), palette,
    h("div", { class: "quarters", role: "group", "aria-label": t("the-card") }, face, ...cells),
    places.element];
}

// A stag fills a column of the card, a moth a row; whoever loses its other half goes.
function put(card, [row, col], kind) {
  const free = ([r, c]) => {
    const partner = PARTNER[card[r][c]]?.([r, c]);
    card[r][c] = null;
    if (partner) card[partner[0]][partner[1]] = null;
  };
  const under = [[row, col], ...(PARTNER[kind] ? [PARTNER[kind]([row, col])] : [])];
  under.forEach(free);
  for (const [r, c] of under) card[r][c] = kind;
}

function insect(kind) {
  const [rows, cols] = [kind === "stag" ? 2 : 1, kind === "moth" ? 2 : 1];
  const cells = [...Array(rows).keys()].map(() => Array(cols).fill(kind));
  return svg("svg", { viewBox: `0 0 ${cols * CELL} ${rows * CELL}`, class: "insect", "aria-hidden": "true" }, ...drawn(cells));
}

// The player's case with a mark in the middle of each place: what the rules say of it is asked for all of them at once.
function placing(command, state, judge, onChange) {
  const words = h("p", { class: "soft", role: "status" });
  const table = h("div", { class: "cloth" });
  const cells = () => state.players[command.player].case;
  let verdicts = new Map();
  let asked = 0;

  const windows = () => {
    const [rows, cols] = [cells().length - 1, cells()[0].length - 1];
    return [...Array(rows).keys()].flatMap((row) => [...Array(cols).keys()].map((col) => [row, col]));
  };
  const choose = (/** @type {number[]} */ [row, col]) => {
    Object.assign(command, { row, col });
    draw();
    onChange();
  };
  const mark = (place) => {
    const verdict = verdicts.get(place.join());
    const isChosen = command.row === place[0] && command.col === place[1];
    const text = { undefined: "", false: "×", true: "+" }[verdict && Boolean(verdict.said)];
    const label = t("place", { row: place[0] + 1, col: place[1] + 1, verdict: spoken(verdict) });
    return svg("g", { class: ["spot-on", verdict?.said && "allowed", isChosen && "is-chosen"].filter(Boolean).join(" "), role: "button", tabindex: 0,
      "data-place": place.join(), "aria-label": label, "aria-pressed": String(isChosen), transform: `translate(${(place[1] + 1) * CELL} ${(place[0] + 1) * CELL})` },
      svg("circle", { r: 44 }), svg("text", { "text-anchor": "middle", dy: "0.36em" }, text));
  };
  const draw = () => {
    const focused = table.querySelector(":focus")?.dataset.place;
    const [rows, cols] = [cells().length, cells()[0].length];
    const floor = cells().flatMap((line, row) => line.map((kind, col) => square(row, col, 1, 1, kind ? "cell full" : "cell")));
    const ghost = svg("g", { class: "laid-ghost", transform: `translate(${command.col * CELL} ${command.row * CELL})` }, square(0, 0, 2, 2, "sheet-ghost"), ...drawn(command.card.cells));
    const marks = windows().map(mark);
    table.replaceChildren(svg("svg", { viewBox: `-8 -8 ${cols * CELL + 16} ${rows * CELL + 16}`, role: "group", "aria-label": t("place-whose", { player: command.player }), class: "picture" },
      ...floor, ...drawn(cells()), isComplete(command) ? ghost : null, ...marks));
    if (focused) table.querySelector(`[data-place="${focused}"]`)?.focus();
    words.textContent = isComplete(command) ? spoken(verdicts.get([command.row, command.col].join())) : t("place-tap");
  };
  const show = async () => {
    verdicts = new Map();
    draw();
    if (!isComplete(command)) return;
    const mine = ++asked;
    const all = windows();
    const told = await judge(all.map(([row, col]) => ({ ...copied(command), row, col }))).catch(() => []);
    if (mine !== asked) return;
    verdicts = new Map(told.map((verdict, n) => [all[n].join(), verdict]));
    const first = all.find((place) => verdicts.get(place.join())?.said);
    if (first && verdicts.get([command.row, command.col].join())?.refusal) return choose(first);
    draw();
  };
  table.addEventListener("click", ({ target }) => tapped(target, choose));
  table.addEventListener("keydown", (event) => {
    if (!["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    tapped(event.target, choose);
  });
  return { element: h("div", { class: "placing" }, table, words), show };
}

/** @param {any} target @param {(place: any) => void} choose */
function tapped(target, choose) {
  const place = target.closest("[data-place]")?.dataset.place;
  if (place) choose(place.split(",").map(Number));
}

function spoken(verdict) {
  if (!verdict) return t("place-unjudged");
  return verdict.refusal ? verdict.refusal.message : verdict.said.join(" ");
}
