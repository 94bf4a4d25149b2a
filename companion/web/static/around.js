// For showing around: the screens as large as the window allows, beside each other or the phones below the television.

import "./theme.js";

const GAP = 14;
const BORDERS = 6;
const LEAST = 0.36; // below this scale beside each other, the phones go under the television

const screens = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".screen")]);
const frame = (screen) => /** @type {HTMLIFrameElement} */ (screen.querySelector("iframe"));
const size = ({ dataset }) => [Number(dataset.width), Number(dataset.height)];

function scale(screen, by) {
  const [width, height] = size(screen);
  Object.assign(screen.style, { width: `${width * by + BORDERS}px`, height: `${height * by + BORDERS}px` });
  Object.assign(frame(screen).style, { width: `${width}px`, height: `${height}px`, transform: `scale(${by})` });
}

// All of one height, in as wide a row as there is room for.
function fit(row, room) {
  const aspects = row.map((screen) => size(screen)[0] / size(screen)[1]);
  const height = (room - row.length * (GAP + BORDERS)) / aspects.reduce((sum, one) => sum + one, 0);
  for (const screen of row) scale(screen, height / size(screen)[1]);
  return height;
}

function lay() {
  const room = document.documentElement.clientWidth - 2 * GAP;
  const high = innerHeight - 120;
  const [television, ...phones] = screens;
  const height = fit(screens, Math.min(room, high * 2.8));
  if (height / size(television)[1] >= LEAST) return;
  fit([television], room);
  fit(phones, Math.min(room, 700));
}

// One phone by day, one by night, whatever was chosen on this one.
for (const screen of screens) {
  const { light } = frame(screen).dataset;
  const wear = () => frame(screen).contentDocument?.documentElement.setAttribute("data-theme", String(light));
  if (light) frame(screen).addEventListener("load", wear);
}
addEventListener("resize", lay);
lay();
