// Which accelerator for my model? Cost, speed and energy of a token, ranked, with the evidence of each.
import { byRound, distinct, groupBy, rowsOf } from "../data.js";
import { h } from "../dom.js";
import { isNumber, median } from "../formulas.js";
import { day, list, number, plural, sentence, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { dataTable } from "../table.js";
import {
  acceleratorName, benchmarkName, column, inPricingOrder, levelOf, modelName, movedWords, note, offerColumns, pricesAsOf, providerName,
  rangeWords, resultColumns, roundName, sameSellers, sellersWords, standingWords, tiles, words,
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
    low: lowestOf(row),
    isTokens: true,
  }));
  return inTokens.length ? inTokens : otherCells(benchmark, scenario)
    .filter((row) => row.result_unit === unit)
    .map((row) => ({
      ...row,
      unit: row.result_unit,
      best: row.throughput_per_accelerator_max,
      middle: row.throughput_per_accelerator_median,
      low: row.throughput_per_accelerator_min,
      result_id: row.best_result_id,
      isTokens: false,
    }));
}

/** Cells that may be ranked together: of each accelerator the best available result of any round, or that of one round. */
export const cellsOf = ({ round, ...asked }) => allCells(asked)
  .filter((row) => (round === BEST ? row.is_representative : row.release === round && !row.apart_reason));

/** Preview, research and reference results of the round, or of accelerators that have no other: without rank. */
const apartOf = ({ benchmark, scenario, round, unit }) => {
  const cells = allCells({ benchmark, scenario, unit }).filter((row) => round === BEST || row.release === round);
  const ranked = new Set(cells.filter((row) => !row.apart_reason).map((row) => row.accelerator_id));
  return cells.filter((row) => row.apart_reason && (round !== BEST || !ranked.has(row.accelerator_id)));
};

const resultsOf = (cell) => rowsOf("results").filter((row) =>
  row.accelerator_id === cell.accelerator_id && row.release === cell.release && row.benchmark_id === cell.benchmark_id
  && row.availability === cell.availability
  && row.scenario === cell.scenario
  && (cell.output_tokens_per_s_per_accelerator ? isNumber(row.output_tokens_per_s_per_accelerator)
    : row.result_id === cell.best_result_id));

const lowestOf = (cell) => Math.min(...resultsOf(cell).map((row) => row.output_tokens_per_s_per_accelerator));

/** Current offers of an accelerator: those that may be ranked, then the others; cheapest first. */
const offersOf = (accelerator, pricing) => rowsOf("offers")
  .filter((row) => row.accelerator_id === accelerator && row.pricing_model === pricing)
  .sort((a, b) => Boolean(a.rank_reason) - Boolean(b.rank_reason)
    || a.usd_per_accelerator_hour_min - b.usd_per_accelerator_hour_min || (a.offer_id < b.offer_id ? -1 : 1));

/** Row of a cost data set for a cell and a pricing model. */
const costOf = (name, cell, pricing) => rowsOf(name).find((row) => row.accelerator_id === cell.accelerator_id
  && row.release === cell.release && row.benchmark_id === cell.benchmark_id && row.scenario === cell.scenario
  && row.pricing_model === pricing) ?? null;

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

/** Adds the cost of a token against the first accelerator at the sellers that have both. */
function withSameSellers(priced, pricing) {
  const [first] = priced;
  return priced.map((row) => {
    const ratio = sameSellers(row.key, first.key, pricing);
    return { ...row, same: ratio && { ratio: (ratio.ratio_median * first.best) / row.best, n: ratio.n_sellers } };
  });
}

/** Everything about one accelerator for these choices. */
function answer(cell, values) {
  const offers = offersOf(cell.accelerator_id, values.pricing);
  const energy = rowsOf("energy").filter((row) => row.suite_kind === "inference" && !row.apart_reason && row.benchmark_id === cell.benchmark_id
    && row.scenario === cell.scenario && row.release === cell.release && row.accelerator_id === cell.accelerator_id);
  const joules = (basis) => energy.filter((row) => row.power_basis === basis)
    .map((row) => (cell.isTokens ? row[`j_per_output_token_${basis}`] : row.j_per_unit_before_pue * row.pue)).filter(isNumber)
    .sort((a, b) => a - b);
  return {
    ...cell,
    key: cell.accelerator_id,
    name: `${acceleratorName(cell.accelerator_id)} · ${roundName(cell.release)}`,
    offers,
    cost: cell.isTokens ? headlineOf(cell, values.pricing) : null,
    reason: cell.isTokens ? costOf("cost_headlines", cell, values.pricing)?.reason ?? "no price of this accelerator under this pricing model" : null,
    unranked: cell.isTokens ? costOf("unranked_costs", cell, values.pricing) : null,
    energy,
    measured: joules("measured"),
    modelled: joules("modelled"),
  };
}

