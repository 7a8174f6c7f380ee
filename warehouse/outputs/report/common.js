// Shared by the pages: names, columns of evidence tables, common choices.
import { distinct, rowBy, rowsOf } from "./data.js";
import { foreign, h, link } from "./dom.js";
import { isNumber, verdict_on_cost, verdict_words } from "./formulas.js";
import { day, days, integer, list, number, percent, plural, usd } from "./format.js";

// a round, and whether it is held in part
export const roundName = (release, suite = "inference") => (rowsOf("releases").some((row) =>
  row.suite_kind === suite && row.release === release && row.is_incomplete) ? `${release} (in part)` : release);

export const acceleratorName = (id) => {
  const row = rowBy("accelerators", "accelerator_id", id);
  return row ? `${row.vendor} ${row.product_name}` : id;
};

/** Short name of an accelerator, without the vendor and what stands in parentheses. */
export const partName = (id) => rowBy("accelerators", "accelerator_id", id)?.product_name.replaceAll(/ \([^)]*\)/g, "") ?? id;

/** The same with the vendor, in tables and tiles. */
export const shortName = (id) => [rowBy("accelerators", "accelerator_id", id)?.vendor, partName(id)].filter(Boolean).join(" ");

export const providerName = (id) => rowBy("providers", "provider", id)?.provider_name ?? id;

/** A benchmark as people know it, with MLCommons' key. */
export const benchmarkName = (id) => {
  const row = rowBy("benchmarks", "benchmark_id", id);
  if (!row?.model_name) return id;
  return `${row.model_name}${row.accuracy_target ? `, ${row.accuracy_target} % accuracy` : ""} (${id})`;
};

export const modelName = (id) => rowBy("benchmarks", "benchmark_id", id)?.model_name ?? id;

const WORDS = {
  on_demand: "On demand", spot: "Spot", reserved_1y: "Reserved, 1 year", reserved_3y: "Reserved, 3 years",
  capacity_block: "Capacity block", marketplace: "Marketplace", hyperscaler: "Hyperscalers", neocloud: "Neoclouds",
  aggregate: "Statistics over sellers", neocloud_giant: "Large neocloud", emerging_neocloud: "Emerging neocloud",
};

/** Default owner on every page: that of the file. */
export const DEFAULT_OWNER = rowsOf("defaults")[0].owner;

/** An ownership scenario in words. */
export const ownerWords = (id) => (id === "hyperscaler" ? "Hyperscaler" : words(id));

export const priceDay = () => rowsOf("defaults")[0].price_as_of;

/** Day and age of the prices, the first line of every page with prices. */
export function pricesAsOf() {
  const [{ price_as_of: asOf, current_days: currentDays }] = rowsOf("defaults");
  if (!asOf) return h("p", { class: "notice" }, "There are no current prices.");
  const age = Math.floor((Date.now() - Date.parse(asOf)) / 864e5);
  const isOld = age > currentDays;
  return h("p", { class: isOld ? "notice" : "note", id: "prices-as-of" },
    `Prices as of ${day(asOf)}, ${plural(age, "day")} before today.`,
    isOld && " They are old: `accelmart refresh` fetches today's.");
}

/** Countries by name, and parts of the world that offers are asked for. */
const countryNames = new Intl.DisplayNames("en", { type: "region" });
/** A place by name: a country by its code, any other as it is written. */
export const placeName = (place) => (/^[A-Z]{2}$/.test(place) && place !== "EU" ? countryNames.of(place) : place);
const EUROPE = ["AT", "BE", "CH", "CZ", "DE", "DK", "ES", "FI", "FR", "GB", "GR", "IE", "IS", "IT", "LU", "NL", "NO", "PL", "PT", "RO", "SE"];
const WORLD = { europe: ["Europe", EUROPE], "north-america": ["North America", ["US", "CA", "MX"]] };

/** Choices of a place for rows with a country: parts of the world, then countries. */
export const placeOptions = (rows) => [["any", "Anywhere"], ...Object.entries(WORLD).map(([key, [name]]) => [key, name]),
  ...distinct(rows.map((row) => row.country).filter(Boolean)).map((code) => [code, countryNames.of(code)]).sort((a, b) => a[1].localeCompare(b[1]))];
