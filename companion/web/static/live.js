// Staying up to date: one event stream, opened anew when the phone wakes, and plain asking while there is none.

import { addressed, fetchState } from "./api.js";

const SILENCE_MS = 35000; // signs of life come every 12 s; three missed ones are a lost table
const ASK_MS = 3000;
const AGAIN_MS = 5000;

export function follow({ onState, onLink, onRefused }) {
  let source = /** @type {EventSource | null} */ (null);
  let again = /** @type {any} */ (0);
  let lastHeard = 0;
  let isLost = false;
  let states = 0;

  const heard = () => {
    lastHeard = Date.now();
    isLost = false;
    onLink("live");
  };

  const open = () => {
    close();
    let isFirst = true; // it counts whatever its number: a table begun anew counts from one again
    let isReopened = false;
    source = new EventSource(addressed("/api/events"));
    source.onopen = () => {
      isFirst = true;
      heard();
      if (isReopened) ask(null, true); // another table may be here now
      isReopened = true;
    };
    source.addEventListener("state", (event) => {
      heard();
      states += 1;
      onState(JSON.parse(event.data), isFirst);
      isFirst = false;
    });
    source.addEventListener("alive", () => heard());
    source.addEventListener("announcement", (event) => {
      heard();
      const { refused, is_answered: isAnswered, again } = JSON.parse(event.data);
      if (!isAnswered && !again) onRefused(refused); // a phone's own press is answered to it alone, an old one is no news
    });
    source.onerror = () => {
      const isRefused = source?.readyState === EventSource.CLOSED;
      if (isRefused) again = setTimeout(open, AGAIN_MS);
      ask(isRefused ? "asking" : null);
    };
  };

  const close = () => {
    clearTimeout(again);
    source?.close();
    source = null;
  };

  // Asks once; `link` is how the page stays up to date if that succeeds, none when that is yet to be seen. `isAnew`: it
  // counts whatever its number, unless a stream was sooner.
  const ask = async (/** @type {string | null} */ link = null, isAnew = false) => {
    const told = states;
    try {
      const state = await fetchState();
      onState(state, isLost || (isAnew && told === states));
      isLost = false;
      lastHeard = Date.now();
      if (link) onLink(link);
    } catch {
      isLost = true;
      onLink("lost");
    }
  };

  // A stream may die without a word: whenever none is open, or nothing was heard for long, ask instead.
  const watch = () => {
    if (document.hidden) return;
    const isSilent = Date.now() - lastHeard > SILENCE_MS;
    if (isSilent && source?.readyState === EventSource.OPEN) open();
    if (source?.readyState !== EventSource.OPEN || isSilent) ask("asking");
  };

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => event.persisted && open());
  window.addEventListener("online", open);
  window.addEventListener("offline", () => ask()); // a stream that stands open says nothing of it
  setInterval(watch, ASK_MS);
  open();
  return { ask: () => ask() };
}
