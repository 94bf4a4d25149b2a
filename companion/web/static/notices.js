// What people should know of camera and table: shown once it has lasted, calm when nothing is wrong.

import { h } from "./dom.js";
import { t } from "./words.js";

const LASTS_MS = 1200; // what passes sooner is not shown
const CALM_LASTS_MS = 4000; // hands at work come and go

/** @type {Map<string, number>} when each code was first told, on the page's clock */
const since = new Map();
let again = /** @type {any} */ (0);

const lasts = ({ calm }) => (calm ? CALM_LASTS_MS : LASTS_MS);

/**
 * The notices that have lasted, what is wrong first; `redraw` is called when another one has.
 * @param {any[]} notices @param {() => void} redraw @param {number} now
 */
export function lasting(notices, redraw, now = performance.now()) {
  for (const code of since.keys()) if (!notices.some((notice) => notice.code === code)) since.delete(code);
  for (const { code } of notices) if (!since.has(code)) since.set(code, now);
  const left = (notice) => (since.get(notice.code) ?? now) + lasts(notice) - now;
  const coming = notices.map(left).filter((ms) => ms > 0);
  clearTimeout(again);
  if (coming.length) again = setTimeout(redraw, Math.min(...coming) + 20);
  return notices.filter((notice) => left(notice) <= 0).sort((a, b) => Number(a.calm) - Number(b.calm));
}

export function drawNotices(notices) {
  return notices.map(({ code, text, at, calm }) =>
    h("div", { class: calm ? "notice is-calm" : "notice", "data-code": code }, h("span", { class: "sign", "aria-hidden": "true" }, calm ? "…" : "!"),
      h("p", {}, text), at ? spot(at) : null));
}

// Where in the camera's picture to look: a small frame with a mark in it, and the same in words.
function spot([x, y]) {
  const across = x < 1 / 3 ? "left" : x > 2 / 3 ? "right" : "middle";
  const down = y < 1 / 3 ? "far-" : y > 2 / 3 ? "near-" : "";
  const words = t(`spot-${down}${across}`);
  const mark = h("span", { class: "spot", role: "img", "aria-label": t("where", { spot: words }) }, h("i", {}));
  mark.firstChild.style.left = `${(x * 100).toFixed(1)}%`;
  mark.firstChild.style.top = `${(y * 100).toFixed(1)}%`;
  return h("span", { class: "where" }, mark, h("span", {}, words));
}
