// What went wrong, in the place that a page keeps for it.

import { find } from "./dom.js";

/** @param {string} text none takes it away */
export function trouble(text) {
  const place = find("trouble");
  place.textContent = text;
  place.hidden = !text;
  if (text) place.scrollIntoView({ block: "nearest" });
}
