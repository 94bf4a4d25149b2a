// The page: what the table last said, region by region. The server decides; this only shows and asks.

import { stayAwake } from "./awake.js";
import { drawNotices, lasting } from "./notices.js";
import { tellDialog } from "./dialog.js";
import { follow } from "./live.js";
import { find, show, squeeze } from "./dom.js";
import { gameModule, wear } from "./games.js";
import { fetchMe, Refused } from "./api.js";
import { isCameraOff, isRefereeCalled, mine, seatChoice, thisPhone } from "./people.js";
import { layer, mySeat, mySeatShows } from "./seat.js";
import { choose as speak, canSpeak, chosen, heard } from "./voice.js";
import { openFinale, drawFinale, tellFinale } from "./finale.js";
import { playScene } from "./scene.js";
import "./theme.js";
import { nudge } from "./nudge.js";
import { presses, tell } from "./presses.js";
import * as regions from "./regions.js";
import { ruleButton, topicOf } from "./rule.js";
import { t } from "./words.js";

const LINK_WORDS = { live: t("live"), ended: t("ended"), waiting: t("connecting"), asking: t("asking"), lost: t("lost") };

const ADDRESS_ASKED_MS = 30_000;
const MOST_COVERED = 0.45; // of the screen's height

/** @type {any} the table as it was last told; null before */
let latest = null;
let me = JSON.parse(document.body.dataset.me ?? "{}");
let isLaying = false; // whether free cells are shown to tap, because a card is entered by hand
const isBoard = document.body.dataset.view === "board";

async function onState(state, isFirst = false) {
  if (isFirst && latest) followTable();
  const [game] = await Promise.all([gameModule(state.game), wear(state.game)]);
  if (latest && !isFirst && state.version < latest.version) return;
  if (state.game !== latest?.game) isLaying = false;
  latest = state;
  draw(state, game);
  tellDialog(state);
  setUpOnce();
  playScene(state, game).then(() => (isBoard ? null : tellFinale(state, game, me, press)));
  if (["live", "ended"].includes(find("link").dataset.link)) onLink("live");
  heard(state, me.seat);
  if (!isBoard) nudge(Boolean(me.seat) && state.turn === me.seat);
}

function draw(state, game) {
  document.title = regions.titleWords(state, game);
  document.body.dataset.game = state.game;
  document.body.dataset.phase = state.phase;
  document.body.dataset.version = String(state.version);
  document.body.dataset.seated = me.seat ? "yes" : "no";
  show("game", [state.game, state.header.edition], () => regions.gameName(state, game));
  show("round", game.roundWords(state), () => game.roundWords(state));
  show("call", [state.call, state.said, state.last?.n, regions.correction(state)], () => regions.call(state));
  drawLasting();
  show("turn", [state.game, state.turn, state.phase, state.result, me.seat, game.prompt(state)], () => regions.turn(state, game, me, press));
  isLaying &&= layer(state, me);
  document.body.classList.toggle("is-laying", isLaying);
  show("cloth", [state.game, state.table, state.players, state.proposal, state.last, isLaying], () => game.drawTable(state, isLaying));
  if (isScrolled(find("cloth"))) find("cloth").tabIndex = 0;
  else find("cloth").removeAttribute("tabindex");
  const caption = state.notices.filter(isCaption);
  if (caption.length) find("caption").dataset.keeps = ""; // once told, its place stays
  show("caption", caption, () => caption.map(({ text }) => text));
  show("facts", game.tableFacts(state), () => regions.facts(game.tableFacts(state)));
  show("seats", [state.game, state.players, state.turn, state.phase, state.table.dealer, me.seat], () => regions.seats(state, game, me));
  show("proposal", [state.game, state.proposal, me, isBoard], () => regions.proposal(state, game, me, isBoard, press));
  document.body.classList.toggle("has-sheet", state.proposal !== null);
  if (isBoard) turnTopicsOf(state, game);
  if (isBoard) show("finale", [state.finale], () => drawFinale(state.finale));
  document.body.classList.toggle("has-finale", Boolean(state.finale));
  squeeze("call"); // how many players there are tells how high its place is
  if (isBoard) return show("history", [state.history], () => regions.lastMoves(state));
  const possible = me.joined ? mine(state.actions, me) : [];
  show("choice", [Object.keys(state.players), me], () => seatChoice(state, me, press));
  show("actions", [possible, mySeatShows(state, game, me), me, isLaying], () => mySeat(state, game, me, possible, press));
  show("history", [state.history, state.amendments, state.can_undo, state.can_redo, me.operator],
    () => regions.history(state, me.operator, press, press.open));
  show("people", [Object.keys(state.players), me, isCameraOff(state), isRefereeCalled(state)], () => thisPhone(state, me, press));
  find("join").hidden = me.joined;
}

// What is longer than its place is scrolled by keys too.
const isScrolled = (region) => region.scrollHeight > region.clientHeight;

// What a demo tells of itself has a place of its own.
const isCaption = ({ code }) => code.startsWith("demo-");

function drawLasting() {
  const shown = lasting(latest.notices.filter((notice) => !isCaption(notice)), drawLasting);
  show("notices", [shown], () => drawNotices(shown));
  document.body.classList.toggle("has-notice", shown.length > 0);
}


// A table whose recording is over is connected, and yet not live.
function onLink(connection) {
  const sign = find("link");
  const isOver = latest?.notices.some(({ code }) => code === "camera-ended");
  const link = connection === "live" && isOver ? "ended" : connection;
  if (sign.dataset.link === link) return;
  sign.dataset.link = link;
  document.body.dataset.link = connection;
  find("link-words").textContent = LINK_WORDS[link];
}

let asked = 0; // of two answers the late one is no news

