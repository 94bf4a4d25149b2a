// Building page and picture: elements from plain calls, replaced only when what they show has changed.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// Rebuilds a region when `key` differs from the last time: keeps focus, half-typed numbers and silence otherwise.
export function show(id, key, build) {
  const region = document.getElementById(id);
  const mark = JSON.stringify(key ?? null);
  if (region.dataset.mark === mark) return;
  region.dataset.mark = mark;
  const focused = region.contains(document.activeElement) ? document.activeElement.id : "";
  const typed = [...region.querySelectorAll("input[data-typed]")].map(({ id, value }) => [id, value]);
  const built = [build()].flat(Infinity).filter(Boolean);
  region.replaceChildren(...built);
  region.hidden = built.length === 0;
  typed.forEach(([id, value]) => retype(document.getElementById(id), value));
  if (focused) document.getElementById(focused)?.focus();
}

// Somebody's number in a field, marked so that it outlives the field's being drawn anew.
export function retype(input, value) {
  if (!input) return;
  input.value = value;
  input.dataset.typed = "yes";
}

export function initial(name) {
  return [...name.trim()][0]?.toUpperCase() ?? "?";
}

export { counted } from "./words.js";

// A reason as a sentence: it may come as a mere clause.
export function spoken(text) {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
