// Asking the table for something: JSON there and back, and the reason in words when it is not done.

import { t } from "./words.js";

export class Refused extends Error {
  /** @param {number} status @param {{code: string, message: string, refusal?: {code: string}}} error */
  constructor(status, { code, message, refusal }) {
    super(message);
    this.status = status;
    this.code = code;
    this.refusal = refusal; // why a later move cannot follow a correction
  }
}

export async function answerOf(response) {
  const body = await response.json().catch(() => ({}));
  if (response.ok) return body;
  throw new Refused(response.status, body.error ?? { code: "no-answer", message: t("answer-none") });
}

// Everybody's screen speaks the table's language, whatever its browser would rather have.
export function addressed(path) {
  const isBoard = document.body.dataset.view === "board";
  return isBoard ? `${path}${path.includes("?") ? "&" : "?"}lang=table` : path;
}

export async function send(path, options = {}) {
  let response;
  try {
    response = await fetch(addressed(path), { credentials: "same-origin", cache: "no-store", ...options });
  } catch {
    throw new Refused(0, { code: "offline", message: t("unreachable") });
  }
  return answerOf(response);
}

// One key for each press, sent again with it: a press repeated by a shaky network counts once.
// (crypto.randomUUID exists only on secure pages; a table at home has a plain address.)
export function key() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export async function post(path, body) {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": key() };
  const options = { method: "POST", headers, body: JSON.stringify(body) };
  try {
    return await send(path, options);
  } catch (error) {
    if (error.code !== "offline" || !path.startsWith("/api/commands")) throw error;
    return send(path, options);
  }
}

export const fetchState = () => send("/api/state");
export const chooseLanguage = (language) => post("/api/language", { language });
export const fetchHealth = () => send("/healthz");
export const fetchMe = () => send("/api/me");
export const claim = (player) => post("/api/seat", { player });
export const free = (player) => post("/api/seat/free", player ? { player } : {});
export const operate = (pin) => post("/api/operator", { pin });
export const switchCamera = (on) => post("/api/camera", { on });
export const callReferee = (on) => post("/api/referee", { on });
export const resign = () => post("/api/operator/leave");
export const join = (code) => post("/api/join", { code });
export const command = (version, body) => post(`/api/commands?version=${version}`, body);
export const confirm = (version, player) => post("/api/confirm", { version, player });
export const reject = (version, player) => post("/api/reject", { version, player });
export const undo = (version) => post("/api/undo", { version });
export const redo = (version) => post("/api/redo", { version });
export const correct = (version, change) => post("/api/correct", { version, ...change });
export const fetchMove = (number) => send(`/api/moves/${number}`);
export const fetchOptions = ([q, r], at) => send(`/api/options?q=${q}&r=${r}${at ? `&at=${at}` : ""}`);
// What the rules would say of commands, now or in the place of a move that was made; nothing happens.
export const judge = (commands, at) => post("/api/verdicts", at ? { commands, at } : { commands }).then(({ verdicts }) => verdicts);
export const fetchGames = () => send("/api/games").then(({ games }) => games);
export const fetchTopics = (game) => send(`/api/howto/${game}`).then(({ topics }) => topics);
export const fetchPlayers = () => send("/api/players").then(({ players }) => players);
export const begin = (header) => post("/api/next", { header });
export const nextGame = (version, player) => post("/api/next", { version, player });
