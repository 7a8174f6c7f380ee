// Shared by the pages: names, columns of evidence tables, common choices.

// a round, and whether it is held in part
const roundName = (release, suite = "inference") => (rowsOf("releases").some((row) =>
  row.suite_kind === suite && row.release === release && row.is_incomplete) ? `${release} (in part)` : release);

const acceleratorName = (id) => {
  const row = rowBy("accelerators", "accelerator_id", id);
  return row ? `${row.vendor} ${row.product_name}` : id;
};

/** Short name of an accelerator, without the vendor and what stands in parentheses. */
const partName = (id) => rowBy("accelerators", "accelerator_id", id)?.product_name.replaceAll(/ \([^)]*\)/g, "") ?? id;

/** The same with the vendor, in tables and tiles. */
const shortName = (id) => [rowBy("accelerators", "accelerator_id", id)?.vendor, partName(id)].filter(Boolean).join(" ");

const providerName = (id) => rowBy("providers", "provider", id)?.provider_name ?? id;

/** A benchmark as people know it, with MLCommons' key. */
const benchmarkName = (id) => {
  const row = rowBy("benchmarks", "benchmark_id", id);
  if (!row?.model_name) return id;
  return `${row.model_name}${row.accuracy_target ? `, ${row.accuracy_target} % accuracy` : ""} (${id})`;
};

/** The measured model nearest in size to a name with one, such as "Qwen 72B"; null for a name without a size. */
function nearestModel(text) {
  const [, billions] = /(\d+(?:\.\d+)?)\s*b\b/i.exec(text) ?? [];
  const measured = idsOf("token_throughput", "benchmark_id").map((id) => rowBy("benchmarks", "benchmark_id", id)).filter((row) => isNumber(row?.model_parameters));
  const apart = (row) => Math.abs(Math.log(row.model_parameters / (billions * 1e9)));
  return billions ? measured.sort((a, b) => apart(a) - apart(b) || isCurrent(b.benchmark_id) - isCurrent(a.benchmark_id))[0] : null;
}

const modelName = (id) => rowBy("benchmarks", "benchmark_id", id)?.model_name ?? id;

const WORDS = {
  on_demand: "On demand", spot: "Spot", reserved_1y: "Reserved, 1 year", reserved_3y: "Reserved, 3 years",
  capacity_block: "Capacity block", marketplace: "Marketplace", hyperscaler: "Hyperscaler", neocloud: "Neocloud",
  aggregate: "Statistics over sellers", neocloud_giant: "Large neocloud", emerging_neocloud: "Emerging neocloud",
};

/** Default owner on every page: that of the file. */
const DEFAULT_OWNER = rowsOf("defaults")[0].owner;

const priceDay = () => rowsOf("defaults")[0].price_as_of;

/** A day as people write it: 24 Oct 2026. */
const dayFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const dayWords = (date) => dayFormat.format(new Date(date));

/** The one clock of the report: day and age of the prices, and whether they are old. Other ages are counted from this day. */
function clock() {
  const [{ price_as_of: asOf, current_days: currentDays }] = rowsOf("defaults");
  if (!asOf) return ["There are no current prices.", true];
  const age = Math.floor((Date.now() - Date.parse(asOf)) / 864e5);
  return [`Prices of ${dayWords(asOf)}, ${plural(age, "day")} old`, age > currentDays];
}

/** Days from a date to the day of the prices. */
const daysBefore = (date) => (date ? Math.max(0, Math.floor((Date.parse(priceDay()) - Date.parse(day(date))) / 864e5)) : null);

const idsOf = (data, key, isWanted = () => true) => rowsOf(data).filter(isWanted).map((row) => row[key]);

/** A control with the distinct values that `ids(values)` gives, by name; `preferred` is the first of these that is there. */
const choice = (name, label, ids, nameOf, preferred = [], more) => ({
  name, label,
  options: (values) => distinct(ids(values)).filter(Boolean).map((id) => [id, nameOf(id)]).sort((a, b) => a[1].localeCompare(b[1])),
  initial: (values, options) => [preferred].flat().find((id) => options.some(([value]) => value === id)),
  ...more,
});

/** A control that filters by the values of a column; `filtered` applies those of a page: {control: column}. */
const filterOf = (name, label, data, key, nameOf = words) => {
  const control = choice(name, label, () => idsOf(data, key), nameOf);
  return { ...control, initial: () => "all", options: () => [["all", "All"], ...control.options()] };
};
const filtered = (rows, chosen, keys) => rows.filter((row) => Object.entries(keys).every(([name, key]) => chosen[name] === "all" || row[key] === chosen[name]));

