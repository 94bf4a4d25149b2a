// Every refusal of a game's rules leads to its rule in how to play.

import { h } from "./dom.js";
import { t } from "./words.js";

/**
 * The topic that a refusal comes from.
 * @param {import("./contract.js").GamePage} game @param {string} code
 */
export function topicOf(game, code) {
  return Object.entries(game.refusals ?? {}).find(([, codes]) => codes.includes(code))?.[0] ?? null;
}

/**
 * The button that opens the rule of a refusal; null where no rule explains it.
 * @param {import("./contract.js").GamePage} game
 * @param {{code: string, refusal?: {code: string}}} refused of a correction with what a later move is refused for
 * @param {(topic: string) => void} howTo @param {string | null} id
 */
export function ruleButton(game, refused, howTo, id = null) {
  const topic = topicOf(game, (refused.refusal ?? refused).code);
  return topic && h("button", { type: "button", id, class: "rule plain tiny", onclick: () => howTo(topic) }, t("rule"));
}
