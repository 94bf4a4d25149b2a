// Entering a set of Seven Card Comet by hand: who lays it, against which pot, and three numbers for each of its cards.

import { h } from "/static/dom.js";
import { shown } from "./game.js";
import { t } from "/static/words.js";

const VALUES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
const MOST = 9; // three cards of three numbers

const said = (pot) => (pot === "tail" ? t("tail") : pot);

// Pots that take a set of this player now; the rules have the last word.
function open({ table }, player) {
  if (table.tail) return ["tail"];
  const has = (pot) => table.sets.some((set) => set.pot === pot && set.player === player);
  return Object.keys(table.pots).filter((pot) => pot !== "tail" && !has(pot));
}

const sorted = (card) => [...card].sort((a, b) => a - b).join();

// Whether a card has three numbers and the table, with the cards typed so far, holds no more of it.
function isUsedUp(card, typed, { header, table }) {
  const lying = [...table.sets.flatMap(({ cards }) => cards), ...typed].filter((other) => sorted(other) === sorted(card)).length;
  return card.length === 3 && lying >= (header.options.decks ?? 1);
}

export const isComplete = ({ cards }) => cards.length > 0 && cards.every((card) => card.length === 3);

export const takes = ({ cmd }) => cmd === "set";

export function blank(state, players) {
  const player = players.find((name) => state.players[name].hand > 0) ?? players[0];
  return { cmd: "set", player, pot: open(state, player)[0] ?? "tail", cards: [] };
}

export function controls(command, { state, players, onChange = () => {} }) {
  const numbers = command.cards.flat();
  const pots = h("div", { class: "row picks", role: "group", "aria-label": t("pot-which") });
  const cards = h("ol", { class: "typed", "aria-label": t("set-cards"), "aria-live": "polite" });

  const keys = new Map(VALUES.map((value) =>
    [value, h("button", { type: "button", id: `key-${value}`, class: "plain key", "aria-label": value === 14 ? t("ace") : null, onclick: () => type(value) }, shown(value))]));

  const changed = () => {
    const size = Math.ceil(numbers.length / 3);
    command.cards = [...Array(size).keys()].map((n) => numbers.slice(3 * n, 3 * n + 3));
    const isTyping = numbers.length % 3 > 0;
    const typed = isTyping ? command.cards.slice(0, -1) : command.cards;
    for (const [value, key] of keys) {
      key.disabled = numbers.length === MOST || isUsedUp(isTyping ? [...command.cards.at(-1), value] : [value], typed, state);
    }
    cards.replaceChildren(...[0, 1, 2].map((n) => card(command.cards[n] ?? [], n === Math.min(2, Math.floor(numbers.length / 3)))));
    onChange();
  };
  const type = (value) => {
    numbers.push(value);
    changed();
  };
  const back = () => {
    numbers.pop();
    changed();
  };
  const drawPots = () => {
    const taking = open(state, command.player);
    if (!taking.includes(command.pot) && taking.length) command.pot = taking[0];
    pots.replaceChildren(...taking.map((pot) => pick(said(pot), pot === command.pot, () => choosePot(pot))));
  };
  const choosePot = (pot) => {
    command.pot = pot;
    drawPots();
    onChange();
  };
  const who = whose(command, players, () => {
    drawPots();
    onChange();
  });
  drawPots();
  changed();
  return [who, pots, cards,
    h("div", { class: "keys", role: "group", "aria-label": t("numbers") },
      ...keys.values(),
      h("button", { type: "button", id: "key-back", class: "plain key back", onclick: back }, t("back")))];
}

// A set without a player cannot be: of several that this phone plays for one is chosen.
function whose(command, players, onChoice) {
  if (players.length < 2) return null;
  const group = h("div", { class: "row picks", role: "group", "aria-label": t("who") });
  const draw = () => group.replaceChildren(...players.map((name) => pick(name, name === command.player, () => choose(name))));
  const choose = (name) => {
    command.player = name;
    draw();
    onChoice();
  };
  draw();
  return group;
}

function card(values, isNext) {
  const places = [0, 1, 2].map((n) => h("span", { class: n < values.length ? "digit" : "digit empty" }, n < values.length ? shown(values[n]) : "·"));
  return h("li", { class: isNext ? "typing" : null }, ...places);
}

function pick(words, isChosen, onclick) {
  return h("button", { type: "button", class: "plain pick name", "aria-pressed": String(isChosen), onclick }, words);
}
