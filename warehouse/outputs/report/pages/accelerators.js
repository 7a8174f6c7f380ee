// Which accelerator for my model? Cost, speed and energy of a token in one order, with the evidence of each.
import { byRound, distinct, groupBy, rowsOf } from "../data.js";
import { h } from "../dom.js";
import { isNumber } from "../formulas.js";
import { day, list, number, plural, sentence, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { dataTable } from "../table.js";
import {
  DEFAULT_OWNER, acceleratorName, benchmarkName, column, inPricingOrder, levelOf, modelName, movedWords, note, offerColumns, ownerWords, partName, priceDay, pricesAsOf, providerName,
  rangeWords, resultColumns, roundName, sameSellers, sellersWords, separationWords, shortName, standingWords, tiles, words,
} from "../common.js";

const BEST = "best";
const SCENARIOS = ["Offline", "Server", "Interactive"];

const tokenCells = (benchmark, scenario) =>
  rowsOf("token_throughput").filter((row) => row.benchmark_id === benchmark && row.scenario === scenario);
const otherCells = (benchmark, scenario) =>
  rowsOf("throughput").filter((row) => row.benchmark_id === benchmark && row.scenario === scenario);

/** Cells of a benchmark and scenario in one unit: in output tokens if there are any. */
function allCells({ benchmark, scenario, unit }) {
  const inTokens = tokenCells(benchmark, scenario).map((row) => ({
    ...row,
    unit: "output tokens/s",
    best: row.output_tokens_per_s_per_accelerator,
    middle: row.output_tokens_per_s_per_accelerator_median,
    lowest: Math.min(...resultsOf(row).map((result) => result.output_tokens_per_s_per_accelerator)),
    isTokens: true,
  }));
  return inTokens.length ? inTokens : otherCells(benchmark, scenario)
    .filter((row) => row.result_unit === unit)
    .map((row) => ({
      ...row,
      unit: row.result_unit,
      best: row.throughput_per_accelerator_max,
      middle: row.throughput_per_accelerator_median,
      lowest: row.throughput_per_accelerator_min,
      result_id: row.best_result_id,
      isTokens: false,
    }));
}

/** Cells that may be ranked together: of each accelerator the best available result of any round, or that of one round. */
export const cellsOf = ({ round, ...asked }) => allCells(asked)
  .filter((row) => (round === BEST ? row.is_representative : row.release === round && !row.apart_reason));

/** Preview, research and reference results of accelerators that have no other: without rank, the best of each. */
function apartOf({ round, ...asked }) {
  const cells = allCells(asked).filter((row) => round === BEST || row.release === round);
  const ranked = new Set(cells.filter((row) => !row.apart_reason).map((row) => row.accelerator_id));
  return [...groupBy(cells.filter((row) => !ranked.has(row.accelerator_id)), (row) => row.accelerator_id).values()]
    .map((rows) => rows.sort((a, b) => b.best - a.best)[0]);
}

const resultsOf = (cell) => rowsOf("results").filter((row) =>
  row.accelerator_id === cell.accelerator_id && row.release === cell.release && row.benchmark_id === cell.benchmark_id
  && row.availability === cell.availability
  && row.scenario === cell.scenario
  && (cell.output_tokens_per_s_per_accelerator ? isNumber(row.output_tokens_per_s_per_accelerator)
    : row.result_id === cell.best_result_id));

/** Current offers of an accelerator: those that may be ranked, then the others; cheapest first. */
const offersOf = (accelerator, pricing) => rowsOf("offers")
  .filter((row) => row.accelerator_id === accelerator && row.pricing_model === pricing)
  .sort((a, b) => Boolean(a.rank_reason) - Boolean(b.rank_reason)
    || a.usd_per_accelerator_hour_min - b.usd_per_accelerator_hour_min || (a.offer_id < b.offer_id ? -1 : 1));

/** Row of a cost data set for a cell. */
const costOf = (name, cell, pricing) => rowsOf(name).find((row) => row.accelerator_id === cell.accelerator_id
  && row.release === cell.release && row.benchmark_id === cell.benchmark_id && row.scenario === cell.scenario
  && (pricing === undefined || row.pricing_model === pricing)) ?? null;

/** Cost of a million tokens of a cell: at the price level, without one the median over sellers; null without either. */
export function headlineOf(cell, pricing) {
  const row = cell && costOf("cost_headlines", cell, pricing);
  if (row && isNumber(row.usd_per_output_mtok_at_level)) {
    return { ...row, isLevel: true, usd: row.usd_per_output_mtok_at_level, low: row.usd_per_output_mtok_at_level_low, high: row.usd_per_output_mtok_at_level_high };
  }
  return row?.n_sellers ? { ...row, isLevel: false, usd: row.usd_per_output_mtok_median, low: row.usd_per_output_mtok_low, high: row.usd_per_output_mtok_high } : null;
}

/** What a cost is, with its range and number of sellers. */
const basisWords = (cost) => (cost.isLevel
  ? `price level, ${rangeWords(cost.low, cost.high)}, ${sellersWords(cost.n_sellers_of_level)}${movedWords(cost.level_moved_since_oldest_pct)}`
  : `plain median of ${sellersWords(cost.n_sellers)}${cost.n_sellers > 1 ? `, ${rangeWords(cost.low, cost.high)}` : ""}; no price level: ${cost.level_reason}`);

/** The cheapest offer and the plain median that stand beside a price level. */
const besideWords = (cost) => (cost.n_sellers
  ? [`cheapest ${usd(cost.usd_per_output_mtok_cheapest)} at ${providerName(cost.cheapest_provider)}`,
    cost.isLevel && `plain median ${usd(cost.usd_per_output_mtok_median)} of ${sellersWords(cost.n_sellers)}`].filter(Boolean).join("; ")
  : `no offer that surely holds the model: ${cost.reason}`);

/** Everything about one accelerator for these choices. */
function answer(cell, values) {
  const energy = rowsOf("energy").filter((row) => row.suite_kind === "inference" && row.benchmark_id === cell.benchmark_id
    && Boolean(row.apart_reason) === Boolean(cell.apart_reason) && row.scenario === cell.scenario && row.release === cell.release && row.accelerator_id === cell.accelerator_id);
  const joules = (basis) => energy.filter((row) => row.power_basis === basis)
    .map((row) => (cell.isTokens ? row[`j_per_output_token_${basis}`] : row.j_per_unit_before_pue * row.pue)).filter(isNumber)
    .sort((a, b) => a - b);
  return {
    ...cell,
    key: cell.accelerator_id,
    name: `${shortName(cell.accelerator_id)} · ${roundName(cell.release)}`,
    offers: offersOf(cell.accelerator_id, values.pricing),
    cost: cell.isTokens && !cell.apart_reason ? headlineOf(cell, values.pricing) : null,
    owned: cell.isTokens ? costOf("owned_costs", cell) : null,
    reason: cell.isTokens ? costOf("cost_headlines", cell, values.pricing)?.reason ?? "no price of this accelerator under this pricing model" : null,
    unranked: cell.isTokens ? costOf("unranked_costs", cell, values.pricing) : null,
    energy,
    measured: joules("measured"),
    modelled: joules("modelled"),
  };
}

/** The order of all charts and of the table: by cost, those without a price level after them, then by speed; preview last. */
function ordered(values) {
  const answers = cellsOf(values).map((cell) => answer(cell, values)).sort((a, b) =>
    Boolean(b.cost) - Boolean(a.cost) || (a.cost ? b.cost.isLevel - a.cost.isLevel || a.cost.usd - b.cost.usd : b.best - a.best));
  const [first] = answers;
  return answers.map((row) => {
    const ratio = first.cost && row.cost && sameSellers(row.key, first.key, values.pricing);
    return { ...row, same: ratio ? { ratio: (ratio.ratio_median * first.best) / row.best, n: ratio.n_sellers } : null };
  });
}

export const pageAccelerators = {
  id: "accelerators",
  place: "Choose",
  tab: "For my model",
  title: "Which accelerator for my model?",
  lead: "Cost, speed and energy of one accelerator in one order, each with its range and evidence.",
  controls: [
    {
      name: "benchmark", label: "Model (MLPerf benchmark)",
      options: () => {
        const tokens = distinct(rowsOf("token_throughput").map((row) => row.benchmark_id));
        const others = distinct(rowsOf("throughput").map((row) => row.benchmark_id)).filter((id) => !tokens.includes(id));
        const named = (ids) => ids.map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1]));
        return [...named(tokens), ...named(others).map(([id, name]) => [id, `${name}, not in tokens`])];
      },
      initial: (_, options) => ["llama3.1-405b", "llama2-70b-99"].find((id) => options.some(([value]) => value === id)),
      resets: ["scenario", "round", "unit", "evidence"],
    },
    {
      name: "scenario", label: "Scenario",
      options: ({ benchmark }) => {
        const there = distinct([...rowsOf("throughput")].filter((row) => row.benchmark_id === benchmark).map((row) => row.scenario));
        return SCENARIOS.filter((name) => there.includes(name)).map((name) => [name, name]);
      },
      initial: (_, options) => options.find(([value]) => value === "Server")?.[0],
      resets: ["round", "unit", "evidence"],
    },
    {
      name: "round", label: "MLPerf round",
      options: ({ benchmark, scenario }) => {
        const inTokens = tokenCells(benchmark, scenario);
        const rounds = distinct((inTokens.length ? inTokens : otherCells(benchmark, scenario)).map((row) => row.release));
        return [[BEST, "Best available result of any round"], ...rounds.sort(byRound).reverse().map((name) => [name, `${roundName(name)} only`])];
      },
      resets: ["evidence"],
    },
    {
      name: "unit", label: "Unit", isHiddenWhenAlone: true,
      options: ({ benchmark, scenario }) => (tokenCells(benchmark, scenario).length ? [["tokens/s", "output tokens/s"]]
        : distinct(otherCells(benchmark, scenario).map((row) => row.result_unit)).map((unit) => [unit, unit])),
    },
    {
      name: "pricing", label: "Pricing",
      options: () => inPricingOrder(distinct(rowsOf("offers").map((row) => row.pricing_model))).map((model) => [model, words(model)]),
    },
  ],

  view(values, { change, chosen }) {
    const answers = ordered(values);
    const what = `${modelName(values.benchmark)}, ${values.scenario}`;
    const when = values.round === BEST ? "best available result of any round" : values.round;
    const apart = apartOf(values).map((cell) => answer(cell, values)).sort((a, b) => b.best - a.best);
    if (!answers.length && !apart.length) {
      return h("p", { class: "none" }, `No measured result of ${what} (${when}) in the closed division, datacenter suite.`);
    }
    const [{ unit, isTokens }] = [...answers, ...apart];
    const pick = (row) => change({ evidence: row.key });
    const per = isTokens ? "output token" : unit === "queries/s" ? "query" : "sample";
    const unpriced = answers.filter((row) => !row.cost);
    return [
      h("p", { class: "meaning", id: "meaning" }, meaningWords({ answers, values, isTokens, what, per })),
      pricesAsOf(),
      figure({
        name: "answer",
        kind: "panels",
        title: `${what}: ${isTokens ? "cost, speed and energy" : "speed and energy"} of one accelerator`,
        subtitle: `${sentence(when)}. ${isTokens ? `The order is that of the cost at ${words(values.pricing).toLowerCase()} prices; where ranges overlap, no order is claimed.` : ""}`,
        under: [note(`${isTokens ? "Cost: point, price level; band, its range; tick, cheapest recent offer of a machine that holds the model. " : ""}`
          + `Speed: point, best result; band, down to the lowest. Energy: point, least modelled; band, up to the most; tick, least measured.${answers.some((row) => row.cost?.size_note) ? " * Prices of fewer accelerators than were measured: see the tooltip and the table." : ""}${apart.length ? " Grey: preview, research or unknown availability, without rank." : ""}`), tiles(headlines(answers, values, isTokens, per, unit))],
        rows: answerPanels([...answers, ...apart], { isTokens, unit, per }),
        columns: tableColumns(isTokens, unit, per, pick),
        tableRows: answers, rowKey: (row) => row.key, onPick: pick, open: true,
      }),
      evidence(answers.find((row) => row.key === chosen.get("evidence")), values, change),
      changes(values),
      isTokens && unpriced.length > 0 && unrankedTable(unpriced),
      note(apart.length > 0 && `Apart, without rank: ${apart.map((row) => `${acceleratorName(row.key)} ${number(row.best)} ${row.unit} (${row.apart_reason}, ${roundName(row.release)})`).join("; ")}.`),
      note(missingRounds(values)),
      note(energyWords([...answers, ...apart])),
    ];
  },
};

