// Entering a tile of HexDragon by hand: pick one of those that the rules allow in a cell, and turn it.

import { h } from "/static/dom.js";
import { t } from "/static/words.js";
import { preview } from "./game.js";
import { grouped, words } from "./turnings.js";

export const takes = ({ cell }) => Boolean(cell);

export const takesCell = () => true;

// Tiles are picked from what the rules allow, not painted.
export const isListed = true;

export const blank = (_state, _players, cell) => ({ cell });

export const isComplete = ({ cmd }) => Boolean(cmd);

export const layLabel = ({ cmd }) => (cmd === "star" ? t("star-here") : t("lay-so"));

export async function controls(command, { state, options, onChange = () => {} }) {
  const { commands } = await options(command.cell);
  if (!commands.length) return [h("p", {}, t("nothing-here"))];
  const chosen = h("div", { class: "chosen" });
  const choose = (turning, at) => {
    for (const name of Object.keys(command)) delete command[name];
    Object.assign(command, turning[at]);
    draw(turning, at);
    onChange();
  };
  const draw = (turning, at) => {
    const turn = h("button", { type: "button", id: "turn-tile", class: "plain", onclick: () => choose(turning, (at + 1) % turning.length) },
      t("turn-tile", { n: at + 1, all: turning.length }));
    chosen.replaceChildren(preview(command, state) ?? "", ...(turning.length > 1 ? [turn] : []));
  };
  if (command.cmd) draw([command], 0);
  const choices = grouped(commands).map((turning, n) =>
    h("li", {}, h("button", { type: "button", id: `tile-${n}`, class: "plain suggestion", "aria-label": words(turning[0]), onclick: () => choose(turning, 0) },
      preview(turning[0], state) ?? null)));
  return [h("ul", { class: "suggestions tiles" }, ...choices), chosen];
}
