// Day or night as the phone has it, or as somebody chose it here: set before anything is drawn.

const KEPT = "companion-theme";

export const THEMES = ["system", "light", "dark"];

export const theme = () => localStorage.getItem(KEPT) ?? "system";

/** @param {string} choice */
export function wearTheme(choice = theme()) {
  if (choice === "system") {
    localStorage.removeItem(KEPT);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(KEPT, choice);
    document.documentElement.dataset.theme = choice;
  }
}

wearTheme();
