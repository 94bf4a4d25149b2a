// Building page and picture: elements from plain calls, replaced only when what they show has changed.

/**
 * The element of that id, whatever its kind: what the template does not have is a fault of the page.
 * @param {string} id @returns {any}
 */
export function find(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no ${id}`);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {any} Child a node, text, a list of those, or nothing */

/** @param {Element} element @param {Record<string, any>} attributes @param {Child[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** @param {string} tag @param {Record<string, any>} attributes @param {Child[]} children @returns {any} */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** @param {string} tag @param {Record<string, any>} attributes @param {Child[]} children @returns {any} */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * Rebuilds a region when `key` differs from the last time: keeps focus, half-typed numbers and silence otherwise.
 * @param {string} id @param {any} key @param {() => Child} build
 */
export function show(id, key, build) {
  const region = find(id);
  const mark = JSON.stringify(key ?? null);
  if (region.dataset.mark === mark) return;
  region.dataset.mark = mark;
  const focused = region.contains(document.activeElement) ? document.activeElement?.id : "";
  const typed = [...region.querySelectorAll("input[data-typed]")].map(({ id, value }) => [id, value]);
  const built = [build()].flat(Infinity).filter(Boolean);
  region.replaceChildren(...built);
  region.hidden = built.length === 0 && !("keeps" in region.dataset);
  for (const [id, value] of typed) retype(document.getElementById(id), value);
  if (focused) document.getElementById(focused)?.focus();
}

const SIZES = ["is-tight", "is-tighter"];

/**
 * Makes what stands in a place of fixed height smaller, step by step, until none of it is cut off. The lines for which
 * there is no room even so are marked.
 * @param {string} id
 */
export function squeeze(id) {
  const place = find(id);
  const bottom = (/** @type {Element} */ part) => part.getBoundingClientRect().bottom;
  const isHidden = (/** @type {any} */ part) => bottom(part) > Math.min(bottom(part.parentElement), bottom(place)) + 1;
  const isCut = () => [...place.children, ...place.querySelectorAll("li")].some(isHidden);
  place.classList.remove(...SIZES);
  const lines = [...place.querySelectorAll("li")];
  for (const line of lines) line.classList.remove("is-left-out");
  for (const size of SIZES) if (isCut()) place.classList.add(size);
  for (const line of lines.filter(isHidden)) line.classList.add("is-left-out");
}

// Somebody's number in a field: it outlives the field's being drawn anew.
export function retype(input, value) {
  if (!input) return;
  input.value = value;
  input.dataset.typed = "yes";
}

// A command of one's own, to be changed.
export const copied = (command) => JSON.parse(JSON.stringify(command));

export function initial(name) {
  return [...name.trim()][0]?.toUpperCase() ?? "?";
}

export { counted } from "./words.js";

export function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// A reason as a sentence: it may come as a mere clause.
export function spoken(text) {
  const sentence = capitalized(text);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