/** One sentence: what the figures mean, and of which day. */
function meaningWords({ answers, values, isTokens, what, per }) {
  const sellers = Math.max(0, ...answers.map((row) => row.cost?.n_sellers_of_level ?? 0));
  return isTokens
    ? `As of ${day(priceDay())}, a cost is what an average neocloud would ask ${words(values.pricing).toLowerCase()} for the time in which one accelerator makes a million output tokens of ${what} at full use, from up to ${plural(sellers, "seller")} a part; speed is the best MLPerf result, and energy includes cooling (PUE).`
    : `${modelName(values.benchmark)} is measured per ${per}, not in tokens: there is no cost of a token; speed is the best MLPerf result, and energy includes cooling (PUE).`;
}

const capexWords = (row) => `capital: ${words(row.capex_basis).toLowerCase()}, prices of ${row.price_level}, n = ${row.n_capex_figures}`;

function headlines(answers, { scenario }, isTokens, per, unit) {
  const fastest = [...answers].sort((a, b) => b.best - a.best)[0];
  const rents = answers.filter((row) => row.cost?.isLevel).map((row) => ({ ...row, ...row.cost }));
  const owns = answers.filter((row) => row.owned).map((row) => ({
    ...row, ...row.owned, usd: row.owned.usd_per_output_mtok, low: row.owned.usd_per_output_mtok_low, high: row.owned.usd_per_output_mtok_high,
  })).sort((a, b) => a.usd - b.usd);
  const nameOf = (row) => partName(row.key);
  const least = answers.filter((row) => row.modelled.length).sort((a, b) => a.modelled[0] - b.modelled[0])[0];
  const [rent] = rents;
  const [own] = owns;
  return [
    isTokens && [`Rent, lowest price level, per M output tokens, ${scenario}`, rent ? usd(rent.usd) : "no price level",
      rent && `${rent.name}; ${rangeWords(rent.low, rent.high)}, ${sellersWords(rent.n_sellers_of_level)}; ${separationWords(rents, nameOf)}`, rent?.cost.size_note],
    isTokens && [`Own, lowest, per M output tokens, ${scenario} (${ownerWords(DEFAULT_OWNER).toLowerCase()})`, own ? usd(own.usd) : "no known ownership cost",
      own && `${own.name}; ${rangeWords(own.low, own.high)}; ${capexWords(own)}; ${separationWords(owns, nameOf)}`],
    fastest && ["Fastest", `${number(fastest.best)} ${unit}`, `${fastest.name}, per accelerator, ${scenario}`],
    [`Least energy per ${per}, modelled`, least ? `${number(least.modelled[0])} J` : "not known",
      least ? `${least.name}, PUE ${least.energy[0].pue}${least.measured.length ? `; measured ${number(least.measured[0])} J` : "; not measured"}` : "no power was measured or can be modelled"],
  ].filter(Boolean);
}

