// Numbers for people. The exact value stays in the element's data-value and in every CSV.

const MISSING = "–";

const significant = (digits) => new Intl.NumberFormat("en-US", { maximumSignificantDigits: digits });
const three = significant(3);
const exactlyThree = new Intl.NumberFormat("en-US", { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const one = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });

/** Three significant digits; from 1000 on, all digits of the integer. */
function number(value) {
  if (!isNumber(value)) return MISSING;
  return Math.abs(value) >= 1000 ? whole.format(value) : three.format(value);
}

function usd(value) {
  if (!isNumber(value)) return MISSING;
  const size = Math.abs(value);
  if (size >= 1e6) return `$${compact.format(value)}`;
  if (size >= 1000) return `$${whole.format(value)}`;
  if (size >= 1) return `$${value.toFixed(2)}`;
  return `$${exactlyThree.format(value)}`;
}

const large = (value) => (isNumber(value) ? compact.format(value) : MISSING);
const integer = (value) => (isNumber(value) ? whole.format(value) : MISSING);
const percent = (value) => (isNumber(value) ? `${one.format(value)} %` : MISSING);
const times = (value) => (isNumber(value) ? `${(Math.abs(value) < 100 ? exactlyThree : whole).format(value)}×` : MISSING);
const day = (value) => (value ? String(value).slice(0, 10) : MISSING);
const days = (value) => (isNumber(value) ? `${whole.format(value)} d` : MISSING);
const plural = (n, word, more = `${word}s`) => `${integer(n)} ${n === 1 ? word : more}`;
const sentence = (text) => text.replace(/^[a-z]/, (letter) => letter.toUpperCase());
const list = (words) => words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
