// The language of this phone. The table speaks it from the next page on: only the words of one language are sent.

import { chooseLanguage } from "./api.js";
import { SPOKEN } from "./words.js";

export const { languages: LANGUAGES = {} } = SPOKEN;
export const language = document.documentElement.lang;

/** @param {string} code */
export async function choose(code) {
  await chooseLanguage(code);
  location.reload();
}
