// The embedded data, unpacked into rows on first use of a data set.
import { isNumber } from "./formulas.js";

/** The content of an element that holds gzip in base64. */
export function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

const packed = await unpack("data").json();
const unpacked = new Map();

/** Rows of a data set, as objects. */
export function rowsOf(name) {
  if (!unpacked.has(name)) {
    const { n, columns } = packed[name];
    const plain = Object.entries(columns).map(([column, values]) => [
      column,
      Array.isArray(values) ? values : values.at.map((place) => (place < 0 ? null : values.words[place])),
    ]);
    unpacked.set(name, Array.from({ length: n }, (_, i) =>
      Object.fromEntries(plain.map(([column, values]) => [column, values[i]]))));
  }
  return unpacked.get(name);
}

const indices = new Map();

/** Row of a data set with a given value in a column. */
export function rowBy(name, column, value) {
  const key = `${name}/${column}`;
  if (!indices.has(key)) indices.set(key, new Map(rowsOf(name).map((row) => [row[column], row])));
  return indices.get(key).get(value);
}

export function groupBy(rows, key) {
  const groups = new Map();
  for (const row of rows) {
    const at = key(row);
    if (!groups.has(at)) groups.set(at, []);
    groups.get(at).push(row);
  }
  return groups;
}

/** The middle of the numbers among some values; null without any. */
export function median(values) {
  const sorted = values.filter(isNumber).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : sorted.length ? (sorted[half - 1] + sorted[half]) / 2 : null;
}

export const distinct = (values) => [...new Set(values)];

/** Order of MLPerf rounds: v4.1 before v10.0. */
export const roundNumber = (release) => {
  const [major, minor] = release.replace(/^v/, "").split(".").map(Number);
  return major * 1000 + minor;
};

export const byRound = (a, b) => roundNumber(a) - roundNumber(b);
