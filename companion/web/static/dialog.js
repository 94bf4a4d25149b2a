// The page's one dialog: what is opened in it, and what changes of the table mean for it while it is open.

import { find, h } from "./dom.js";
import { t } from "./words.js";

const dialog = find("sheet");

/** @typedef {((state: import("./contract.js").State) => void) | null} Hears */
/** @type {Hears} */
let hears = null;
/** @type {{ parts: ChildNode[], hears: Hears } | null} */
let under = null; // what is covered by what is read for a moment
let isLeaving = false; // the history goes back by itself

/**
 * @param {string} title
 * @param {any[]} parts
 * @param {Hears} onState hears of every change while it is open
 */
export function openDialog(title, parts, onState = null) {
  under = null;
  show(title, parts, onState, h("button", { class: "plain small", id: "sheet-close", onclick: () => dialog.close() }, t("close")));
}

/**
 * The same for what is read for a moment: closing it leads back to what was open.
 * @param {string} title @param {any[]} parts
 */
export function openOver(title, parts) {
  if (!dialog.open) return openDialog(title, parts);
  under ??= { parts: [...dialog.childNodes], hears };
  show(title, parts, null, h("button", { class: "plain small", id: "sheet-close", onclick: uncover }, t("go-back")));
}

function show(title, parts, onState, close) {
  hears = onState;
  dialog.replaceChildren(h("div", { class: "row head" }, h("h2", { id: "sheet-title" }, title), close), ...parts.filter(Boolean));
  if (!dialog.open) dialog.showModal();
  keepHistory();
}

function uncover() {
  if (!under) return;
  hears = under.hears;
  dialog.replaceChildren(...under.parts);
  under = null;
  keepHistory();
}

// How many steps back in the history lead out of what is open, and how many there are.
function depth() {
  return !dialog.open ? 0 : under ? 2 : 1;
}

function steps() {
  return history.state?.dialogs ?? 0;
}

// Has the back button close what is open instead of leaving the page: each dialog is a step of the history, which is
// taken back when it is closed otherwise. A page that was loaded anew has none open.
function keepHistory() {
  if (isLeaving) return;
  if (steps() > depth()) {
    isLeaving = true;
    history.go(depth() - steps());
  }
  while (steps() < depth()) {
    history.scrollRestoration = "manual"; // what lies under a dialog stays where it is
    history.pushState({ dialogs: steps() + 1 }, "");
  }
  if (!steps()) history.scrollRestoration = "auto";
}

addEventListener("popstate", () => {
  if (isLeaving) isLeaving = false;
  else if (!steps() && dialog.open) dialog.close();
  else if (steps() < depth()) uncover();
  keepHistory();
});
dialog.addEventListener("close", () => {
  if (!dialog.open) under = null;
  keepHistory();
});
keepHistory();

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