export const pageAccelerators = {
  id: "accelerators",
  tab: "Which accelerator?",
  title: "Which accelerator for my model?",
  lead: "Measured throughput per accelerator, current prices and energy per token, ranked, each with its evidence.",
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
    const answers = cellsOf(values).map((cell) => answer(cell, values));
    const unit = answers[0]?.unit ?? "";
    const isTokens = answers[0]?.isTokens ?? false;
    const what = `${modelName(values.benchmark)}, ${values.scenario}`;
    const when = values.round === BEST ? "best available result of any round" : values.round;
    const pick = (row) => change({ evidence: row.accelerator });
    const per = isTokens ? "output token" : unit === "queries/s" ? "query" : "sample";

    if (!answers.length) {
      return h("p", { class: "none" }, `No measured result of ${what} (${when}) in the closed division, datacenter suite.`);
    }

    const priced = withSameSellers(answers.filter((row) => row.cost).sort((a, b) => b.cost.isLevel - a.cost.isLevel || a.cost.usd - b.cost.usd), values.pricing);
    const fastest = [...answers].sort((a, b) => b.best - a.best);
    const unpriced = fastest.filter((row) => !row.cost);
    const ranked = isTokens ? [...priced, ...unpriced] : fastest;
    const table = tableColumns(isTokens, unit, per, pick);
    const shared = { columns: table.filter((each) => !each.isAction), rowKey: (row) => row.key };
    const energyOf = (basis) => energyFigure({ basis, answers, per, what, when, isTokens, pick, shared });

    return [
      pricesAsOf(),
      tiles([
        isTokens && ["Least to rent", priced[0] ? `${usd(priced[0].cost.usd)} / M output tokens` : "no recent price that fits",
          priced[0] && `${priced[0].name}; ${basisWords(priced[0].cost)}; ${besideWords(priced[0].cost)}`, priced[0]?.cost.size_note],
        ["Fastest", `${number(fastest[0].best)} ${unit}`, `${fastest[0].name}, per accelerator`],
        energyTile(answers, per),
      ].filter(Boolean)),
      isTokens
        ? figure({
          name: "cost",
          kind: "ranked",
          title: `US$ per million output tokens: ${what}`,
          subtitle: `${sentence(when)}; ${words(values.pricing).toLowerCase()} prices at full use (100 % utilisation and goodput). Bar: at the price level of the accelerator, what an average neocloud would ask. Line: range of that level; where ranges overlap, no order is claimed. Tick: cheapest recent offer of a machine that holds the model. Lower is better.${priced.some((row) => !row.cost.isLevel) ? " Accelerators without a price level follow, at the plain median of their own sellers." : ""}${priced.some((row) => row.cost.size_note) ? ` ${SMALLER}` : ""}`,
          words: { unit: "US$ per million output tokens" },
          rows: priced.map((row, position) => ({
            key: row.key, accelerator: row.key, position, group: row.cost.isLevel ? "price level" : "plain median of sellers (no price level)", label: row.name, value: row.cost.usd,
            low: row.cost.low, middle: row.cost.usd_per_output_mtok_cheapest, high: row.cost.high, text: costText(row.cost),
            detail: `${row.cost.size_note ? `${row.cost.size_note}; ` : ""}${basisWords(row.cost)}; ${besideWords(row.cost)}; ${number(row.best)} tokens/s, best of ${plural(row.n_results, "result")}`,
          })),
          tableRows: priced,
          ...shared,
          onPick: pick,
          empty: `No seller has a recent ${words(values.pricing).toLowerCase()} price of a machine that holds ${what}. Other prices are below; \`accelmart refresh\` fetches today's prices.`,
        })
        : note(`${modelName(values.benchmark)} is measured in ${unit}, not in tokens: there is no cost of a token. Only results in ${unit} are ranked here.`),
      isTokens && unpriced.length > 0 && unrankedTable(unpriced),
      note(apartWords(values)),
      note(missingRounds(values)),
      figure({
        name: "speed",
        kind: "ranked",
        title: `${unit[0].toUpperCase()}${unit.slice(1)} of one accelerator: ${what}`,
        subtitle: `${sentence(when)}. Bar: best result. Tick: median. Line: to the lowest. Higher is better.`,
        words: { unit: `${unit} per accelerator` },
        rows: fastest.map((row, position) => ({
          key: row.key, accelerator: row.key, position, group: "measured", label: row.name, value: row.best, low: row.low,
          middle: row.middle, high: row.best, text: number(row.best),
          detail: `median ${number(row.middle)}, lowest ${number(row.low)}; n = ${row.n_results}, round ${roundName(row.release)}; median of ${row.newest_release} ${number(row.newest_release_median)} (n = ${row.newest_release_n_results})`,
        })),
        tableRows: fastest,
        ...shared,
        onPick: pick,
      }),
      energyOf("measured"),
      energyOf("modelled"),
      h("section", { class: "figure", id: "ranking", "aria-labelledby": "ranking-title" },
        h("h2", { id: "ranking-title" }, "All figures"),
        dataTable({ caption: `${what}, ${when}`, columns: table, rows: ranked, rowKey: (row) => row.key })),
      evidence(answers.find((row) => row.key === chosen.get("evidence")), values, change),
    ];
  },
};