export const isInPlace = (row, place) => place === "any" || row.country === place
  || Boolean(WORLD[place] && (WORLD[place][1].includes(row.country) || row.region === WORLD[place][0]));

const WEAKEST_FIRST = ["about_the_same", "probably_costs_less", "costs_less", "no_verdict"];

/** Verdict on one cost against another: rows with usd, low and high. */
const verdictOf = (row, other) => verdict_on_cost(row.usd, row.low, row.high, other.usd, other.low, other.high);

/** Standing of each option, the lowest point first: its weakest verdict against the others; of the others theirs against it. */
export function standingsOf([first, ...others]) {
  const verdicts = others.map((other) => verdictOf(first, other));
  return [WEAKEST_FIRST.find((code) => verdicts.includes(code)) ?? null, ...others.map((other) => verdictOf(other, first))];
}

/** What may be said of the first and lowest row, by the verdicts on its cost; the weakest first. */
export function separationWords([first, ...others], nameOf) {
  if (!others.length) return "nothing to compare with";
  return WEAKEST_FIRST.map((code) => [code, others.filter((other) => verdictOf(first, other) === code)]).filter(([, rows]) => rows.length)
    .map(([code, rows]) => `${verdict_words(code)} ${code === "costs_less" && rows.length > 3 ? `${integer(rows.length)} others` : list(rows.map(nameOf))}`).join("; ");
}

/** A slider over the values of a column, which were computed when the warehouse was built. */
export const stops = (name, data, key, label, text, initial) => ({
  name, label, isSlider: true, initial: () => String(initial),
  options: () => distinct(rowsOf(data).map((row) => row[key])).sort((a, b) => a - b).map((value) => [String(value), text(value)]),
});

/** Standing of a price in words; old prices and those of an unknown day are not ranked. */
export const standingWords = (row) => (row.price_standing === "undated" ? "day unknown" : `${row.price_standing}, ${days(row.days_before ?? row.price_days_before)}`);

/** Sellers behind a figure; a figure of one seller is marked. */
export const sellersWords = (n) => (n === 1 ? "one seller" : plural(n, "seller"));

/** A range in words. */
export const rangeWords = (low, high, show = usd) => (isNumber(low) && isNumber(high) && low < high ? `${show(low)} to ${show(high)}` : "no range");

/** Words beside a price level whose prices moved since the oldest one inside; empty where they did not. */
export const movedWords = (pct) => (isNumber(pct) ? `; prices moved by ${pct > 0 ? "+" : "−"}${Math.abs(pct).toFixed(0)} % since the oldest inside` : "");

const levelRow = (accelerator, pricing) => rowsOf("price_levels").find((row) => row.accelerator_id === accelerator && row.pricing_model === pricing);

/** Price level of an accelerator; null where it has none. */
export function levelOf(accelerator, pricing = "on_demand") {
  const row = levelRow(accelerator, pricing);
  return row && !row.reason ? row : null;
}

/** Price of an accelerator-hour: the price level with its range, without one the plain median over sellers; null without a price. */
export function rentPrice(accelerator, pricing) {
  const row = levelRow(accelerator, pricing);
  if (!row) return null;
  const [low, high] = [row.usd_per_accelerator_hour_low, row.usd_per_accelerator_hour_high];
  return row.reason
    ? { usd: row.usd_median_plain, low: null, high: null, words: `plain median of ${sellersWords(row.n_sellers_plain)}; no price level: ${row.reason}` }
    : { usd: row.usd_per_accelerator_hour, low, high, words: `price level, ${rangeWords(low, high)}, ${sellersWords(row.n_sellers)}${movedWords(row.moved_since_oldest_pct)}` };
}

/** What the sellers of both ask for an accelerator-hour, as a ratio to another accelerator; null where no seller has both. */
export const sameSellers = (accelerator, other, pricing = "on_demand") => rowsOf("same_seller_ratios").find((row) =>
  row.accelerator_id === accelerator && row.other_accelerator_id === other && row.pricing_model === pricing) ?? null;

