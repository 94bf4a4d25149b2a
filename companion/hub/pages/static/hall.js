// The hall display: every table in a grid that fills the screen, the last call and the biggest pot, and what needs somebody.

import { find, h, show } from "/house/dom.js";
import { counted, isolated, parts, t } from "/house/words.js";

const ROOMY = 12; // tables: chips and foot lines are legible from afar
const MEDIUM = 48; // chips are
const DENSE = 100; // who called is
const WIDE = 1.9; // a tile is about so much wider than high
const NEW_MS = 2500;
const SHOWN_ALARMS = 8;
const EXPLAINED_ALARMS = 4;
const AGAIN_MS = 3000;
const SILENCE_MS = 35000; // signs of life come every 10 s; three missed ones are a lost hub

const tables = new Map();
const changedAt = new Map();
let call = /** @type {any} */ (null);
let shared = 0;

const nameOf = ({ hall, table }) => `${hall}/${table}`;

function take({ whole, tables: changed, call: newest }) {
  if (whole) tables.clear();
  for (const table of changed) {
    const before = tables.get(nameOf(table));
    if (before && before.moves !== table.moves && table.call) changedAt.set(nameOf(table), Date.now());
    tables.set(nameOf(table), table);
  }
  call = newest;
  draw();
}

function draw() {
  const all = [...tables.values()].sort((a, b) => nameOf(a).localeCompare(nameOf(b), "en", { numeric: true }));
  find("count").textContent = counted(all.length, "table");
  show("call", call, () => news(t("part-call"), call?.word, t("no-call"), call && lastCall(call)));
  const pot = biggestPot(all);
  show("pot", pot, () => news(t("part-pot"), pot?.amount, t("no-pot"), pot && [`${isolated(pot.name)} `, ...parts("at", { table: pot.table })]));
  const alarmed = all.filter(({ alarms }) => alarms.length).sort((a, b) => b.serious - a.serious);
  show("alarms", alarmed.map(({ table, alarms }) => [table, alarms]), () => allAlarms(alarmed));
  grid(all);
}

function news(kicker, large, none, by) {
  return [
    h("p", { class: "kicker" }, kicker),
    h("p", { class: large === undefined ? "large none" : "large" }, String(large ?? none)),
    h("p", { class: "by" }, by ?? " "),
  ];
}

function lastCall({ player, table, said }) {
  return [player ? `${isolated(player)}, ` : "", ...parts("at", { table }), said ? ` · ${said}` : ""];
}

function biggestPot(all) {
  let best = /** @type {any} */ (null);
  for (const { pot, table } of all) {
    if (pot && (best === null || pot.amount > best.amount)) best = { ...pot, table };
  }
  return best;
}

function allAlarms(alarmed) {
  const shown = alarmed.slice(0, SHOWN_ALARMS).map((table) => alarm(table, alarmed.length <= EXPLAINED_ALARMS));
  const more = alarmed.length - shown.length;
  return more ? [...shown, h("p", { class: "alarm more" }, `+${more}`)] : shown;
}

function alarm({ table, alarms }, isExplained) {
  const [{ code, text }] = alarms;
  const why = isExplained && text && code !== "doubt" ? h("span", {}, code === "camera" ? t("camera-lost", { text }) : text) : null;
  return h("p", { class: "alarm" }, `${table}: ${t(`alarm-${code}`, { text })}`, why);
}

// As many columns as make tiles of a good shape, and letters as large as the tiles allow.
function grid(all) {
  const list = find("tables");
  const { clientWidth: width, clientHeight: height } = list;
  const columns = Math.max(1, Math.round(Math.sqrt((all.length * width) / (Math.max(height, 1) * WIDE))));
  const rows = Math.max(1, Math.ceil(all.length / columns));
  const [shape, lines, letters] = /** @type {[string, number, number]} */ (all.length <= ROOMY ? ["roomy", 10.8, 13]
    : all.length <= MEDIUM ? ["medium", 8.6, 13]
    : all.length <= DENSE ? ["dense", 3.4, 9] : ["dense tiny", 2.9, 6.5]);
  const unit = Math.min(height / rows / lines, width / columns / letters, height / 24);
  list.className = shape;
  shared = all.length > MEDIUM ? sharedStart(all.map(({ table }) => table)) : 0;
  list.style.setProperty("--columns", String(columns));
  list.style.setProperty("--rows", String(rows));
  list.style.setProperty("--unit", `${unit.toFixed(2)}px`);
  if (all.length === 0) {
    list.replaceChildren(h("li", { class: "none" }, t("no-tables")));
    return;
  }
  const drawn = /** @type {HTMLElement[]} */ ([...list.children]);
  if (drawn.length !== all.length || drawn.some((tile, n) => tile.dataset.name !== nameOf(all[n]))) {
    list.replaceChildren(...all.map((table) => tile(table, null)));
    return;
  }
  all.forEach((table, n) => {
    const made = tile(table, drawn[n]);
    if (made !== drawn[n]) drawn[n].replaceWith(made);
  });
}

