// Which accelerator for my model? Cost, speed and energy of a token, ranked, with the evidence of each.
import { byRound, distinct, groupBy, roundNumber, rowBy, rowsOf } from "../data.js";
import { h } from "../dom.js";
import { isNumber, median, usdPerMtok } from "../formulas.js";
import { day, days, list, number, plural, usd } from "../format.js";
import { figure } from "../chart.js";
import { dataTable } from "../table.js";
import {
  acceleratorName, ageWords, benchmarkName, built, column, inPricingOrder, modelName, note, offerColumns, providerName,
  resultColumns, tiles, words,
} from "../common.js";

const LATEST = "latest";
const SCENARIOS = ["Offline", "Server", "Interactive"];

const tokenCells = (benchmark, scenario) =>
  rowsOf("token_throughput").filter((row) => row.benchmark_id === benchmark && row.scenario === scenario);
const otherCells = (benchmark, scenario) =>
  rowsOf("throughput").filter((row) => row.benchmark_id === benchmark && row.scenario === scenario);

/** Cells of a benchmark and scenario that may be ranked together: output tokens where there are any, else one unit. */
export function cellsOf({ benchmark, scenario, round, unit }) {
  const inTokens = tokenCells(benchmark, scenario).map((row) => ({
    ...row,
    unit: "output tokens/s",
    best: row.output_tokens_per_s_per_accelerator,
    middle: row.output_tokens_per_s_per_accelerator_median,
    low: lowestOf(row),
    isTokens: true,
  }));
  const all = inTokens.length ? inTokens : otherCells(benchmark, scenario)
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
  if (round !== LATEST) return all.filter((row) => row.release === round);
  const newest = new Map();
  for (const row of all) {
    const last = newest.get(row.accelerator_id);
    if (!last || roundNumber(row.release) > roundNumber(last.release)) newest.set(row.accelerator_id, row);
  }
  return [...newest.values()];
}

const resultsOf = (cell) => rowsOf("results").filter((row) =>
  row.accelerator_id === cell.accelerator_id && row.release === cell.release && row.benchmark_id === cell.benchmark_id
  && row.scenario === cell.scenario
  && (cell.output_tokens_per_s_per_accelerator ? isNumber(row.output_tokens_per_s_per_accelerator)
    : row.result_id === cell.best_result_id));

const lowestOf = (cell) => Math.min(...resultsOf(cell).map((row) => row.output_tokens_per_s_per_accelerator));

/** Offers in force of an accelerator, as chosen, cheapest first. */
export const offersOf = (accelerator, { pricing, segment, age }) => rowsOf("offers")
  .filter((row) => row.accelerator_id === accelerator && row.pricing_model === pricing
    && (segment === "any" || row.segment === segment)
    && (age === "any" || row.age_days <= Number(age)))
  .sort((a, b) => a.usd_per_accelerator_hour_min - b.usd_per_accelerator_hour_min || (a.offer_id < b.offer_id ? -1 : 1));

/** Everything about one accelerator for these choices. */
function answer(cell, values) {
  const offers = offersOf(cell.accelerator_id, values);
  const costs = cell.isTokens ? offers.map((offer) => usdPerMtok(offer.usd_per_accelerator_hour_min, cell.best)) : [];
  const energy = rowsOf("energy").filter((row) => row.suite_kind === "inference" && row.benchmark_id === cell.benchmark_id
    && row.scenario === cell.scenario && row.release === cell.release && row.accelerator_id === cell.accelerator_id);
  const joules = (basis) => energy.filter((row) => row.power_basis === basis)
    .map((row) => (cell.isTokens ? row.j_per_output_token : row.j_per_unit_before_pue * row.pue)).filter(isNumber)
    .sort((a, b) => a - b);
  return {
    ...cell,
    key: cell.accelerator_id,
    name: `${acceleratorName(cell.accelerator_id)} · ${cell.release}`,
    offers,
    cheapest: offers[0] ?? null,
    cost_best: costs[0] ?? null,
    cost_middle: median(costs),
    cost_high: costs.at(-1) ?? null,
    energy,
    measured: joules("measured"),
    modelled: joules("modelled"),
  };
}

