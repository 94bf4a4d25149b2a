// The page of a past game: its one button, which prints.

import "./theme.js";

const button = document.getElementById("print");
if (button) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