/** The rows of each chart: the same accelerators in the same order. */
function answerPanels(rows, { isTokens, unit, per }) {
  const panel = (title, axis, figureOf) => ({
    title, unit: axis,
    rows: rows.map((row) => ({ key: row.key, label: `${partName(row.key)} · ${roundName(row.release)}${row.apart_reason ? ` (${row.availability})` : ""}`, isApart: Boolean(row.apart_reason), ...figureOf(row) })),
  });
  return [
    isTokens && panel("Cost", "US$ per million output tokens", ({ cost, apart_reason: apart }) => (cost ? {
      value: cost.usd, low: cost.low, high: cost.high, middle: cost.usd_per_output_mtok_cheapest, text: costText(cost),
      detail: `${cost.size_note ? `${cost.size_note}; ` : ""}${basisWords(cost)}; ${besideWords(cost)}`,
    } : { value: null, text: apart ? "no rank" : "no price" })),
    panel("Speed", `${unit} per accelerator`, (row) => ({
      value: row.best, low: row.lowest, high: row.best, text: number(row.best),
      detail: `median ${number(row.middle)}, lowest ${number(row.lowest)}; n = ${row.n_results}, round ${roundName(row.release)}; median of ${row.newest_release} ${number(row.newest_release_median)} (n = ${row.newest_release_n_results})`,
    })),
    panel("Energy", `J per ${per}, with PUE`, (row) => ({
      value: row.modelled[0] ?? null, low: row.modelled[0] ?? null, high: row.modelled.at(-1) ?? null, middle: row.measured[0] ?? null,
      text: row.modelled.length ? number(row.modelled[0]) : row.measured.length ? `${number(row.measured[0])} measured` : "not known",
      detail: `modelled: ${row.modelled.length ? `${number(row.modelled[0])} to ${number(row.modelled.at(-1))} J, n = ${row.modelled.length}` : "none"}; measured: ${row.measured.length ? `${number(row.measured[0])} J, n = ${row.measured.length}` : "none"}`,
    })),
  ].filter((each) => each && each.rows.some((row) => isNumber(row.value) || isNumber(row.middle)));
}

