// The parts of the page that every game has: call, turn, players, waiting move, notices, moves so far.

import { isMeant } from "./actions.js";
import { capitalized, counted, h, spoken } from "./dom.js";
import { ruleButton } from "./rule.js";
import { parts, t } from "./words.js";

const SHORT_NAME = 12; // letters; a longer name gives way so that whose turn it is stays on one line
const LONG_FACT = 10; // letters that fit in its place at full size

export function titleWords(state, game) {
  if (state.proposal) return t("waiting-title", { sentence: state.proposal.sentence });
  return state.turn ? t("turn-title", { player: state.turn, game: game.title ?? state.game }) : (game.title ?? state.game);
}

export function gameName(state, game) {
  const edition = state.header.edition ? h("span", { class: "edition" }, t("deck", { edition: state.header.edition })) : null;
  return [h("span", {}, game.title ?? state.game), edition];
}

export function call(state) {
  const amended = correction(state);
  if (amended) {
    return [h("p", { class: "kicker" }, heading(amended).replace(/:$/, "")),
      h("ul", { class: "said alone" }, ...amended.said.map((sentence) => h("li", {}, sentence)))];
  }
  const { call: called, said, why } = state;
  if (!called && !said.length) return [h("p", { class: "word quiet" }, t("welcome"))];
  const told = said.map((sentence) => h("li", {}, sentence));
  const reasons = why.length
    ? h("details", { class: "why" }, h("summary", { id: "why" }, t("why")), ...why.map((reason) => h("p", {}, reason)))
    : null;
  if (!called) return [h("ul", { class: said.length > 3 ? "said alone many" : "said alone" }, ...told), reasons];
  const who = called.player && !called.word.includes(called.player) ? h("span", { class: "who" }, called.player) : null;
  const length = called.word.length > 8 ? "word long" : "word";
  return [h("p", { class: length }, who, h("strong", {}, called.word)), h("ul", { class: "said" }, ...told), reasons];
}

export function turn(state, game, me, press) {
  if (state.is_over) return [h("p", { class: "now all" }, t("over"), " ", h("button", { id: "result", class: "plain tiny", onclick: press.finale }, t("result")))];
  const doing = game.prompt(state);
  if (!state.turn) return doing ? [h("p", { class: "now all" }, doing)] : [];
  const isMine = state.turn === me.seat;
  const now = isMine ? h("p", { class: "now mine" }, h("b", {}, t("your-turn")))
    : h("p", { class: state.turn.length > SHORT_NAME ? "now" : "now is-short" }, ...parts("turn", { player: h("b", {}, state.turn) }).map((part) => (typeof part === "string" ? h("span", {}, part) : part)));
  return [now, doing ? h("p", { class: "soft" }, doing) : null];
}

export function facts(list) {
  return list.map(({ label, value, note }) =>
    h("div", { class: "fact" }, h("span", { class: "label" }, label), h("b", { class: String(value).length > LONG_FACT ? "long" : null }, value),
      note ? h("span", { class: "note" }, note) : null));
}

export function seats(state, game, me) {
  return h("ul", {}, ...Object.keys(state.players).map((name) => seat(state, game, name, me.seat === name)));
}

function seat(state, game, name, isMine) {
  const { main, pots, hand, isOut, isDealer, extra } = game.seat(state, name);
  const isTurn = state.turn === name;
  const classes = ["seat", isTurn && "is-turn", isOut && "is-out"].filter(Boolean).join(" ");
  const badges = [
    isTurn ? h("span", { class: "badge turn-badge" }, t("to-play")) : null,
    isMine ? h("span", { class: "badge" }, t("you")) : null,
    isDealer ? h("span", { class: "badge" }, t("deals")) : null,
    isOut ? h("span", { class: "badge" }, t("out")) : null,
  ];
  return h("li", { class: classes, "aria-current": isTurn ? "true" : null },
    h("div", { class: "who" }, h("span", { class: "name", dir: "auto" }, name), h("span", { class: "badges" }, ...badges)),
    h("div", { class: "main" }, h("b", {}, main.value), h("span", {}, main.label)),
    h("div", { class: "pots" },
      ...pots.map(({ label, value }) => h("span", { class: "pot" }, h("span", {}, label), h("b", {}, value))),
      hand === null || hand === undefined ? null : pips(hand)),
    extra ? h("div", { class: "extra" }, extra) : null);
}

function pips(hand) {
  const words = t("in-hand-said", { cards: counted(hand, "card") });
  if (hand > 3) return h("span", { class: "pot" }, h("span", {}, t("in-hand")), h("b", {}, hand));
  const cards = [0, 1, 2].map((n) => h("i", { class: n < hand ? "pip held" : "pip" }));
  return h("span", { class: "pips", role: "img", "aria-label": words, title: words }, ...cards);
}