// How many letters all names begin with: a crowd of tables is told apart by what follows.
function sharedStart(names) {
  const [first] = names;
  let n = 0;
  while (names.every((name) => n < name.length - 1 && name[n] === first[n])) n += 1;
  return first.slice(0, n).replace(/[0-9]+$/, "").length;
}

// A tile is made anew only when it says something new.
function tile(table, before) {
  const isNew = Date.now() - (changedAt.get(nameOf(table)) ?? 0) < NEW_MS;
  const { sent, version, line, ...said } = table;
  const mark = JSON.stringify([said, isNew, shared]);
  if (before?.dataset.mark === mark) return before;
  const classes = ["table", isNew && "is-new", table.serious > 0 && "is-alarmed", table.state === "closed" && "is-away"];
  return h("li", { class: classes.filter(Boolean).join(" "), "data-name": nameOf(table), "data-mark": mark },
    h("p", { class: "head" }, h("span", { class: "name" }, table.table.slice(shared)), h("span", { class: "kind" }, table.title)),
    word(table),
    standing(table),
    foot(table));
}

function word({ state, call: called, said, over, turn }) {
  if (state === "closed") return h("p", { class: "word quiet" }, t("closed"));
  if (!called) return h("p", { class: "word quiet" }, said || (over ? t("over") : turn ? t("turn", { player: turn }) : " "));
  return h("p", { class: "word" }, called.word, called.player ? h("small", {}, called.player) : null);
}

function standing({ players = [], measures = {}, turn }) {
  const ranked = [...players].sort((a, b) => (measures[b] ?? 0) - (measures[a] ?? 0));
  return h("ul", { class: "standing" }, ...ranked.map((player) =>
    h("li", { class: player === turn ? "is-turn" : "" }, h("span", {}, player === turn ? "▸ " : "", player), h("b", {}, measures[player] ?? ""))));
}

function foot({ moves, over, proposal, pot, alarms }) {
  const why = alarms.length ? h("span", { class: "why" }, t(`alarm-${alarms[0].code}`, alarms[0])) : null;
  const now = over ? t("over") : proposal ? t("waiting") : moves === undefined ? "" : counted(moves, "move");
  return h("p", { class: "foot" }, why ?? h("span", {}, now), pot ? h("span", {}, `${isolated(pot.name)} ${pot.amount}`) : null);
}

function link(state) {
  const element = find("link");
  element.dataset.link = state;
  element.textContent = t(state);
}

let source = /** @type {EventSource | null} */ (null);
let lastHeard = 0;

function heard() {
  lastHeard = Date.now();
  link("live");
}

function follow() {
  const mine = new EventSource("/api/hall/events");
  source = mine;
  lastHeard = Date.now();
  mine.addEventListener("hall", (event) => {
    heard();
    take(JSON.parse(event.data));
  });
  mine.addEventListener("alive", heard);
  mine.onerror = () => {
    if (mine.readyState !== EventSource.CLOSED) {
      link("lost"); // the browser tries again by itself
      return;
    }
    ask();
    setTimeout(follow, AGAIN_MS);
  };
}

// A hub or a network that loses power closes no stream: one that says nothing for so long is opened anew.
function watch() {
  if (source?.readyState === EventSource.CLOSED || Date.now() - lastHeard < SILENCE_MS) return;
  source?.close();
  link("lost");
  follow();
}

// A display that got no stream, for all places are taken, asks until it gets one.
async function ask() {
  try {
    const response = await fetch("/api/hall", { cache: "no-store" });
    if (!response.ok) throw new Error(response.statusText);
    take({ whole: true, ...(await response.json()) });
    link("asking");
  } catch {
    link("lost");
  }
}

window.addEventListener("resize", draw);
setInterval(draw, 1000); // what was new is so no more
setInterval(watch, AGAIN_MS);
follow();