// Seats and rights are this phone's own, no part of the table's state: asked for after every change of them.
async function onRights() {
  const mine = ++asked;
  const now = await fetchMe();
  if (mine === asked) await setRights(now);
}

async function setRights(now) {
  me = now;
  document.body.dataset.joined = me.joined ? "yes" : "no";
  if (latest) draw(latest, await gameModule(latest.game));
  if (latest) setUpOnce();
}

async function onRefused(refusal) {
  const game = latest && await gameModule(latest.game);
  tell(refusal.message, game && !isBoard ? ruleButton(game, refusal, press.howTo) : null);
}

const live = follow({ onState, onLink, onRefused });
const press = { ...presses({ onRights, onDone: () => live.ask(), onRefused, latest: () => latest }), open: said(openMove), layByHand: said(layByHand), anotherGame: said(anotherGame), changeProposal: said(changeProposal), howTo: said(howTo), finale: async () => openFinale(latest, await gameModule(latest.game), me, press), isLaying: () => isLaying };

/**
 * What is loaded when it is asked for, and the game's page: refused where the table cannot be reached.
 * @template T @param {Promise<T>} loading @returns {Promise<[T, any]>}
 */
function withGame(loading) {
  return Promise.all([loading, gameModule(latest.game)]).catch(() => {
    throw new Refused(0, { code: "offline", message: t("unreachable") });
  });
}

/**
 * What a tap asks for; why it does not come is said.
 * @template {any[]} A @param {(...asked: A) => Promise<void>} ask @returns {(...asked: A) => Promise<void>}
 */
function said(ask) {
  return (...asked) => ask(...asked).catch((error) => {
    if (!(error instanceof Refused)) throw error;
    tell(error.message);
  });
}

/** @param {number} number */
async function openMove(number) {
  const [{ openSheet }, game] = await withGame(import("./sheet.js"));
  await openSheet(number, { state: latest, game, me, press });
}

// The move that laid a card: the last that names its cell, for the next game of an evening uses cells again.
function moveAt(cell) {
  const names = ({ command }) => [command, ...(Array.isArray(command.cards) ? command.cards : [])].some((card) => card?.cell?.join?.() === cell);
  return [...latest.history].reverse().find(names)?.n;
}

/** @param {number[] | null} cell */
async function lay(cell) {
  const [{ openLay }, game] = await withGame(import("./lay.js"));
  await openLay(cell, { state: latest, game, me, press, onLaid });
}

// One's own card laid, the turn is another's; a phone without a seat goes on entering for everybody.
function onLaid() {
  isLaying &&= !me.seat;
}

// What the camera saw, put right before it counts.
async function changeProposal() {
  const [{ openLay }, game] = await withGame(import("./lay.js"));
  await openLay(null, { state: latest, game, me, press, onLaid, command: latest.proposal.command });
}

async function anotherGame() {
  const [{ openSetup }] = await withGame(import("./setup.js"));
  await openSetup({ state: latest, me, press });
}

// A table where nothing was begun is set up by the first phone that has joined.
let isSettingUp = false;
function setUpOnce() {
  if (isBoard || isSettingUp || !me.setup || !me.joined) return;
  isSettingUp = true;
  anotherGame().catch(() => (isSettingUp = false)); // tried again with the next state
}

/** @param {string | null} topic */
async function howTo(topic = null) {
  const [{ openHowTo }, game] = await withGame(import("./howto.js"));
  await openHowTo({ state: latest, game, me }, topic);
}

// The television tells the game's rules, topic by topic; of a refusal the rule it comes from.
async function turnTopicsOf({ game: name, proposal }, game) {
  const { turnTopics } = await import("./howto.js");
  turnTopics(find("hints"), name, proposal?.refusal ? topicOf(game, proposal.refusal.code) : null);
}

async function layByHand() {
  const [entry, game] = await withGame(gameModule(latest.game).then((page) => page.entry?.()));
  if (!entry?.takesCell?.(latest)) return lay(null);
  isLaying = !isLaying;
  draw(latest, game);
}

function onCloth({ target }) {
  const place = target.closest("[data-free]")?.dataset.free;
  if (place) return said(lay)(place.split(",").map(Number));
  const number = moveAt(target.closest("[data-cell]")?.dataset.cell);
  if (number) press.open(number);
}

// The television speaks once somebody has touched its one button.
if (isBoard && canSpeak) {
  const button = find("speak");
  const showChoice = () => button.setAttribute("aria-pressed", String(chosen() === "all"));
  button.hidden = false;
  button.addEventListener("click", () => {
    speak(chosen() === "all" ? "off" : "all");
    showChoice();
  });
  showChoice();
}

if (!isBoard) {
  find("how").addEventListener("click", () => press.howTo());
  const cloth = find("cloth");
  cloth.addEventListener("click", onCloth);
  cloth.addEventListener("keydown", (event) => {
    if (["Enter", " "].includes(event.key) && event.target.closest("[data-free]")) {
      event.preventDefault();
      onCloth(event);
    }
  });
}

// What one's buttons would cover of the table, were they held in view.
if (!isBoard) {
  new ResizeObserver(([{ target }]) => target.classList.toggle("is-tall", /** @type {any} */ (target).offsetHeight > MOST_COVERED * innerHeight)).observe(find("actions"));
}

// The table may have been updated meanwhile, this phone's seat given away, or the address changed by which others join.
async function followTable() {
  const mine = ++asked;
  const now = await fetchMe().catch(() => null);
  if (!now || mine !== asked) return;
  if (now.script !== me.script || (isBoard && now.address !== me.address)) location.reload();
  else if (!isBoard) await setRights(now);
}

if (isBoard) {
  addEventListener("online", followTable);
  setInterval(followTable, ADDRESS_ASKED_MS);
}

addEventListener("resize", () => squeeze("call"));
stayAwake();
