// A game that has no drawing of its own yet: its table and seats as words and numbers.

import { h } from "./dom.js";
import { t } from "./words.js";

export const title = null;

const isShort = (value) => ["string", "number", "boolean"].includes(typeof value);
const words = (name) => name.replaceAll("_", " ");
const said = (value) => (value === true ? t("yes") : value === false ? t("no") : value);

export function drawTable() {
  return h("p", { class: "empty" }, t("plain"));
}

export function roundWords({ phase }) {
  return phase;
}

export function tableFacts({ table }) {
  const shown = Object.entries(table).filter(([name, value]) => isShort(value) && !["phase", "turn"].includes(name));
  return shown.map(([name, value]) => ({ label: words(name), value: said(value) }));
}

export function seat(state, name) {
  const [first, ...rest] = Object.entries(state.players[name]).filter(([, value]) => isShort(value));
  const pots = rest.map(([label, value]) => ({ label: words(label), value: said(value) }));
  return { main: { label: words(first?.[0] ?? ""), value: first ? said(first[1]) : "" }, pots, hand: null };
}

export function prompt() {
  return "";
}