function tableColumns(isTokens, unit, per, pick) {
  const energyColumn = (basis, key) => column.number(key, `J per ${per}, ${basis}`, (value, row) =>
    (row[basis].length ? `${number(value)} (n=${row[basis].length})` : "–"), (row) => row[basis][0] ?? null);
  const ofCost = (kind, key, title) => column[kind](key, title, (row) => row.cost?.[key] ?? null);
  const ofOwned = (key, title) => column.usd(`owned_${key}`, title, (row) => row.owned?.[key] ?? null);
  return [
    column.accelerator(),
    column.round(),
    { key: "evidence", title: "Evidence", fixed: true,
      node: (row) => h("button", { type: "button", class: "quiet", onclick: () => pick(row) }, "Show", h("span", { class: "unseen" }, ` the evidence of ${row.name}`)) },
    ...(isTokens ? [
      ofCost("usd", "usd_per_output_mtok_at_level", "Rent, US$ per M output tokens, price level"), ofCost("usd", "usd_per_output_mtok_at_level_low", "low"), ofCost("usd", "usd_per_output_mtok_at_level_high", "high"),
      ofCost("integer", "n_sellers_of_level", "Sellers of the level"),
      ofOwned("usd_per_output_mtok", "Owned, US$ per M output tokens"), ofOwned("usd_per_output_mtok_low", "low"), ofOwned("usd_per_output_mtok_high", "high"),
    ] : []),
    column.number("throughput_max", `${unit}, best`, number, (row) => row.best),
    column.number("throughput_median", "median", number, (row) => row.middle),
    column.number("throughput_min", "lowest", number, (row) => row.lowest),
    column.integer("n_results", "Results (n)"),
    energyColumn("modelled", "j_modelled_min"),
    energyColumn("measured", "j_measured_min"),
    ...(isTokens ? [
      column.text("capex", "Owned: basis of capital", { wide: true, value: (row) => (row.owned ? capexWords(row.owned) : null), node: (row) => (row.owned ? capexWords(row.owned) : "–") }),
      sizeColumn((row) => row.cost),
      ofCost("usd", "usd_per_output_mtok_cheapest", "cheapest offer"),
      { key: "provider", title: "Cheapest seller", value: (row) => row.cost?.cheapest_provider ?? null, text: (value) => (value ? providerName(value) : "–") },
      column.number("same_seller_ratio", "Against the first, at the sellers of both", times, (row) => row.same?.ratio ?? null),
      column.integer("n_same_sellers", "Sellers of both", (row) => row.same?.n ?? null),
      ofCost("usd", "usd_per_output_mtok_median", "plain median"),
      column.integer("n_sellers", "Sellers of the median", (row) => row.cost?.n_sellers ?? 0),
      { key: "oldest_price_on", title: "Oldest price of", value: (row) => row.cost?.oldest_price_on ?? null, text: (value) => day(value) },
      column.text("level_reason", "Why no price level", { wide: true, value: (row) => row.cost?.level_reason ?? null, node: (row) => row.cost?.level_reason ?? "–" }),
    ] : []),
    { key: "best_result_id", title: "Best result", onlyCsv: true, value: (row) => row.result_id },
    { key: "offer_id", title: "Cheapest offer", onlyCsv: true, value: (row) => row.cost?.cheapest_offer_id ?? null },
  ];
}