export const pageAccelerators = {
  id: "accelerators",
  tab: "Which accelerator?",
  title: "Which accelerator for my model?",
  lead: "Measured throughput of one accelerator, the prices in force, and the energy of a token: ranked, with the evidence a click away.",
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
        return [[LATEST, "Latest of each accelerator"], ...rounds.sort(byRound).reverse().map((name) => [name, `${name} only`])];
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
    {
      name: "segment", label: "Sellers",
      options: () => [["any", "All"], ...distinct(rowsOf("offers").map((row) => row.segment)).sort().map((s) => [s, words(s)])],
    },
    {
      name: "age", label: "Price seen within",
      options: () => [["any", "Any age, shown"], ["30", "30 days"], ["90", "90 days"], ["200", "200 days"], ["400", "400 days"]],
    },
  ],

  view(values, { change, chosen }) {
    const answers = cellsOf(values).map((cell) => answer(cell, values));
    const unit = answers[0]?.unit ?? "";
    const isTokens = answers[0]?.isTokens ?? false;
    const what = `${modelName(values.benchmark)}, ${values.scenario}`;
    const when = values.round === LATEST ? "latest round of each accelerator" : values.round;
    const pick = (row) => change({ evidence: row.accelerator });
    const per = isTokens ? "output token" : unit === "queries/s" ? "query" : "sample";

    if (!answers.length) {
      return h("p", { class: "none" }, `No measured result of ${what} (${when}) in the closed division, datacenter suite.`);
    }

    const priced = answers.filter((row) => row.cost_best !== null).sort((a, b) => a.cost_best - b.cost_best);
    const fastest = [...answers].sort((a, b) => b.best - a.best);
    const ranked = isTokens ? [...priced, ...fastest.filter((row) => row.cost_best === null)] : fastest;
    const unpriced = answers.filter((row) => !row.offers.length).map((row) => acceleratorName(row.accelerator_id));
    const table = tableColumns(isTokens, unit, per, pick);
    const shared = { columns: table.filter((each) => !each.isAction), rowKey: (row) => row.key };
    const energyOf = (basis) => energyFigure({ basis, answers, per, what, when, isTokens, pick, shared });

    return [
      tiles([
        isTokens && ["Cheapest", priced[0] ? `${usd(priced[0].cost_best)} / M output tokens` : "no price in force",
          priced[0] && `${priced[0].name}, ${providerName(priced[0].cheapest.provider)}; price seen ${day(priced[0].cheapest.observed_at)}`],
        ["Fastest", `${number(fastest[0].best)} ${unit}`, `${fastest[0].name}, per accelerator`],
        energyTile(answers, per),
      ].filter(Boolean)),
      isTokens
        ? figure({
          name: "cost",
          kind: "ranked",
          title: `US$ per million output tokens: ${what}`,
          subtitle: `${when}; ${words(values.pricing).toLowerCase()} prices at full use (100 % utilisation and goodput). Bar: cheapest seller. Tick: median seller. Line: to the dearest. Lower is better.`,
          words: { unit: "US$ per million output tokens" },
          rows: priced.map((row, position) => ({
            key: row.key, accelerator: row.key, position, group: ageWords(row.cheapest.age_days), label: row.name, value: row.cost_best,
            low: row.cost_best, middle: row.cost_middle, high: row.cost_high, text: usd(row.cost_best),
            detail: `${number(row.best)} tokens/s, best of ${plural(row.n_results, "result")}; ${usd(row.cheapest.usd_per_accelerator_hour_min)}/h at ${providerName(row.cheapest.provider)}, cheapest of ${plural(row.offers.length, "seller")}, seen ${day(row.cheapest.observed_at)}`,
          })),
          tableRows: priced,
          ...shared,
          onPick: pick,
          empty: `No ${words(values.pricing).toLowerCase()} price in force${values.segment === "any" ? "" : ` from ${words(values.segment).toLowerCase()}`}${values.age === "any" ? "" : ` seen within ${values.age} days of ${built()}`} for any accelerator with a measured result of ${what}.`,
        })
        : note(`${modelName(values.benchmark)} is measured in ${unit}, not in tokens: there is no cost of a token. Only results in ${unit} are ranked here.`),
      isTokens && unpriced.length > 0 && note(`No such price in force for ${list(unpriced)}: not in the ranking above.`),
      note(missingRounds(values)),
      figure({
        name: "speed",
        kind: "ranked",
        title: `${unit[0].toUpperCase()}${unit.slice(1)} of one accelerator: ${what}`,
        subtitle: `${when}. Bar: best result. Tick: median. Line: to the lowest. Higher is better.`,
        words: { unit: `${unit} per accelerator` },
        rows: fastest.map((row, position) => ({
          key: row.key, accelerator: row.key, position, group: "measured", label: row.name, value: row.best, low: row.low,
          middle: row.middle, high: row.best, text: number(row.best),
          detail: `median ${number(row.middle)}, lowest ${number(row.low)}; n = ${row.n_results}, round ${row.release}`,
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
    column.text("release", "Round"),
    { key: "evidence", title: "Evidence", fixed: true, isAction: true,
      node: (row) => h("button", { type: "button", class: "quiet", onclick: () => pick({ accelerator: row.key }) }, "Show", h("span", { class: "unseen" }, ` the evidence of ${row.name}`)) },
    ...(isTokens ? [
      column.usd("usd_per_output_mtok_min", "US$ per M output tokens, cheapest", (row) => row.cost_best),
      column.usd("usd_per_output_mtok_median", "median seller", (row) => row.cost_middle),
      column.usd("usd_per_output_mtok_max", "dearest", (row) => row.cost_high),
    ] : []),
    column.usd("usd_per_accelerator_hour_min", "US$ per accelerator-hour", (row) => row.cheapest?.usd_per_accelerator_hour_min ?? null),
    { key: "provider", title: "Cheapest seller", value: (row) => row.cheapest?.provider ?? null, text: (value) => (value ? providerName(value) : "no price in force") },
    column.integer("n_sellers", "Sellers", (row) => row.offers.length),
    column.number("price_age_days", "Price age", days, (row) => row.cheapest?.age_days ?? null),
    column.number("throughput_max", `${unit}, best`, number, (row) => row.best),
    column.number("throughput_median", "median", number, (row) => row.middle),
    column.number("throughput_min", "lowest", number, (row) => row.low),
    column.integer("n_results", "Results (n)"),
    energyColumn("measured", "j_measured_min"),
    energyColumn("modelled", "j_modelled_min"),
    { key: "best_result_id", title: "Best result", onlyCsv: true, value: (row) => row.result_id },
    { key: "offer_id", title: "Offer", onlyCsv: true, value: (row) => row.cheapest?.offer_id ?? null },
  ];
}

function energyTile(answers, per) {
  const [best] = answers.filter((row) => row.measured.length).sort((a, b) => a.measured[0] - b.measured[0]);
  return ["Least energy measured", best ? `${number(best.measured[0])} J per ${per}` : "no measured result",
    best ? `${best.name}, PUE ${best.energy[0].pue} applied` : "nobody submitted power for these choices"];
}

function energyFigure({ basis, answers, per, what, when, pick, shared }) {
  const rows = answers.filter((row) => row[basis].length).sort((a, b) => a[basis][0] - b[basis][0]);
  const [first] = rows.flatMap((row) => row.energy.filter((each) => each.power_basis === basis));
  return figure({
    name: `energy-${basis}`,
    kind: "ranked",
    title: `Joules per ${per}, ${basis}: ${what}`,
    subtitle: first && `${when}; PUE ${first.pue} applied. Power: ${basis === "measured" ? first.power_scope : "published all-in watts of an accelerator, else TDP × factor"}. Bar: least. Tick: median. Line: to the most. Lower is better.`,
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
      ? `No measured result: nobody submitted power with ${what} (${when}). Modelled figures are kept apart.`
      : `Energy is modelled for results in tokens on parts with a known power only; there is none for ${what} (${when}).`,
  });
}

/** Rounds of this benchmark that were published in another unit and cannot be shown beside these. */
function missingRounds({ benchmark, scenario }) {
  const inTokens = tokenCells(benchmark, scenario);
  if (!inTokens.length) return "";
  const shown = new Set(inTokens.map((row) => row.release));
  const others = groupBy(otherCells(benchmark, scenario).filter((row) => !shown.has(row.release)), (row) => row.release);
  return [...others].map(([release, rows]) =>
    `${release} published ${list(distinct(rows.map((row) => row.result_unit)))} without tokens per sample: it cannot stand beside tokens and is left out.`).join(" ");
}

function evidence(row, values, change) {
  if (!row) return note("Choose a bar, or “Show” in the table, for the submissions and offers behind it.");
  const results = resultsOf(row).sort((a, b) => b.throughput_per_accelerator - a.throughput_per_accelerator);
  return h("section", { class: "evidence", id: "evidence", "aria-labelledby": "evidence-title", tabindex: "-1" },
    h("div", { class: "figure-head" },
      h("h2", { id: "evidence-title" }, `Evidence: ${row.name}`),
      h("button", { type: "button", class: "quiet", onclick: () => change({ evidence: null }) }, "Close")),
    row.cost_best !== null && h("p", { class: "sum" },
      `${usd(row.cheapest.usd_per_accelerator_hour_min)} per accelerator-hour ÷ (${number(row.best)} output tokens/s × 3600) × 10⁶ = ${usd(row.cost_best)} per million output tokens, at full use.`),
    h("h3", null, row.isTokens ? `Measured: ${plural(results.length, "result")}` : "Measured: the best result"),
    dataTable({ caption: "MLPerf results behind it", columns: resultColumns, rows: results, rowKey: (each) => each.result_id }),
    h("h3", null, `Prices in force: ${plural(row.offers.length, "seller")}`),
    row.offers.length
      ? dataTable({ caption: "Offers behind it, cheapest first", columns: offerColumns, rows: row.offers, rowKey: (each) => each.offer_id })
      : h("p", { class: "none" }, "No price in force for these choices."),
    h("h3", null, "Energy"),
    row.energy.length
      ? dataTable({
        caption: "Power behind it", rows: row.energy, rowKey: (each) => `${each.result_id}#${each.power_basis}`,
        columns: [
          column.text("submission_id", "Submission"), column.text("submitter", "Submitter"), column.text("system_name", "System"),
          column.text("power_basis", "Basis"), column.text("power_scope", "What was metered"),
          column.number("watts_per_accelerator", "W per accelerator"), column.number("pue", "PUE"),
          column.number("j_per_output_token_before_pue", "J per output token before PUE"),
          column.number("j_per_output_token", "J per output token with PUE"), column.link("source_url", "Result"),
        ],
      })
      : h("p", { class: "none" }, "No power was measured and none is modelled."));
}
