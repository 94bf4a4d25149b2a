// The page: what the table last said, region by region. The server decides; this only shows and asks.

import { follow } from "./live.js";
import { find, show } from "./dom.js";
import { gameModule, wear } from "./games.js";
import { fetchMe } from "./api.js";
import { isCameraOff, isRefereeCalled, mine, seatChoice, thisPhone } from "./people.js";
import { layer, mySeat, mySeatShows } from "./seat.js";
import { heard } from "./voice.js";
import { presses, tell } from "./presses.js";
import * as regions from "./regions.js";
import { t } from "./words.js";

const LINK_WORDS = { live: t("live"), waiting: t("connecting"), asking: t("asking"), lost: t("lost") };

/** @type {any} the table as it was last told; null before */
let latest = null;
let me = JSON.parse(document.body.dataset.me ?? "{}");
let isLaying = false; // whether free cells are shown to tap, because a card is entered by hand
const isBoard = document.body.dataset.view === "board";

async function onState(state, isFirst = false) {
  const [game] = await Promise.all([gameModule(state.game), wear(state.game)]);
  if (latest && !isFirst && state.version < latest.version) return;
  latest = state;
  draw(state, game);
  if (!isBoard) heard(state, me.seat);
}

function draw(state, game) {
  document.title = regions.titleWords(state, game);
  document.body.dataset.game = state.game;
  document.body.dataset.phase = state.phase;
  document.body.dataset.seated = me.seat ? "yes" : "no";
  show("game", [state.game, state.header.edition], () => regions.gameName(state, game));
  show("round", game.roundWords(state), () => game.roundWords(state));
  show("call", [state.call, state.said, state.last?.n, regions.correction(state)], () => regions.call(state));
  show("notices", [state.notices], () => regions.notices(state));
  show("turn", [state.turn, state.phase, state.result, me.seat], () => regions.turn(state, game, me));
  isLaying &&= layer(state, me);
  document.body.classList.toggle("is-laying", isLaying);
  show("cloth", [state.game, state.table, state.players, state.proposal, state.last, isLaying], () => game.drawTable(state, isLaying));
  show("facts", game.tableFacts(state), () => regions.facts(game.tableFacts(state)));
  show("seats", [state.players, state.turn, state.phase, state.table.dealer, me.seat], () => regions.seats(state, game, me));
  show("proposal", [state.proposal, me, isBoard], () => regions.proposal(state, me, isBoard, press));
  document.body.classList.toggle("has-sheet", state.proposal !== null);
  if (isBoard) return show("history", [state.history], () => regions.lastMoves(state));
  const possible = me.joined ? mine(state.actions, me) : [];
  show("choice", [Object.keys(state.players), me], () => seatChoice(state, me, press));
  show("actions", [possible, mySeatShows(state, game, me), me, isLaying], () => mySeat(state, game, me, possible, press));
  show("history", [state.history, state.amendments, state.can_undo, state.can_redo, me.operator],
    () => regions.history(state, me.operator, press, open));
  show("people", [Object.keys(state.players), me, isCameraOff(state), isRefereeCalled(state)], () => thisPhone(state, me, press));
  find("join").hidden = me.joined;
}

// Where the page is secure (the table's own screen is), the screen stays on while it is looked at.
function stayAwake() {
  if (!document.hidden) navigator.wakeLock?.request("screen").catch((reason) => console.info(String(reason)));
}

function onLink(link) {
  const sign = find("link");
  if (sign.dataset.link === link) return;
  sign.dataset.link = link;
  document.body.dataset.link = link;
  find("link-words").textContent = LINK_WORDS[link];
}

// Seats and rights are this phone's own, no part of the table's state: asked for after every change of them.
async function onRights() {
  me = await fetchMe();
  document.body.dataset.joined = me.joined ? "yes" : "no";
  if (latest) draw(latest, await gameModule(latest.game));
}

const live = follow({ onState, onLink, onRefused: ({ message }) => tell(message) });
const press = { ...presses({ onRights, onDone: () => live.ask(), version: () => latest?.version }), layByHand, anotherGame, changeProposal, isLaying: () => isLaying };

async function open(number) {
  const [{ openSheet }, game] = await Promise.all([import("./sheet.js"), gameModule(latest.game)]);
  await openSheet(number, { state: latest, game, me, press });
}

// The move that laid a card: the last that names its cell, for the next game of an evening uses cells again.
function moveAt(cell) {
  const names = ({ command }) => [command, ...(Array.isArray(command.cards) ? command.cards : [])].some((card) => card?.cell?.join?.() === cell);
  return latest.history.findLast(names)?.n;
}

/** @param {number[] | null} cell */
async function lay(cell) {
  const [{ openLay }, game] = await Promise.all([import("./lay.js"), gameModule(latest.game)]);
  await openLay(cell, { state: latest, game, me, press, onLaid });
}

// One's own card laid, the turn is another's; a phone without a seat goes on entering for everybody.
function onLaid() {
  isLaying &&= !me.seat;
}

// What the camera saw, put right before it counts.
async function changeProposal() {
  const [{ openLay }, game] = await Promise.all([import("./lay.js"), gameModule(latest.game)]);
  await openLay(null, { state: latest, game, me, press, onLaid, command: latest.proposal.command });
}

async function anotherGame() {
  const { openBegin } = await import("./begin.js");
  await openBegin({ state: latest, press });
}

async function layByHand() {
  const game = await gameModule(latest.game);
  const entry = await game.entry?.();
  if (!entry?.takesCell?.(latest)) return lay(null);
  isLaying = !isLaying;
  draw(latest, game);
}

function onCloth({ target }) {
  const place = target.closest("[data-free]")?.dataset.free;
  if (place) return lay(place.split(",").map(Number));
  const number = moveAt(target.closest("[data-cell]")?.dataset.cell);
  if (number) open(number);
}

if (!isBoard) {
  const cloth = find("cloth");
  cloth.addEventListener("click", onCloth);
  cloth.addEventListener("keydown", (event) => {
    if (["Enter", " "].includes(event.key) && event.target.closest("[data-free]")) {
      event.preventDefault();
      onCloth(event);
    }
  });
}

document.addEventListener("visibilitychange", stayAwake);
stayAwake();