const FIND = { name: "find", label: "Find (all words)", isText: true };
/** Whether a text has all words of a search field. */
const hasWords = (text, find) => find.toLowerCase().split(/\s+/).every((word) => text.toLowerCase().includes(word));

const ROUNDS_CURRENT = 3;
let currentModels = null;
/** Whether a model was measured in one of the last rounds of its suite. */
function isCurrent(benchmark) {
  currentModels ??= new Set([["inference", "throughput"], ["training", "training"]].flatMap(([suite, results]) => {
    const rounds = idsOf("releases", "release", (row) => row.suite_kind === suite).slice(-ROUNDS_CURRENT);
    return idsOf(results, "benchmark_id", (row) => rounds.includes(row.release));
  }));
  return currentModels.has(benchmark);
}

/** A control of models: those of the last rounds first, then the earlier ones, each by name. */
const modelChoice = (ids, preferred, { name = "benchmark", label = "Model", ...more } = {}) => {
  const control = choice(name, label, ids, benchmarkName, preferred, more);
  return { ...control, options: (values) => control.options(values).map(([id, text]) => [id, text, isCurrent(id) ? "Current models" : "Earlier models"])
    .sort((a, b) => (a[2] > b[2]) - (a[2] < b[2])) };
};

const SCENARIOS = ["Offline", "Server", "Interactive"];
/** A control of MLPerf scenarios: Offline is batch load, Server and Interactive have a limit on latency. */
const scenarioChoice = (ids, more) => ({
  name: "scenario", label: "Scenario", initial: (_, options) => options.find(([value]) => value === "Server")?.[0],
  options: (values) => SCENARIOS.filter((name) => ids(values).includes(name)).map((name) => [name, name]), ...more,
});

const ownerChoice = (name, ids) => choice(name, "Owner", ids, words, DEFAULT_OWNER);
const pricingChoice = (ids, label = "Pricing") => ({ name: "pricing", label, options: (values) => inPricingOrder(distinct(ids(values))).map((id) => [id, words(id)]) });

/** Countries by name, and parts of the world that offers are asked for. */
const countryNames = new Intl.DisplayNames("en", { type: "region" });
/** A place by name: a country by its code, any other as it is written. */
const placeName = (place) => (/^[A-Z]{2}$/.test(place) && place !== "EU" ? countryNames.of(place) : place);
const EUROPE = ["AT", "BE", "CH", "CZ", "DE", "DK", "ES", "FI", "FR", "GB", "GR", "IE", "IS", "IT", "LU", "NL", "NO", "PL", "PT", "RO", "SE"];
const WORLD = { europe: ["Europe", EUROPE], "north-america": ["North America", ["US", "CA", "MX"]] };

/** Choices of a place for rows with a country: parts of the world, then countries. */
const placeOptions = (rows) => [["any", "Anywhere"], ...Object.entries(WORLD).map(([key, [name]]) => [key, name]),
  ...distinct(rows.map((row) => row.country).filter(Boolean)).map((code) => [code, countryNames.of(code)]).sort((a, b) => a[1].localeCompare(b[1]))];
const isInPlace = (row, place) => place === "any" || row.country === place
  || Boolean(WORLD[place] && (WORLD[place][1].includes(row.country) || row.region === WORLD[place][0]));

const WEAKEST_FIRST = ["about_the_same", "probably_costs_less", "costs_less", "no_verdict"];

/** Verdict on one cost against another: rows with usd, low and high. */
const verdictOf = (row, other) => verdict_on_cost(row.usd, row.low, row.high, other.usd, other.low, other.high);

/** Standing of each option, the lowest point first: its weakest verdict against the others; of the others theirs against it. */
function standingsOf([first, ...others]) {
  const verdicts = others.map((other) => verdictOf(first, other));
  return [WEAKEST_FIRST.find((code) => verdicts.includes(code)) ?? null, ...others.map((other) => verdictOf(other, first))];
}

/** How the first and lowest row compares with the others, by the verdicts on its cost; the weakest first. */
function separationWords([first, ...others], nameOf) {
  if (!others.length) return "There is nothing to compare it with.";
  const parts = WEAKEST_FIRST.map((code) => [code, others.filter((other) => verdictOf(first, other) === code)]).filter(([, rows]) => rows.length)
    .map(([code, rows]) => `${code === "no_verdict" ? "has no verdict against" : verdict_words(code)} ${code === "costs_less" && rows.length > 3 ? `${integer(rows.length)} others` : list(rows.map(nameOf))}`);
  return `It ${parts.join("; it ")}.`;
}

