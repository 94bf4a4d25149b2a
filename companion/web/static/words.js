// The page's words as the table's catalogue has them: nothing is said here in words of its own.

// A page that brings none draws without words of its own.
export const SPOKEN = JSON.parse(document.body.dataset.words ?? '{"page": {}, "counting": {"small": []}}');
const PLURALS = new Intl.PluralRules(document.documentElement?.lang || "en");
const CATEGORIES = ["one", "few", "many", "other"]; // as gettext orders the forms
const FIELD = /\{(\w+)\}/;

// A phrase with its fields filled in.
export function t(name, fields = {}) {
  return parts(name, fields).join("");
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