/** Column beside a cost: of how many accelerators its prices are, where that is fewer than were measured. */
const sizeColumn = (costOfRow) => ({
  key: "size_note", title: "Prices of fewer accelerators than measured", wide: true,
  value: (row) => costOfRow(row)?.size_note ?? null, text: (value, row) => value ?? (costOfRow(row) ? "none" : "–"),
});

// an asterisk: prices of fewer accelerators than were measured; tooltip and table have both numbers
const costText = (cost) => `${usd(cost.usd)}${cost.isLevel ? "" : " median"}${cost.size_note ? " *" : ""}`;

/** What the newest round of inference brought for this model: new accelerators and better results, against the round before. */
function changes({ benchmark, scenario }) {
  const rounds = rowsOf("releases").filter((row) => row.suite_kind === "inference").map((row) => row.release).sort(byRound);
  const [before, newest] = rounds.slice(-2);
  if (!before) return null;
  const cells = otherCells(benchmark, scenario);
  const parts = (release) => distinct(cells.filter((row) => row.release === release).map((row) => row.accelerator_id));
  const seen = distinct(cells.filter((row) => byRound(row.release, newest) < 0).map((row) => row.accelerator_id));
  const added = parts(newest).filter((id) => !seen.includes(id));
  const gains = rowsOf("best_of_round").filter((row) => row.suite_kind === "inference" && row.release === newest && isNumber(row.gain_ratio));
  const here = gains.filter((row) => row.benchmark_id === benchmark && row.scenario === scenario);
  const largest = [...gains].sort((a, b) => b.gain_ratio - a.gain_ratio).slice(0, 3);
  const gainWords = (row) => `${shortName(row.accelerator_id)} ×${row.accelerator_count} ${times(row.gain_ratio)} of ${row.previous_release}`;
  const last = distinct(cells.map((row) => row.release)).sort(byRound).at(-1);
  return h("section", { class: "figure", id: "changes", "aria-labelledby": "changes-title" },
    h("h2", { id: "changes-title" }, `What ${newest} changed`),
    h("ul", null,
      parts(newest).length
        ? h("li", null, `${modelName(benchmark)}, ${scenario}: ${plural(parts(newest).length, "accelerator")} measured; ${added.length ? `new: ${list(added.map(acceleratorName))}` : "none is new"}.`)
        : h("li", null, `${modelName(benchmark)}, ${scenario} was not measured in ${newest}; its last round is ${roundName(last)}.`),
      here.length > 0 && h("li", null, `Best result against the round before, same part and size: ${list(here.map(gainWords))}.`),
      largest.length > 0 && h("li", null, `Largest gains of the round: ${largest.map((row) => `${modelName(row.benchmark_id)} ${row.scenario}, ${gainWords(row)}`).join("; ")}.`),
      h("li", null, h("a", { href: `#/progress?${new URLSearchParams({ benchmark, scenario })}` }, "All rounds of this model"))));
}

