// Lanterns in the browser: a row of coloured discs.

import { h } from "/static/dom.js";
import { t } from "/static/words.js";

export const title = t("lanterns");

export function drawTable({ table }) {
  return h("ol", { class: "lanterns" }, ...table.laid.map((colour) => h("li", { class: `lantern ${colour}` }, colour)));
}

export function tableFacts({ table }) {
  return [{ label: t("lanterns-left"), value: table.left }];
}
