// The embedded data, unpacked into rows on first use of a data set.

/** The content of an element that holds gzip in base64. */
function unpack(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

const packed = await unpack("data").json();
const unpacked = new Map();

/** Texts of a column: the sums of its steps are their places among all words, or -1. */
function textsOf(steps) {
  let place = 0;
  return steps.map((step) => packed.words[place += step] ?? null);
}

/** Rows of a data set, as objects. */
function rowsOf(name) {
  if (!unpacked.has(name)) {
    const { n, columns } = packed.sets[name];
    const plain = Object.entries(columns).map(([column, values]) => [column, Array.isArray(values) ? values : textsOf(values.at)]);
    unpacked.set(name, Array.from({ length: n }, (_, i) =>
      Object.fromEntries(plain.map(([column, values]) => [column, values[i]]))));
  }
  return unpacked.get(name);
}

const indices = new Map();

/** Row of a data set with a given value in a column. */
function rowBy(name, column, value) {
  const key = `${name}/${column}`;
  if (!indices.has(key)) indices.set(key, new Map(rowsOf(name).map((row) => [row[column], row])));
  return indices.get(key).get(value);
}

function groupBy(rows, key) {
  const groups = new Map();
  for (const row of rows) {
    const at = key(row);
    if (!groups.has(at)) groups.set(at, []);
    groups.get(at).push(row);
  }
  return groups;
}

const distinct = (values) => [...new Set(values)];

/** Order of MLPerf rounds: v4.1 before v10.0. */
const roundNumber = (release) => {
  const [major, minor] = release.replace(/^v/, "").split(".").map(Number);
  return major * 1000 + minor;
};

const byRound = (a, b) => roundNumber(a) - roundNumber(b);