/** A key in words. */
export const words = (key) => WORDS[key] ?? String(key ?? "").replaceAll("_", " ").replace(/^./, (c) => c.toUpperCase());

// most common first
const PRICING = ["on_demand", "spot", "reserved_1y", "reserved_3y", "capacity_block", "marketplace"];
export const inPricingOrder = (models) => [...models].sort((a, b) => PRICING.indexOf(a) - PRICING.indexOf(b));

export const column = {
  accelerator: (key = "accelerator_id", title = "Accelerator") =>
    ({ key, title, value: (row) => row[key], text: (value) => (value ? shortName(value) : "–") }),
  text: (key, title, more) => ({ key, title, value: (row) => row[key], node: (row) => foreign(row[key] ?? "–"), ...more }),
  round: (suite) => ({ key: "release", title: "Round", value: (row) => row.release, text: (value) => roundName(value, suite) }),
  words: (key, title) => ({ key, title, value: (row) => row[key], text: (value) => words(value) }),
  number: (key, title, text = number, value = (row) => row[key]) => ({ key, title, numeric: true, value, text }),
  usd: (key, title, value) => column.number(key, title, usd, value),
  percent: (key, title, value) => column.number(key, title, percent, value),
  integer: (key, title, value) => column.number(key, title, integer, value),
  days: (key, title) => column.number(key, title, days),
  day: (key, title) => ({ key, title, isDay: true, value: (row) => row[key], text: (value) => day(value) }),
  link: (key, title, text = "source") =>
    ({ key, title, fixed: true, value: (row) => row[key], node: (row) => (row[key] ? link(row[key], text) : "–") }),
  hash: (key = "payload_sha256", title = "Payload SHA-256") =>
    ({ key, title, fixed: true, value: (row) => row[key],
      node: (row) => (row[key] ? h("code", { title: row[key] }, `${row[key].slice(0, 12)}…`) : "–") }),
};

/** Columns of the results behind a figure, with what MLCommons asks a citation to name. */
export const resultColumns = [
  column.text("submission_id", "Submission"),
  column.text("submitter", "Submitter"),
  column.text("system_name", "System"),
  column.text("release", "Round"),
  { key: "division", title: "Division", value: (row) => row.division ?? "closed" },
  { key: "benchmark_id", title: "Benchmark", value: (row) => row.benchmark_id },
  { key: "scenario", title: "Scenario", value: (row) => row.scenario },
  column.text("availability", "Availability"),
  column.integer("accelerator_count", "Accelerators"),
  column.number("result", "Official result"),
  column.text("result_unit", "Unit"),
  column.number("throughput_per_accelerator", "Per accelerator (derived)"),
  column.text("software", "Software", { wide: true }),
  column.text("notes", "Notes", { wide: true }),
  column.link("source_url", "Result", "at MLCommons"),
  column.hash(),
];

export const offerColumns = [
  { key: "provider", title: "Seller", value: (row) => row.provider, text: (value) => providerName(value) },
  column.words("segment", "Segment"),
  column.words("pricing_model", "Pricing"),
  column.usd("usd_per_accelerator_hour_min", "Cheapest, $/acc.-hour"),
  column.usd("usd_per_accelerator_hour_median", "Median"),
  column.usd("usd_per_accelerator_hour_max", "Most expensive"),
  column.integer("n_offers", "Offers"),
  column.text("instance_type", "Instance"),
  column.text("region", "Region"),
  column.day("observed_at", "Last seen"),
  column.days("age_days", "Age"),
  column.text("price_standing", "Standing"),
  column.text("observed_precision", "Date is known to the"),
  column.text("offer_id", "Offer"),
  column.text("source", "From"),
  column.link("source_url", "Price list"),
  column.hash(),
];

/** Large figures: name, value, explanation, and what limits the figure. */
export const tiles = (pairs) => h("dl", { class: "tiles" }, pairs.map(([name, value, more, limit]) =>
  h("div", null, h("dt", null, name), h("dd", null, value, more && h("small", null, more), limit && h("small", { class: "limit" }, limit)))));

export const note = (...text) => h("p", { class: "note" }, text);

export const built = () => rowsOf("generation")[0].built_at.slice(0, 10);
