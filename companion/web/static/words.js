// The page's words as the table's catalogue has them: nothing is said here in words of its own.

// A page that brings none draws without words of its own.
export const SPOKEN = JSON.parse(document.body.dataset.words ?? '{"page": {}, "counting": {"small": []}}');
const PLURALS = new Intl.PluralRules(document.documentElement?.lang || "en");
const CATEGORIES = ["one", "few", "many", "other"]; // as gettext orders the forms
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const FIELD = /\{(\w+)\}/;

// A phrase with its fields filled in.
export function t(name, fields = {}) {
  return parts(name, Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, typeof value === "string" ? isolated(value) : value]))).join("");
}

/**
 * A name that is written from right to left, kept apart from what stands around it: a number after it stays after it.
 * @param {string} name
 */
export function isolated(name) {
  return LEFTWARD.test(name) && !name.includes("\u2068") ? `\u2068${name}\u2069` : name;
}

// The same in pieces, for fields that are elements: strings and elements in their order.
export function parts(name, fields) {
  return (SPOKEN.page[name] ?? name).split(FIELD).map((piece, n) => (n % 2 ? fields[piece] : piece)).filter((piece) => piece !== "");
}

export function counted(number, thing) {
  const { small, [thing]: forms = [thing, `${thing}s`] } = SPOKEN.counting;
  const form = Math.min(CATEGORIES.indexOf(PLURALS.select(number)), forms.length - 1);
  return `${small[number] ?? number} ${forms[form]}`;
}
