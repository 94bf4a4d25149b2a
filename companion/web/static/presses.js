// Pressing: once for what the page shows, with the reason where it is refused; the join code is asked for.

import * as api from "./api.js";
import { find, spoken } from "./dom.js";

const TOAST_MS = 6000;
const REBASES = 3; // so often a correction is sent again when a move came between

const toast = find("toast");

let hideLater = /** @type {any} */ (0);
let told = 0; // how many notices there were

/**
 * Says it in the top layer, or an open dialog would cover it; on older phones in the dialog.
 * @param {string} text @param {Node | null} rule what leads to the rule that it comes from
 */
export function tell(text, rule = null) {
  told += 1;
  if (!toast.showPopover) (document.querySelector("dialog[open]") ?? document.body).append(toast);
  clearTimeout(hideLater);
  toast.replaceChildren(text && spoken(text), rule ?? "");
  toast.hidden = text === "";
  if (!toast.hidden && toast.showPopover && !toast.matches(":popover-open")) toast.showPopover();
  hideLater = setTimeout(() => (toast.hidden = true), TOAST_MS);
}

// Whether a move still stands as it was opened, whatever came after it.
export function stands(state, { n, command }) {
  return JSON.stringify(state.history[n - 1]?.command) === JSON.stringify(command);
}

// A correction of a move that still stands holds after later moves too: it is sent for the table as it is now.
async function rebased(move, change, state, tries = REBASES) {
  try {
    return await api.correct(state.version, change);
  } catch (error) {
    const now = error.code === "stale" && tries ? await api.fetchState() : null;
    if (!now || !stands(now, move)) throw error;
    return rebased(move, change, now, tries - 1);
  }
}

const ABOUT_RIGHTS = ["not-joined", "wrong-code", "not-your-seat", "operator-only", "seat-taken"];

const isSeen = (place) => Boolean(place?.closest("dialog[open]"));

export function presses({ onRights, onDone, onRefused, latest }) {
  const version = () => latest()?.version;
  const waiting = () => latest()?.proposal?.command.player ?? null;
  const pressed = new Set();

  // A second tap on the same picture of the table is none; once the page shows the first one's outcome, it is.
  // `place` is where a refusal is told while that can be seen, else it is a toast.
  const press = async (ask, /** @type {Element | null} */ place = null) => {
    const shown = version();
    const before = told;
    if (pressed.has(shown)) return;
    pressed.add(shown);
    document.body.classList.add("is-busy");
    try {
      const answer = await ask();
      if (told === before) tell(""); // a newer press's refusal stays
      onDone();
      return answer ?? {};
    } catch (error) {
      if (!(error instanceof api.Refused)) throw error;
      if (ABOUT_RIGHTS.includes(error.code)) await onRights();
      if (error.status === 409) onDone();
      if (isSeen(place)) tell("");
      else onRefused(error);
      return { error };
    } finally {
      pressed.delete(shown);
      document.body.classList.toggle("is-busy", pressed.size > 0);
    }
  };

  const rights = (ask) => press(() => ask().then(onRights));

  toast.addEventListener("click", () => tell(""));
  find("join-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const code = find("join-code").value.trim();
    rights(() => api.join(code));
  });

  return {
    claim: (player) => rights(() => api.claim(player)),
    free: (player) => rights(() => api.free(player)),
    operate: (pin) => rights(() => api.operate(pin)),
    resign: () => rights(() => api.resign()),
    switchCamera: (on) => press(() => api.switchCamera(on)),
    callReferee: (on) => press(() => api.callReferee(on)),
    command: (body, place = null) => press(() => api.command(version(), body), place),
    confirm: () => press(() => api.confirm(version(), waiting())),
    reject: () => press(() => api.reject(version(), waiting())),
    undo: () => press(() => api.undo(version())),
    redo: () => press(() => api.redo(version())),
    correct: (move, change, place) => press(() => rebased(move, change, stands(latest(), move) ? latest() : { version: move.version }), place),
    begin: (header, isSetup) => rights(() => api.begin(header, isSetup)),
    nextGame: () => press(() => api.nextGame(version(), latest()?.turn)),
  };
}