/** A verdict on the two lowest rows as a sentence. */
function verdictSentence([first, second], nameOf) {
  if (!second) return "There is nothing to compare it with.";
  const [one, other] = [nameOf(first), nameOf(second)];
  const costs = `${usd(first.usd)} against ${usd(second.usd)}`;
  return sentence({
    costs_less: `${one} costs less than ${other}: ${costs}.`,
    probably_costs_less: `${one} probably costs less than ${other}: ${costs}. The ranges overlap, so this is not certain.`,
    about_the_same: `${one} and ${other} cost about the same: ${costs}.`,
  }[verdictOf(first, second)] ?? `${one} has the lower figure, ${costs}, but a range is missing: there is no verdict on ${other}.`);
}

/** A slider over the values of a column, which were computed when the warehouse was built. */
const stops = (name, data, key, label, text, initial) => ({
  name, label, isSlider: true, initial: () => String(initial),
  options: () => distinct(rowsOf(data).map((row) => row[key])).sort((a, b) => a - b).map((value) => [String(value), text(value)]),
});

/** Standing of a price in words; old prices and those of an unknown day are not ranked. */
const standingWords = (row) => (row.price_standing === "undated" ? "day unknown" : `${row.price_standing}, ${days(row.days_before ?? row.price_days_before)}`);

/** Sellers behind a figure; a figure of one seller is marked. */
const sellersWords = (n) => (n === 1 ? "one seller" : plural(n, "seller"));

/** A range in words. */
const rangeWords = (low, high, show = usd) => (isNumber(low) && isNumber(high) && low < high ? `${show(low)} to ${show(high)}` : "no range");

/** Words beside a price level whose prices moved since the oldest one inside; empty where they did not. */
const movedWords = (pct) => (isNumber(pct) ? `; prices moved by ${pct > 0 ? "+" : "−"}${Math.abs(pct).toFixed(0)} % since the oldest inside` : "");

const levelRow = (accelerator, pricing) => rowsOf("price_levels").find((row) => row.accelerator_id === accelerator && row.pricing_model === pricing);

/** Price level of an accelerator; null where it has none. */
function levelOf(accelerator, pricing = "on_demand") {
  const row = levelRow(accelerator, pricing);
  return row && !row.reason ? row : null;
}

/** Price of an accelerator-hour: the price level with its range, without one the plain median over sellers; null without a price. */
function rentPrice(accelerator, pricing) {
  const row = levelRow(accelerator, pricing);
  if (!row) return null;
  const [low, high] = [row.usd_per_accelerator_hour_low, row.usd_per_accelerator_hour_high];
  return row.reason
    ? { usd: row.usd_median_plain, low: null, high: null, words: `median over ${sellersWords(row.n_sellers_plain)}; no typical price: ${row.reason}` }
    : { usd: row.usd_per_accelerator_hour, low, high, words: `typical price, ${rangeWords(low, high)}, ${sellersWords(row.n_sellers)}${movedWords(row.moved_since_oldest_pct)}` };
}

/** What the sellers of both ask for an accelerator-hour, as a ratio to another accelerator; null where no seller has both. */
const sameSellers = (accelerator, other, pricing = "on_demand") => rowsOf("same_seller_ratios").find((row) =>
  row.accelerator_id === accelerator && row.other_accelerator_id === other && row.pricing_model === pricing) ?? null;

/** A key in words. */
const words = (key) => WORDS[key] ?? String(key ?? "").replaceAll("_", " ").replace(/^./, (c) => c.toUpperCase());

const lower = (key) => words(key).toLowerCase();

// most common first
const PRICING = ["on_demand", "spot", "reserved_1y", "reserved_3y", "capacity_block", "marketplace"];
const inPricingOrder = (models) => [...models].sort((a, b) => PRICING.indexOf(a) - PRICING.indexOf(b));

