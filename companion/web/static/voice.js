// The phone's own voice: what the table announces, once somebody asked for it here.

import { t } from "./words.js";

const KEPT = "companion-voice";
const voice = window.speechSynthesis;

export const CHOICES = { off: t("voice-off"), turn: t("voice-turn"), all: t("voice-all") };
export const canSpeak = Boolean(voice);

const AGAIN_MS = 30000; // so long the same thing amiss is not said again
const lately = new Map();

/** @type {any} */
let before = null; // what was shown last: nothing is said of what happened before one looked

export function chosen() {
  return localStorage.getItem(KEPT) ?? "off";
}

// The tap that chooses also lets the browser speak from then on.
export function choose(choice) {
  localStorage.setItem(KEPT, choice);
  voice.cancel();
  if (choice !== "off") say(choice === "turn" ? t("voice-turn-on") : t("voice-all-on"));
}

export function heard(state, seat) {
  const amiss = state.notices.filter(({ aloud }) => aloud).map(({ text }) => text);
  const now = { amiss, version: state.changed, moves: state.history.length, turn: state.turn, amended: state.amendments.at(-1)?.version ?? 0 };
  const was = before;
  before = now;
  if (!voice || !was || chosen() === "off") return;
  if (chosen() === "all") amiss.filter((text) => !was.amiss.includes(text) && isNew(text)).forEach(say);
  if (now.version === was.version) return;
  if (now.amended > was.amended) voice.cancel(); // a correction silences what it corrects
  for (const sentence of words(state, seat, was, now)) say(sentence);
}

function isNew(text) {
  const isOld = Date.now() - (lately.get(text) ?? -AGAIN_MS) < AGAIN_MS;
  if (!isOld) lately.set(text, Date.now());
  return !isOld;
}

function words(state, seat, was, now) {
  const mine = seat && now.turn === seat && was.turn !== seat ? [t("your-turn-said")] : [];
  if (chosen() === "turn") return mine;
  if (now.amended > was.amended) return [...state.amendments.at(-1).said, ...mine];
  return [...(now.moves > was.moves ? state.said : []), ...mine];
}

function say(sentence) {
  const spoken = new SpeechSynthesisUtterance(sentence);
  spoken.lang = document.documentElement.lang;
  voice.speak(spoken);
}