let asked = { sentence: "", since: 0 }; // what is asked about, and since when

export function proposal(state, game, me, isBoard, press) {
  const waiting = state.proposal;
  if (waiting?.sentence !== asked.sentence) asked = { sentence: waiting?.sentence ?? "", since: performance.now() };
  if (!waiting) return [];
  const { since } = asked; // it rises over other buttons: a finger may be on its way to one of them
  const meant = (/** @type {() => any} */ answer) => (/** @type {Event} */ event) => isMeant(event, since) && answer();
  const player = waiting.command.player;
  const isOthers = player !== me.seat && me.taken.includes(player) && !me.operator;
  const canPress = me.joined && !isBoard && !isOthers;
  const hint = isBoard ? t("press-table") : isOthers ? t("press-other", { player }) : t("press-join");
  const refused = waiting.refusal;
  const sure = waiting.confidence === null ? null : t("sure", { percent: Math.round(waiting.confidence * 100) });
  const lines = refused ? [spoken(refused.message)] : waiting.consequences;
  return [
    h("div", { class: refused ? "waiting refused" : "waiting" },
      waiting.confidence === null ? null : picture(`/api/proposal/evidence.jpg?v=${waiting.version}`),
      h("p", { class: "kicker" }, refused ? t("refused") : t("right"), sure ? h("span", {}, sure) : null),
      h("p", { class: "sentence" }, waiting.sentence),
      lines.length ? h("ul", {}, ...lines.map((line) => h("li", {}, line))) : null,
      refused && !isBoard ? ruleButton(game, refused, press.howTo, "rule") : null),
    canPress
      ? h("div", { class: "row" },
          h("button", { id: "reject", class: "plain", onclick: meant(press.reject) }, refused ? t("take-away") : t("reject")),
          h("button", { id: "change", class: "plain", onclick: meant(press.changeProposal) }, t("change")),
          refused ? null : h("button", { id: "confirm", onclick: meant(press.confirm) }, t("confirm")))
      : h("p", { class: "soft" }, hint),
  ];
}

function picture(address) {
  const image = h("img", { src: address, alt: "", class: "seen" });
  const link = h("a", { href: address, target: "_blank", rel: "noopener", class: "look", "aria-label": t("picture-seen") }, image);
  image.addEventListener("error", () => link.classList.add("is-missing")); // its place stays: nothing jumps under a finger
  return link;
}

export function lastMoves(state) {
  const told = ({ n, said }) => h("li", { value: n }, said.join(" ") || t("done"));
  return state.history.length > 1 ? h("ol", {}, ...state.history.slice(-7, -1).reverse().map(told)) : [];
}

export function history(state, canAmend, press, open) {
  if (!state.history.length && !state.amendments.length) return [];
  const drawn = performance.now(); // another took it back a moment ago
  const meant = (/** @type {() => any} */ ask) => (/** @type {Event} */ event) => isMeant(event, drawn) && ask();
  const back = canAmend && state.can_undo
    ? h("button", { id: "undo", class: "plain small", onclick: meant(press.undo) }, correction(state)?.did === "correct" ? t("undo-correction") : t("undo")) : null;
  const again = canAmend && state.can_redo
    ? h("button", { id: "redo", class: "plain small", onclick: meant(press.redo) }, t("redo")) : null;
  const moves = [...state.history].reverse().map((move) => entry(move, open));
  return [back || again ? h("div", { class: "row wrap start" }, back, again) : null,
    h("details", {}, h("summary", { id: "moves" }, capitalized(t("moves", { moves: counted(state.history.length, "move") }))),
      h("ol", { reversed: true, start: state.history.length }, ...moves), amendments(state.amendments))];
}

function entry({ n, said, picture }, open) {
  const words = said.join(" ") || t("done");
  return h("li", { value: n }, h("div", { class: "entry" }, h("span", {}, words),
    h("button", { id: `open-${n}`, class: "plain tiny", "aria-label": t("why-move", { n, words }), onclick: () => open(n) }, picture ? t("why-pictured") : t("why"))));
}

function amendments(list) {
  if (!list.length) return null;
  const lines = [...list].reverse().map((amendment) => h("li", {}, h("b", {}, heading(amendment)), " ", amendment.said.join(" ")));
  return [h("h3", {}, t("put-right")), h("ul", { class: "amendments" }, ...lines)];
}

function heading({ did, at, by }) {
  return t("label-of", { label: by ? t(`did-${did}`, { n: at, by }) : t(`did-${did}-table`, { n: at }) });
}

// Who changed the moves last, and what it changed.
export function amendment({ amendments }) {
  const last = amendments.at(-1);
  return last ? [heading(last), " ", last.said.join(" ")] : [];
}

// What was put right counts as the last call until the next move.
export function correction(state) {
  const last = state.amendments.at(-1);
  return last && last.version === state.changed ? last : null;
}