/** Accelerators without a figure above, with the reason; their prices are greyed. */
const unrankedTable = (rows) => h("section", { class: "unranked figure", id: "unranked", "aria-labelledby": "unranked-title" },
  h("h2", { id: "unranked-title" }, "Measured, and not ranked by cost"),
  note("Prices here are old, of an unknown day, or of machines that are too small or of no stated size. `accelmart refresh` fetches today's."),
  dataTable({
    caption: "Measured, and not ranked by cost", rows, rowKey: (row) => row.key,
    columns: [
      column.accelerator(), column.round(), column.text("reason", "Why", { wide: true }),
      column.usd("usd_per_output_mtok", "US$ per M output tokens", (row) => row.unranked?.usd_per_output_mtok ?? null),
      sizeColumn((row) => row.unranked),
      column.usd("usd_per_accelerator_hour", "US$ per accelerator-hour", (row) => row.unranked?.usd_per_accelerator_hour ?? null),
      { key: "provider", title: "Seller", value: (row) => row.unranked?.provider ?? null, text: (value) => (value ? providerName(value) : "–") },
      { key: "price_standing", title: "The price is", value: (row) => row.unranked?.price_standing ?? null, text: (_, row) => (row.unranked ? standingWords(row.unranked) : "–") },
      { key: "fit", title: "The model", value: (row) => row.unranked?.fit ?? null, text: (value) => ({ fits: "fits", too_small: "does not fit", unknown: "fits or not: unknown" }[value] ?? "–") },
    ],
  }));

