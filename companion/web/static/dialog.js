// The page's one dialog: what is opened in it, and what changes of the table mean for it while it is open.

import { find, h } from "./dom.js";
import { t } from "./words.js";

const dialog = find("sheet");

/** @type {((state: import("./contract.js").State) => void) | null} */
let hears = null;

/**
 * @param {string} title
 * @param {any[]} parts
 * @param {((state: import("./contract.js").State) => void) | null} onState hears of every change while it is open
 */
export function openDialog(title, parts, onState = null) {
  hears = onState;
  dialog.replaceChildren(
    h("div", { class: "row head" }, h("h2", { id: "sheet-title" }, title),
      h("button", { class: "plain small", id: "sheet-close", onclick: () => dialog.close() }, t("close"))),
    ...parts.filter(Boolean));
  if (!dialog.open) dialog.showModal();
}

/**
 * The same for what is read for a moment: closing it leads back to what was open.
 * @param {string} title @param {any[]} parts
 */
export function openOver(title, parts) {
  const [under, heard] = [[...dialog.childNodes], hears];
  const isOver = dialog.open && !find("sheet-close").dataset.over;
  openDialog(title, parts);
  if (!isOver) return;
  const back = h("button", { class: "plain small", id: "sheet-close", "data-over": "yes", onclick: () => {
    hears = heard;
    dialog.replaceChildren(...under);
  } }, t("go-back"));
  find("sheet-close").replaceWith(back);
}

/**
 * Closes the dialog that shows `part`; another that has opened in its place meanwhile, such as the end, stays.
 * @param {Element | null} part
 */
export function closeDialog(part) {
  if (part && dialog.contains(part)) dialog.close();
}

/** @param {import("./contract.js").State} state */
export function tellDialog(state) {
  if (dialog.open) hears?.(state);
}
