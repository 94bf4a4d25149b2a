// Calibrating: the picture, taps on it, and what the table makes of them. Points are the picture's own pixels.

import { post, send } from "./api.js";
import { find, h, svg } from "./dom.js";
import { showPicture } from "./picture.js";
import "./theme.js";
import { trouble } from "./trouble.js";
import { t } from "./words.js";

const WAYS = [[null, "way-any"], ["marks", "way-marks"], ["card", "way-card"], ["taps", "way-taps"]];
const STEP = 4;

const taps = [];
const zones = new Map(); // name to points
let way = /** @type {string | null} */ (null);
let zone = /** @type {string | null} */ (null); // which zone is being tapped; null while taps are the sheet's corners
let kept = {};
let named = {}; // zones that the game has a word for
let cross = /** @type {any} */ (null);

async function refresh() {
  trouble("");
  showPicture(find("picture"), `/api/calibrate/picture.jpg?n=${Date.now()}`);
  await find("picture").decode().catch(() => trouble(t("dark")));
  try {
    const told = await send("/api/calibrate");
    kept = told.current?.zones_px ?? {};
    if (told.current) find("venue").value ||= told.current.venue;
    find("marks").textContent = told.marks.length ? t("marks-seen", { marks: told.marks.join(", ") }) : t("marks-none");
    find("checks").replaceChildren(...told.checks.map(({ state, words }) => h("li", { class: state }, words)));
    named = told.named;
    showPlaces(told.places);
  } catch (error) {
    trouble(error.message);
  }
  draw();
}

const shown = (name) => named[name] ?? name;

function picked(label, isOn, choose, id) {
  return h("button", { type: "button", id, class: "plain pick", "aria-pressed": String(isOn), onclick: choose }, label);
}

function showWays() {
  find("ways").replaceChildren(...WAYS.map(([name, words]) => picked(t(words), name === way, () => {
    way = name;
    zone = null;
    showWays();
    draw();
  }, `way-${name ?? "any"}`)));
  find("taps").hidden = way !== "taps";
}

let places = {};
function showPlaces(given = places) {
  places = given;
  find("places").replaceChildren(...Object.entries(places).map(([game, names]) =>
    h("div", { class: "row wrap", role: "group", "aria-label": game }, ...names.map((name, n) =>
      picked(zones.get(name)?.length > 1 ? `${shown(name)} ✓` : shown(name), name === zone, () => {
        zone = name === zone ? null : name;
        if (zone) zones.set(zone, []);
        showPlaces();
        draw();
      }, `place-${game}-${n}`)))));
}

function points() {
  if (zone) return zones.get(zone);
  return way === "taps" ? taps : null;
}

function tap([x, y]) {
  const into = points();
  if (!into) return trouble(t("choose-first"));
  trouble("");
  if (into === taps && taps.length === 4) taps.length = 0;
  into.push([Math.round(x * 10) / 10, Math.round(y * 10) / 10]);
  showPlaces();
  draw();
}

function untap() {
  points()?.pop();
  showPlaces();
  draw();
}

function around(corners) {
  if (corners.length !== 2) return corners;
  const [[a, b], [c, d]] = corners;
  return [[a, b], [c, b], [c, d], [a, d]];
}

function outline(name, corners, kind) {
  const middle = corners.reduce(([sx, sy], [x, y]) => [sx + x / corners.length, sy + y / corners.length], [0, 0]);
  return [svg("polygon", { class: kind, points: corners.map((at) => at.join()).join(" ") }),
    svg("text", { x: middle[0], y: middle[1], "text-anchor": "middle" }, shown(name))];
}

function draw() {
  const picture = find("picture");
  const drawing = find("drawing");
  drawing.setAttribute("viewBox", `-0.5 -0.5 ${picture.naturalWidth || 16} ${picture.naturalHeight || 9}`);
  const shapes = [];
  for (const [name, corners] of Object.entries(kept)) if (!zones.get(name)?.length) shapes.push(outline(name, corners, "zone is-kept"));
  for (const [name, corners] of zones) if (corners.length > 1) shapes.push(outline(name, around(corners), "zone"));
  const dots = [...(way === "taps" ? taps : []), ...(zone ? zones.get(zone) : [])];
  shapes.push(...dots.map(([x, y], n) => [svg("circle", { class: "tap", cx: x, cy: y, r: 15 }), svg("text", { x: x + 18, y: y - 14 }, String(n + 1))]));
  if (cross) shapes.push(svg("path", { class: "cross", d: `M${cross[0] - 20},${cross[1]}h40M${cross[0]},${cross[1] - 20}v40` }));
  drawing.replaceChildren(...shapes.flat());
  find("taps-left").textContent = t("taps-left", { n: taps.length });
}

function onKey(event) {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const { naturalWidth: w, naturalHeight: hgt } = find("picture");
  cross ??= [w / 2, hgt / 2];
  if (way) {
    const step = event.shiftKey ? 10 * STEP : STEP;
    cross = [Math.min(w - 1, Math.max(0, cross[0] + way[0] * step)), Math.min(hgt - 1, Math.max(0, cross[1] + way[1] * step))];
    draw();
  } else if (event.key === "Enter") {
    tap(cross);
  } else {
    return;
  }
  event.preventDefault();
}

function onTap(event) {
  const drawing = find("drawing");
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
  tap([at.x, at.y]);
}

async function store() {
  const asked = {
    venue: find("venue").value,
    by: way,
    width: find("picture").naturalWidth,
    taps: way === "taps" ? taps : [],
    sheet: [Number(find("sheet-w").value), Number(find("sheet-h").value)],
    zones: Object.fromEntries([...zones].filter(([, corners]) => corners.length)),
  };
  find("store").disabled = true;
  find("outcome").replaceChildren(t("storing"));
  try {
    const told = await post("/api/calibrate", asked);
    const residual = told.residual_mm === null ? t("residual-unknown") : t("residual", { mm: told.residual_mm.toFixed(2) });
    find("outcome").replaceChildren(
      h("p", { id: "stored" }, h("b", {}, t("stored", { file: told.file, by: told.by, residual, mm: told.mm_per_px.toFixed(2) }))),
      h("p", {}, told.zones.length ? t("zones-stored", { zones: told.zones.map(shown).join(", ") }) : t("zones-none")),
      ...told.advice.map((line) => h("p", { class: "notice" }, line)));
    zones.clear();
    zone = null;
    await refresh();
  } catch (error) {
    find("outcome").replaceChildren(h("p", { class: "notice", role: "alert" }, error.message));
  } finally {
    find("store").disabled = false;
  }
}

find("again").addEventListener("click", refresh);
find("untap").addEventListener("click", untap);
find("store").addEventListener("click", store);
find("drawing").addEventListener("click", onTap);
find("drawing").addEventListener("keydown", onKey);
showWays();
refresh();
