// How to play: the aim, the words, what may be done now; on the television a topic at a time. Loaded when it is asked for.

import { fetchTopics } from "./api.js";
import { openOver } from "./dialog.js";
import { h } from "./dom.js";
import { layer } from "./seat.js";
import { mine } from "./people.js";
import { t } from "./words.js";

const TURN_MS = 20000; // so long the television shows a topic

/** @param {{state: any, game: any, me: any}} asked @param {string | null} [topic] which to show first */
export async function openHowTo({ state, game, me }, topic = null) {
  const topics = await fetchTopics(state.game);
  const parts = topics.map(({ id, title, text }) =>
    h("section", { id: `rule-${id}`, class: id === topic ? "topic is-asked" : "topic" }, h("h3", {}, title), h("p", {}, ...linked(text))));
  openOver(t("how"), [now(state, game, me), ...parts]);
  document.getElementById(`rule-${topic}`)?.scrollIntoView({ block: "center" });
}

// Where a text names an address, such as that of the designers' own rules, it can be tapped.
function linked(text) {
  return text.split(/(www\.[^\s]+[^\s.])/).map((piece, n) => (n % 2 ? h("a", { href: `http://${piece}`, target: "_blank", rel: "noopener" }, piece) : piece));
}

function now(state, game, me) {
  const prompt = game.prompt(state);
  const may = me.joined ? mine(state.actions, me) : state.actions;
  const labels = [...new Set([layer(state, me) && game.layWords?.(state) ? t("how-lay") : "", ...may.map(({ label }) => label)])].filter(Boolean);
  const isOthers = state.turn && state.turn !== me.seat;
  const player = isOthers && !me.seat ? t("how-may-of", { player: state.turn }) : t("how-may");
  const waits = !me.joined ? t("how-not-joined") : isOthers && me.seat ? t("how-not-turn", { player: state.turn }) : null;
  if (!prompt && !labels.length) return null;
  return h("section", { class: "topic is-now" }, h("h3", {}, t("how-now")), prompt ? h("p", {}, prompt) : null,
    labels.length ? h("p", {}, player, " ", labels.join(" · ")) : null, waits ? h("p", {}, waits) : null);
}

let turning = /** @type {any} */ ({}); // which game's topics, which was asked for, and the timer of the next

/**
 * A topic after the other, for a screen that nobody presses; the one that is asked for stays until none is.
 * @param {any} region @param {string} name the game @param {string | null} asked
 */
export async function turnTopics(region, name, asked) {
  if (turning.name === name && turning.asked === asked) return;
  clearTimeout(turning.timer);
  const mine = { name, asked, timer: 0 };
  turning = mine;
  const topics = await fetchTopics(name).catch(() => []);
  let at = Math.max(0, topics.findIndex(({ id }) => id === asked));
  const show = () => {
    if (!topics.length || turning !== mine) return;
    const { title, text } = topics[at];
    region.replaceChildren(h("h2", {}, title), h("p", {}, text));
    at = (at + 1) % topics.length;
    if (!asked) mine.timer = setTimeout(show, TURN_MS);
  };
  show();
}