/** How a kind of column shows a value; without one a number as a number, and a text as it is. */
const KINDS = {
  accelerator: { text: (value) => (value ? shortName(value) : "–") },
  seller: { text: (value) => (value ? providerName(value) : "–") },
  place: { text: (value) => placeName(value) },
  round: { text: (value) => (value ? roundName(value) : "–") },
  words: { text: (value) => (value ? words(value) : "–") },
  yes: { text: (value) => ({ true: "yes", false: "no" })[value] ?? "–" },
  usd: { text: usd }, percent: { text: percent }, times: { text: times }, large: { text: large }, days: { text: days }, day: { isDay: true, text: day },
  link: { fixed: true, show: (value) => (value ? link(value, "source") : "–") },
  hash: { fixed: true, show: (value) => (value ? h("code", { title: value }, `${value.slice(0, 12)}…`) : "–") },
  auto: { show: (value) => (isNumber(value) ? number(value) : foreign(value ?? "–")) },
};
const KIND_OF = { accelerator_id: "accelerator", previous_accelerator_id: "accelerator", release: "round", provider: "seller", cheapest_provider: "seller", segment: "words", pricing_model: "words", capex_basis: "words", place: "place", payload_sha256: "hash" };
const KINDS_BY_NAME = [[/_url$/, "link"], [/(^|_)usd(_|$)/, "usd"], [/_pct(_|$)/, "percent"], [/(_on|_at|as_of|valid_from|valid_to|base_month)$/, "day"], [/^days_|_days$|days_before$/, "days"], [/(^|_)ratio$/, "times"]];
const TITLES = { accelerator_id: "Accelerator", provider: "Seller", release: "Round", result_id: "Result", submission_id: "Submission", system_name: "System", number_format: "Format", payload_sha256: "Payload SHA-256", source_url: "Source", pricing_model: "Pricing", accelerator_count: "Accelerators", benchmark_id: "Benchmark", n_results: "Results (n)", scenario_id: "Owner",
  usd_per_accelerator_hour: "$ an hour", usd_per_output_mtok: "$ per M tokens", n_sellers: "Sellers", output_tokens_per_s_per_accelerator: "Tokens/s each", price_level: "Capital prices of", rent_basis: "Rent is", score_minutes: "Official minutes", usd_median_plain: "Median over sellers", n_sellers_plain: "Sellers of the median", machine_accelerators: "Size", instance_type: "Machine", accelerators: "Number", offer_id: "Offer", best_result_id: "Best result", days_before: "Age", capex_basis: "Capital is", pue: "PUE", mfu_pct: "MFU", purchase_usd: "Purchase" };

/**
 * Columns of a table and its CSV file, as `key title|key± title|key:kind title`. The name of a column gives its kind, and its title where
 * none is written; ± adds the columns key_low and key_high, which the table shows as a range under the value. `special` changes some: {key: {value, text, show, title}}.
 */
const columns = (text, special = {}) => text.split("|").flatMap((item) => {
  const [, key, range, asked, given] = /^\s*(\w+)(±?)(?::(\w+))?\s*(.*?)\s*$/s.exec(item);
  const kind = asked ?? KIND_OF[key] ?? KINDS_BY_NAME.find(([name]) => name.test(key))?.[1] ?? "auto";
  const column = (name, title) => ({ key: name, title, value: (row) => row[name] ?? null, ...KINDS[kind], ...(special[name]?.text && { show: null }), ...special[name] });
  const title = given || TITLES[key] || words(key);
  const ends = range ? ["low", "high"].map((end) => ({ ...column(`${key}_${end}`, `${title}, ${end}`), isEnd: true })) : [];
  return [{ ...column(key, title), ends }, ...ends];
});

/** Columns of the results behind a figure, with what MLCommons asks a citation to name. */
const resultColumns = columns(`submitter|system_name|accelerator_count|result Official result|throughput_per_accelerator Per accelerator (derived)|source_url At MLCommons
  |submission_id|release|division|benchmark_id|scenario|availability|result_unit Unit|software|notes|payload_sha256`, { division: { value: (row) => row.division ?? "closed" } });

const offerColumns = columns(`provider|usd_per_accelerator_hour_min Cheapest, $/h|usd_per_accelerator_hour_median Median, $/h|n_offers Offers|days_before|price_standing Standing|segment|pricing_model
  |usd_per_accelerator_hour_max Most expensive, $/h|instance_type|region|observed_at Last seen|observed_precision Date is known to the|offer_id|source From|source_url Price list|payload_sha256`);

/** A row of a list of accelerators: value, range and text are a column with its low and high; what follows may change key and label. */
const bar = (row, name, show = usd) => ({ key: row.key ?? row.accelerator_id, label: partName(row.accelerator_id), value: row[name], low: row[`${name}_low`], high: row[`${name}_high`], text: show(row[name]) });

/** Large figures: name, value, explanation, and what limits the figure. */
const tiles = (pairs) => h("dl", { class: "tiles" }, pairs.map(([name, value, more, limit]) =>
  h("div", null, h("dt", null, name), h("dd", null, value, more && h("small", null, more), limit && h("small", { class: "limit" }, limit)))));

const note = (...text) => h("p", { class: "note" }, text);

