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

const ANSWER_MS = 10_000; // a network that was lost without a word never answers

export async function answerOf(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  throw new Refused(response.status, body?.error ?? { code: "no-answer", message: t("answer-none") });
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

// What is answered soon, or else by nobody.
export function sendPromptly(path, options = {}, withinMs = ANSWER_MS) {
  const abort = new AbortController();
  setTimeout(() => abort.abort(), withinMs);
  return send(path, { ...options, signal: abort.signal });
}

// One key for each press, sent again with it: a press repeated by a shaky network counts once.
// (crypto.randomUUID exists on secure pages alone.)
export function key() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

function posted(body) {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": key() };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

// What may take a while, as a photograph does.
export const post = (path, body) => send(path, posted(body));

async function press(path, body) {
  const options = posted(body);
  try {
    return await sendPromptly(path, options);
  } catch (error) {
    if (error.code !== "offline" || !path.startsWith("/api/commands")) throw error;
    return sendPromptly(path, options);
  }
}

export const fetchState = () => sendPromptly("/api/state");
export const chooseLanguage = (language) => press("/api/language", { language });
export const fetchHealth = () => sendPromptly("/healthz");
export const fetchMe = () => sendPromptly("/api/me");
export const claim = (player) => press("/api/seat", { player });
export const free = (player) => press("/api/seat/free", player ? { player } : {});
export const operate = (pin) => press("/api/operator", { pin });
export const switchCamera = (on) => press("/api/camera", { on });
export const callReferee = (on) => press("/api/referee", { on });
export const resign = () => press("/api/operator/leave");
export const join = (code) => press("/api/join", { code });
export const command = (version, body) => press(`/api/commands?version=${version}`, body);
export const confirm = (version, player) => press("/api/confirm", { version, player });
export const reject = (version, player) => press("/api/reject", { version, player });
export const undo = (version) => press("/api/undo", { version });
export const redo = (version) => press("/api/redo", { version });
export const correct = (version, change) => press("/api/correct", { version, ...change });
export const fetchMove = (number) => sendPromptly(`/api/moves/${number}`);
export const fetchOptions = ([q, r], at) => sendPromptly(`/api/options?q=${q}&r=${r}${at ? `&at=${at}` : ""}`);
// What the rules would say of commands, now or in the place of a move that was made; nothing happens.
export const judge = (commands, at) => press("/api/verdicts", at ? { commands, at } : { commands }).then(({ verdicts }) => verdicts);
export const fetchGames = () => sendPromptly("/api/games").then(({ games }) => games);
export const fetchTopics = (game) => sendPromptly(`/api/howto/${game}`).then(({ topics }) => topics);
export const fetchPlayers = () => sendPromptly("/api/players").then(({ players }) => players);
export const begin = (header, isSetup) => press("/api/next", { header, setup: isSetup });
export const nextGame = (version, player) => press("/api/next", { version, player });