/** What the joules are, with the error that modelled watts of these rows were divided by. */
function energyWords(rows) {
  const parts = distinct(rows.flatMap((row) => row.energy.map((each) => each.accelerator_id)));
  if (!parts.length) return "";
  const factor = (pct) => (1 + pct / 100).toFixed(2);
  const errors = distinct(rowsOf("energy_model_error").filter((row) => parts.includes(row.accelerator_id)).map((row) =>
    ` ${row.power_model === "published_all_in" ? "Published all-in watts" : "TDP × factor"} ÷ ${factor(row.model_error_pct_median)} (${factor(row.model_error_pct_high)} to ${factor(row.model_error_pct_low)}), the error against ${row.n_model_systems} metered systems.`));
  return `Modelled energy: published all-in watts of an accelerator, else TDP × factor, ÷ the median error against metered systems; measured and modelled joules never share a column.${errors.join("")}`;
}

/** Rounds of this benchmark in another unit, which cannot be compared. */
function missingRounds({ benchmark, scenario }) {
  const inTokens = tokenCells(benchmark, scenario);
  if (!inTokens.length) return "";
  const shown = new Set(inTokens.map((row) => row.release));
  const others = groupBy(otherCells(benchmark, scenario).filter((row) => !shown.has(row.release)), (row) => row.release);
  return [...others].map(([release, rows]) =>
    `${release} published ${list(distinct(rows.map((row) => row.result_unit)))} without tokens per sample: it cannot be compared with tokens and is excluded.`).join(" ");
}

function evidence(row, values, change) {
  if (!row) return note("Choose a point, or “Show” in the table, for the submissions and offers behind it.");
  const results = resultsOf(row).sort((a, b) => b.throughput_per_accelerator - a.throughput_per_accelerator);
  return h("section", { class: "evidence", id: "evidence", "aria-labelledby": "evidence-title", tabindex: "-1" },
    h("div", { class: "figure-head" },
      h("h2", { id: "evidence-title" }, `Evidence: ${row.name}`),
      h("button", { type: "button", class: "quiet", onclick: () => change({ evidence: null }) }, "Close")),
    row.cost && h("p", { class: "sum" },
      `${usd(row.cost.isLevel ? levelOf(row.key, values.pricing).usd_per_accelerator_hour : row.cost.usd_per_accelerator_hour_median)} per accelerator-hour (${row.cost.isLevel ? "price level" : "plain median"}) ÷ (${number(row.best)} output tokens/s × 3600) × 10⁶ = ${usd(row.cost.usd)} per million output tokens, at full use: ${basisWords(row.cost)}; ${besideWords(row.cost)}.`,
      row.cost.size_note && ` (${row.cost.size_note}.)`),
    h("h3", null, row.isTokens ? `Measured: ${plural(results.length, "result")}` : "Measured: the best result"),
    dataTable({ caption: "MLPerf results behind it", columns: resultColumns, rows: results, rowKey: (each) => each.result_id }),
    h("h3", null, `Current prices: ${plural(row.offers.length, "seller")}`),
    row.offers.length
      ? dataTable({ caption: "Offers: those recent enough to rank first, each cheapest first", columns: offerColumns, rows: row.offers, rowKey: (each) => each.offer_id })
      : h("p", { class: "none" }, "No current price for these choices."),
    h("h3", null, "Energy"),
    row.energy.length
      ? dataTable({
        caption: "Power behind it", rows: row.energy, rowKey: (each) => `${each.result_id}#${each.power_basis}`,
        columns: [
          column.text("submission_id", "Submission"), column.text("submitter", "Submitter"), column.text("system_name", "System"),
          column.text("power_basis", "Basis"), column.text("power_scope", "What was metered"),
          column.number("watts_per_accelerator", "W per accelerator"), column.number("pue", "PUE"),
          column.number("j_per_output_token_before_pue", "J per output token before PUE"),
          column.number("j_per_output_token_measured", "J per output token with PUE, measured"),
          column.number("j_per_output_token_modelled", "J per output token with PUE, modelled"),
          column.number("j_per_output_token_modelled_low", "low"), column.number("j_per_output_token_modelled_high", "high"),
          column.link("source_url", "Result"),
        ],
      })
      : h("p", { class: "none" }, "No power was measured and none is modelled."));
}