function tableColumns(isTokens, unit, per, pick) {
  const energyColumn = (basis, key) => column.number(key, `J per ${per}, ${basis}`, (value, row) =>
    (row[basis].length ? `${number(value)} (n=${row[basis].length})` : "–"), (row) => row[basis][0] ?? null);
  return [
    column.accelerator(),
    column.round(),
    { key: "evidence", title: "Evidence", fixed: true, isAction: true,
      node: (row) => h("button", { type: "button", class: "quiet", onclick: () => pick({ accelerator: row.key }) }, "Show", h("span", { class: "unseen" }, ` the evidence of ${row.name}`)) },
    ...(isTokens ? [
      column.usd("usd_per_output_mtok_at_level", "US$ per M output tokens, price level", (row) => row.cost?.usd_per_output_mtok_at_level ?? null),
      column.usd("usd_per_output_mtok_at_level_low", "low", (row) => row.cost?.usd_per_output_mtok_at_level_low ?? null),
      column.usd("usd_per_output_mtok_at_level_high", "high", (row) => row.cost?.usd_per_output_mtok_at_level_high ?? null),
      column.integer("n_sellers_of_level", "Sellers of the level", (row) => row.cost?.n_sellers_of_level ?? null),
      sizeColumn((row) => row.cost),
      column.usd("usd_per_output_mtok_cheapest", "cheapest offer", (row) => row.cost?.usd_per_output_mtok_cheapest ?? null),
      { key: "provider", title: "Cheapest seller", value: (row) => row.cost?.cheapest_provider ?? null, text: (value) => (value ? providerName(value) : "–") },
      column.number("same_seller_ratio", "Against the first, at the sellers of both", times, (row) => row.same?.ratio ?? null),
      column.integer("n_same_sellers", "Sellers of both", (row) => row.same?.n ?? null),
      column.usd("usd_per_output_mtok_median", "plain median", (row) => row.cost?.usd_per_output_mtok_median ?? null),
      column.integer("n_sellers", "Sellers of the median", (row) => row.cost?.n_sellers ?? 0),
      { key: "oldest_price_on", title: "Oldest price of", value: (row) => row.cost?.oldest_price_on ?? null, text: (value) => day(value) },
      column.text("level_reason", "Why no price level", { wide: true, value: (row) => row.cost?.level_reason ?? null }),
    ] : []),
    column.number("throughput_max", `${unit}, best`, number, (row) => row.best),
    column.number("throughput_median", "median", number, (row) => row.middle),
    column.number("throughput_min", "lowest", number, (row) => row.low),
    column.integer("n_results", "Results (n)"),
    energyColumn("measured", "j_measured_min"),
    energyColumn("modelled", "j_modelled_min"),
    { key: "best_result_id", title: "Best result", onlyCsv: true, value: (row) => row.result_id },
    { key: "offer_id", title: "Cheapest offer", onlyCsv: true, value: (row) => row.cost?.cheapest_offer_id ?? null },
  ];
}

// said of a chart with such figures
const SMALLER = "* Some or all of the prices are of fewer accelerators than were measured: see the tooltip and the table.";

