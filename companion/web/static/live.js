// Staying up to date: one event stream, opened anew when the phone wakes, and plain asking while there is none.

import { fetchState } from "./api.js";

const SILENCE_MS = 35000; // signs of life come every 12 s; three missed ones are a lost table
const ASK_MS = 4000;
const AGAIN_MS = 5000;

export function follow({ onState, onLink, onRefused }) {
  let source = null;
  let again = 0;
  let lastHeard = 0;

  const heard = (link) => {
    lastHeard = Date.now();
    onLink(link);
  };

  const open = () => {
    close();
    source = new EventSource("/api/events");
    source.onopen = () => heard("live");
    source.addEventListener("state", (event) => {
      heard("live");
      onState(JSON.parse(event.data));
    });
    source.addEventListener("alive", () => heard("live"));
    source.addEventListener("announcement", (event) => {
      heard("live");
      onRefused(JSON.parse(event.data).refused);
    });
    source.onerror = () => {
      onLink(Date.now() - lastHeard > AGAIN_MS ? "lost" : "waiting");
      if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN_MS);
    };
  };

  const close = () => {
    clearTimeout(again);
    source?.close();
    source = null;
  };

  const ask = async (link) => {
    try {
      onState(await fetchState());
      heard(link);
    } catch {
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
  setInterval(watch, ASK_MS);
  open();
  return { ask: () => ask("live") };
}
