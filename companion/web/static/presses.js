// Pressing: one press at a time, the reason shown when it is refused, the join code asked for when it is missing.

import * as api from "./api.js";
import { find, spoken } from "./dom.js";

const TOAST_MS = 6000;

let hideLater = 0;

export function tell(text) {
  const toast = find("toast");
  clearTimeout(hideLater);
  toast.textContent = text && spoken(text);
  toast.hidden = text === "";
  hideLater = setTimeout(() => (toast.hidden = true), TOAST_MS);
}

const ABOUT_RIGHTS = ["not-joined", "wrong-code", "not-your-seat", "operator-only", "seat-taken"];

export function presses({ onRights, onDone, version }) {
  let isBusy = false;

  const press = async (ask) => {
    if (isBusy) return;
    isBusy = true;
    document.body.classList.add("is-busy");
    try {
      const answer = await ask();
      tell("");
      onDone();
      return answer ?? {};
    } catch (error) {
      if (!(error instanceof api.Refused)) throw error;
      if (ABOUT_RIGHTS.includes(error.code)) await onRights();
      if (error.status === 409) onDone();
      tell(error.message);
      return { error };
    } finally {
      isBusy = false;
      document.body.classList.remove("is-busy");
    }
  };

  const rights = (ask) => press(() => ask().then(onRights));

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
    command: (body) => press(() => api.command(body)),
    confirm: () => press(() => api.confirm(version())),
    reject: () => press(() => api.reject(version())),
    undo: () => press(() => api.undo(version())),
    redo: () => press(() => api.redo(version())),
    correct: (at, change) => press(() => api.correct(at, change)),
    begin: (header) => press(() => api.begin(header)),
    nextGame: () => press(() => api.nextGame(version())),
  };
}