/** Column beside a cost: of how many accelerators its prices are, where that is fewer than were measured. */
const sizeColumn = (costOfRow) => ({
  key: "size_note", title: "Prices of fewer accelerators than measured", wide: true,
  value: (row) => costOfRow(row)?.size_note ?? null, text: (value, row) => value ?? (costOfRow(row) ? "none" : "–"),
});

const costText = (cost) => `${usd(cost.usd)}${cost.isLevel && cost.n_sellers_of_level === 1 ? ", one seller" : ""}${cost.size_note ? " *" : ""}`;

/** Accelerators without a figure above, with the reason; their prices are greyed. */
const unrankedTable = (rows) => h("section", { class: "unranked", id: "unranked", "aria-labelledby": "unranked-title" },
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

function energyTile(answers, per) {
  const [best] = answers.filter((row) => row.measured.length).sort((a, b) => a.measured[0] - b.measured[0]);
  return ["Least energy measured", best ? `${number(best.measured[0])} J per ${per}` : "no measured result",
    best ? `${best.name}, PUE ${best.energy[0].pue} applied` : "no power was submitted for these choices"];
}

function energyFigure({ basis, answers, per, what, when, pick, shared }) {
  const rows = answers.filter((row) => row[basis].length).sort((a, b) => a[basis][0] - b[basis][0]);
  const [first] = rows.flatMap((row) => row.energy.filter((each) => each.power_basis === basis));
  return figure({
    name: `energy-${basis}`,
    kind: "ranked",
    title: `Joules per ${per}, ${basis}: ${what}`,
    subtitle: first && `${sentence(when)}; PUE ${first.pue} applied. Power: ${basis === "measured" ? first.power_scope : "published all-in watts of an accelerator, else TDP × factor, ÷ the median error against metered systems"}. Bar: least. Tick: median. Line: to the most. Lower is better.${basis === "modelled" ? modelErrorWords(rows) : ""}`,
    words: { unit: `J per ${per}, with PUE` },
    rows: rows.map((row, position) => ({
      key: row.key, accelerator: row.key, position, group: basis, label: row.name, value: row[basis][0], low: row[basis][0],
      middle: median(row[basis]), high: row[basis].at(-1), text: `${number(row[basis][0])} J`,
      detail: `median ${number(median(row[basis]))} J, most ${number(row[basis].at(-1))} J; n = ${row[basis].length}`,
    })),
    tableRows: rows,
    ...shared,
    onPick: pick,
    empty: basis === "measured"
      ? `No measured result: no power was submitted with ${what} (${when}). Modelled figures are kept apart.`
      : `Energy is modelled for results in tokens on parts with a known power only; there is none for ${what} (${when}).`,
  });
}

/** One sentence per error that modelled watts of these rows were divided by. */
function modelErrorWords(rows) {
  const parts = distinct(rows.flatMap((row) => row.energy.map((each) => each.accelerator_id)));
  const factor = (pct) => (1 + pct / 100).toFixed(2);
  return distinct(rowsOf("energy_model_error").filter((row) => parts.includes(row.accelerator_id)).map((row) =>
    ` ${row.power_model === "published_all_in" ? "Published all-in watts" : "TDP × factor"} ÷ ${factor(row.model_error_pct_median)} (${factor(row.model_error_pct_high)} to ${factor(row.model_error_pct_low)}), the error against ${row.n_model_systems} metered systems.`)).join("");
}

/** A sentence about rounds of this benchmark in another unit, which cannot be compared. */
/** Names what is measured and not ranked because its systems cannot be bought or rented. */
function apartWords(values) {
  const words = apartOf(values).sort((a, b) => b.best - a.best)
    .map((row) => `${acceleratorName(row.accelerator_id)} ${number(row.best)} ${row.unit} (${row.apart_reason}, ${roundName(row.release)})`);
  return words.length ? `Apart, without rank: ${words.join("; ")}.` : "";
}

function missingRounds({ benchmark, scenario }) {
  const inTokens = tokenCells(benchmark, scenario);
  if (!inTokens.length) return "";
  const shown = new Set(inTokens.map((row) => row.release));
  const others = groupBy(otherCells(benchmark, scenario).filter((row) => !shown.has(row.release)), (row) => row.release);
  return [...others].map(([release, rows]) =>
    `${release} published ${list(distinct(rows.map((row) => row.result_unit)))} without tokens per sample: it cannot be compared with tokens and is left out.`).join(" ");
}

function evidence(row, values, change) {
  if (!row) return note("Choose a bar, or “Show” in the table, for the submissions and offers behind it.");
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
