// The great moments as a scene over the whole screen: step by step, a tap goes on. Whoever wants less motion sees none:
// the table tells the same.

import { h } from "./dom.js";

const STEP_MS = 2600;

let shownMove = /** @type {number | null} */ (null);

/**
 * Plays what the last move deserves, once; nothing of what happened before one looked.
 * @param {import("./contract.js").State} state
 * @param {import("./contract.js").GamePage} game
 */
export async function playScene(state, game) {
  const move = state.last?.n ?? 0;
  const isNew = shownMove !== null && move > shownMove;
  shownMove = move;
  if (!isNew || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const steps = game.scene?.(state) ?? [];
  if (!steps.length) return;
  const stage = h("div", { id: "scene", class: "scene", "aria-hidden": "true" });
  document.body.append(stage);
  for (const step of steps) {
    stage.replaceChildren(h("div", { class: "step" }, step));
    await new Promise((done) => {
      stage.onclick = done;
      setTimeout(done, STEP_MS);
    });
  }
  stage.remove();
}
