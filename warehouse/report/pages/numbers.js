// My numbers: costs and energy with the reader's own assumptions.
import { distinct, rowsOf } from "../data.js";
import { h } from "../dom.js";
import {
  LONGEST_HORIZON, breakEvenUtilisationPct, isNumber, jPerToken, monthsToBreakEven, ownedUsd, ownershipCost, rentedUsd, tokensPerHouseholdYear,
  usdPerMtok, usdPerUsefulMtok,
} from "../formulas.js";
import { large, list, number, percent, plural, usd } from "../format.js";
import { figure } from "../chart.js";
import { dataTable } from "../table.js";
import { residualPct } from "../choosing.js";
import { DEFAULT_OWNER, acceleratorName, benchmarkName, column, commonLevel, inPricingOrder, modelName, note, ownerWords, pricesAsOf, rentPrice, roundName, words } from "../common.js";
import { cellsOf, headlineOf } from "./accelerators.js";

const COMPONENTS = [
  ["capital_usd_per_accelerator_hour", "Capital"],
  ["electricity_usd_per_accelerator_hour", "Electricity"],
  ["colocation_usd_per_accelerator_hour", "Space and cooling"],
  ["maintenance_usd_per_accelerator_hour", "Maintenance"],
  ["staff_usd_per_accelerator_hour", "Staff"],
  ["unavailability_usd_per_accelerator_hour", "Hours it is down"],
];

const ownedOf = (accelerator, scenario) =>
  rowsOf("tco").find((row) => row.accelerator_id === accelerator && row.scenario_id === scenario);

const throughputOf = ({ accelerator, benchmark, mlperf }) =>
  cellsOf({ benchmark, scenario: mlperf, round: "best" }).find((cell) => cell.isTokens && cell.accelerator_id === accelerator);
const rentOf = ({ accelerator, pricing }) => rentPrice(accelerator, pricing);

const fromScenario = (name) => ({ accelerator, scenario }) => ownedOf(accelerator, scenario)?.[name] ?? null;
const horizonOf = ({ depreciation_years: years }) => Math.max(1, Math.min(LONGEST_HORIZON, Math.round(years * 12)));
const SITE = ["cost_of_capital_pct", "depreciation_years", "electricity_usd_per_kwh", "pue", "colocation_usd_per_kw_month",
  "maintenance_pct_of_capex_per_year", "staff_usd_per_accelerator_year", "availability_pct", "utilisation_pct", "goodput_pct"];
const OF_THE_PART = ["capex_usd_per_accelerator", "it_power_w", "availability_pct", "tokens", "rent"];

const field = (group, name, label, unit, min, max, step, slider, more) =>
  ({ group, name, label, unit, min, max, step, slider, initial: fromScenario(name), ...more });

export const pageNumbers = {
  id: "my-numbers",
  tab: "My numbers",
  title: "What does it cost with my numbers?",
  lead: "Change any assumption; all figures update at once. With the defaults they equal those of the warehouse.",
  controls: [
    {
      group: "What", name: "accelerator", label: "Accelerator",
      options: () => distinct(rowsOf("tco").map((row) => row.accelerator_id)).map((id) => [id, acceleratorName(id)])
        .sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => options.find(([id]) => id === "nvidia-h100-sxm-80gb")?.[0],
      resets: OF_THE_PART,
    },
    {
      group: "What", name: "scenario", label: "Owner (preset of all below)",
      options: () => distinct(rowsOf("tco").map((row) => row.scenario_id)).map((id) => [id, ownerWords(id)]),
      initial: (_, options) => options.find(([id]) => id === DEFAULT_OWNER)?.[0],
      resets: [...SITE, "capex_usd_per_accelerator", "it_power_w"],
    },
    {
      group: "What", name: "benchmark", label: "Model (MLPerf benchmark)",
      options: () => distinct(rowsOf("token_throughput").map((row) => row.benchmark_id)).map((id) => [id, benchmarkName(id)])
        .sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => ["llama2-70b-99", "llama3.1-405b"].find((id) => options.some(([value]) => value === id)),
      resets: ["mlperf", "tokens"],
    },
    {
      group: "What", name: "mlperf", label: "Scenario",
      options: ({ benchmark }) => ["Offline", "Server", "Interactive"].filter((scenario) => rowsOf("token_throughput")
        .some((row) => row.benchmark_id === benchmark && row.scenario === scenario)).map((name) => [name, name]),
      initial: (_, options) => options.find(([value]) => value === "Server")?.[0],
      resets: ["tokens"],
    },
    {
      group: "What", name: "pricing", label: "Rent: pricing",
      options: () => inPricingOrder(distinct(rowsOf("offers").map((row) => row.pricing_model))).map((model) => [model, words(model)]),
      resets: ["rent"],
    },
    {
      group: "Speed and rent", name: "tokens", label: "Throughput", unit: "output tokens/s per accelerator",
      min: 0, above: 0, max: 1e7, step: 1, slider: [1, 20000], initial: (values) => throughputOf(values)?.best ?? null,
      missing: "no measured result: enter one",
      origin: (values) => `best of ${plural(throughputOf(values)?.n_results, "result")}, ${roundName(throughputOf(values)?.release)}`,
    },
    {
      group: "Speed and rent", name: "rent", label: "Rent", unit: "US$ per accelerator-hour",
      min: 0, above: 0, max: 10000, step: 0.01, slider: [0.05, 15],
      initial: (values) => rentOf(values)?.usd ?? null, missing: "no recent price: enter one",
      origin: (values) => rentOf(values)?.words,
    },
    field("Hardware", "capex_usd_per_accelerator", "Capex, all-in", "US$ per accelerator", 0, 1e7, 100, [0, 120000]),
    field("Hardware", "it_power_w", "IT power, all-in", "W per accelerator", 0, 1e5, 10, [100, 4000]),
    field("Hardware", "depreciation_years", "Depreciation", "years", 0, 30, 0.25, [1, 10], { above: 0 }),
    field("Hardware", "residual_pct", "Residual value", "% of capex in the end", 0, 100, 1, [0, 100], { initial: (values) => residualPct(null, 1, horizonOf(values)), origin: () => "" }),
    field("Hardware", "cost_of_capital_pct", "Cost of capital", "% a year", 0, 100, 0.25, [0, 30]),
    field("Hardware", "maintenance_pct_of_capex_per_year", "Maintenance", "% of capex a year", 0, 100, 0.25, [0, 15]),
    field("Site", "electricity_usd_per_kwh", "Electricity", "US$ per kWh", 0, 10, 0.001, [0, 0.5]),
    field("Site", "pue", "PUE", "site power ÷ IT power", 1, 5, 0.01, [1, 2.5]),
    field("Site", "colocation_usd_per_kw_month", "Space and cooling", "US$ per kW and month", 0, 10000, 1, [0, 400]),
    field("Site", "staff_usd_per_accelerator_year", "Staff", "US$ per accelerator and year", 0, 1e6, 10, [0, 5000]),
    field("Use", "availability_pct", "Availability", "% of hours up", 0, 100, 0.1, [50, 100], { above: 0 }),
    field("Use", "utilisation_pct", "Utilisation", "% of hours used", 0, 100, 1, [1, 100], { above: 0 }),
    field("Use", "goodput_pct", "Goodput", "% of the work that counts", 0, 100, 1, [1, 100], { above: 0 }),
  ],

  view(values) {
    const owned = ownershipCost(values);
    const preset = ownershipCost(ownedOf(values.accelerator, values.scenario));
    const changed = [...SITE, "capex_usd_per_accelerator", "it_power_w"]
      .filter((name) => values[name] !== ownedOf(values.accelerator, values.scenario)[name]);
    const figures = figuresOf(values, owned);
    const row = ownedOf(values.accelerator, values.scenario);
    const cell = throughputOf(values);
    const rent = rentOf(values);
    const sizeNote = headlineOf(cell, values.pricing)?.size_note;
    return [
      pricesAsOf(),
      // on a phone the figures are far below the fields, so the main ones are repeated here
      h("div", { class: "in-sight", "aria-hidden": "true" },
        [["owned", figures.usd_per_accelerator_hour, "/h"], ["owned", figures.owned_usd_per_useful_output_mtok, "/M tok"],
          ["rented", figures.rented_usd_per_useful_output_mtok, "/M tok"]].map(([name, value, unit]) =>
          h("span", null, h("small", null, name), h("b", null, usd(value), unit)))),
      h("section", { class: "results", "aria-labelledby": "results-title" },
        h("h2", { id: "results-title" }, `${acceleratorName(values.accelerator)}: ${modelName(values.benchmark)}, ${values.mlperf}`),
        h("div", { class: "cards" },
          card("Owned", [
            ["usd_per_accelerator_hour", "per accelerator-hour", usd],
            ["owned_usd_per_output_mtok", "per million output tokens, at full use", usd],
            ["owned_usd_per_useful_output_mtok", `per million, at ${number(values.utilisation_pct)} % utilisation and ${number(values.goodput_pct)} % goodput`, usd],
            ["usd_per_utilised_accelerator_hour", "per hour used", usd],
            ["usd_per_useful_accelerator_hour", "per hour of useful work", usd],
            ["power_and_space_share_pct", "of it power and space", percent],
          ], figures),
          card("Rented", [
            ["rented_usd_per_accelerator_hour", "per accelerator-hour", usd],
            ["rented_usd_per_output_mtok", "per million output tokens, at full use", usd],
            ["rented_usd_per_useful_output_mtok", `per million, at ${number(values.utilisation_pct)} % utilisation and ${number(values.goodput_pct)} % goodput`, usd],
          ], figures, sizeNote && values.rent === rent?.usd && `Prices of sellers: ${sizeNote}.`),
          card("Own or rent", [
            ["break_even_utilisation_pct", `utilisation over ${horizonOf(values)} months at which owning costs as much as renting only the hours used`, percent],
            ["months_to_break_even_at_full_use", "months after which owning has cost no more than renting, at full use", number],
            ["months_to_break_even", `months, at ${number(values.utilisation_pct)} % utilisation`, number],
          ], figures, verdict(values, figures)),
          card("Energy, modelled", [
            ["j_per_output_token", "J per output token, with PUE", number],
            ["j_per_output_token_before_pue", "J per output token, before PUE", number],
            ["output_tokens_per_household_year", `output tokens for a US household's electricity of a year (${number(rowsOf("constants")[0].household_j_per_year / 3.6e6)} kWh)`, large],
          ], figures))),
      figure({
        name: "components",
        kind: "stacked",
        title: `An owned ${acceleratorName(values.accelerator)} costs ${usd(owned.usd_per_accelerator_hour)} an hour${changed.length ? `, preset ${usd(preset.usd_per_accelerator_hour)}` : ""}`,
        subtitle: "US$ per accelerator-hour in which it is up, by component",
        words: { unit: "US$ per accelerator-hour" },
        rows: [["Yours", owned], [ownerWords(values.scenario), preset]].flatMap(([name, cost]) =>
          COMPONENTS.map(([key, component], position) => ({ case: name, component, position, value: cost[key], text: usd(cost[key]) }))),
        columns: [
          { key: "component", title: "Component", value: (each) => each.component },
          column.usd("yours_usd_per_accelerator_hour", "Yours", (each) => each.yours),
          column.usd("preset_usd_per_accelerator_hour", `Preset ${ownerWords(values.scenario)}`, (each) => each.preset),
        ],
        tableRows: [...COMPONENTS, ["usd_per_accelerator_hour", "Total"]]
          .map(([key, component]) => ({ key, component, yours: owned[key], preset: preset[key] })),
        rowKey: (each) => each.key,
      }),
      comparison(values),
      h("section", { class: "figure", "aria-labelledby": "rests-title" },
        h("h2", { id: "rests-title" }, "Basis of the defaults"),
        h("ul", { class: "basis" },
          h("li", null, `Capex ${usd(row.capex_usd_per_accelerator)}: ${words(row.capex_basis).toLowerCase()}, prices of ${row.capex_as_of ?? "no stated date"}.`),
          h("li", null, `IT power ${number(row.it_power_w)} W: ${row.it_power_basis}, as of ${row.it_power_as_of ?? "no stated date"}.`),
          h("li", null, cell ? `Throughput: best of ${cell.n_results} closed datacenter results, round ${roundName(cell.release)}.` : `No measured result of ${modelName(values.benchmark)}, ${values.mlperf}, on this accelerator in tokens.`),
          h("li", null, rent ? `Rent, ${words(values.pricing).toLowerCase()}: ${rent.words}.` : `No recent ${words(values.pricing).toLowerCase()} price.`)),
        assumptionsTable(values)),
      note("Ownership per hour = (capex × CRF ÷ 8,760 + IT kW × (PUE × electricity + space ÷ 730) + (maintenance + staff) ÷ 8,760) ÷ availability. ",
        "CRF is the annuity of the cost of capital over the depreciation. A million tokens = $/h ÷ (tokens/s × 3,600) × 10⁶; utilisation and goodput divide it further."),
    ];
  },
};

/** Every figure of one accelerator for these inputs, with the column names of the warehouse. */
function figuresOf(values, owned) {
  const horizon = horizonOf(values);
  const given = values.residual_pct === residualPct(null, 1, horizon) ? null : values.residual_pct;
  const ownedFor = (months) => ownedUsd(values.capex_usd_per_accelerator, owned.running_usd_per_accelerator_hour, months, values.cost_of_capital_pct, residualPct(given, months, horizon));
  // a commitment is paid, used or not
  const rentedAt = (share) => (months) => (values.pricing.startsWith("reserved_") ? null : rentedUsd(values.rent, months, share, 0));
  const owns = owned.usd_per_accelerator_hour;
  const j = jPerToken(values.it_power_w, values.pue, values.tokens);
  return {
    ...owned,
    owned_usd_per_output_mtok: usdPerMtok(owns, values.tokens),
    owned_usd_per_useful_output_mtok: usdPerUsefulMtok(owns, values.tokens, values.utilisation_pct, values.goodput_pct),
    rented_usd_per_accelerator_hour: values.rent,
    rented_usd_per_output_mtok: usdPerMtok(values.rent, values.tokens),
    rented_usd_per_useful_output_mtok: usdPerUsefulMtok(values.rent, values.tokens, values.utilisation_pct, values.goodput_pct),
    break_even_utilisation_pct: breakEvenUtilisationPct(ownedFor(horizon), rentedAt(100)(horizon)),
    months_to_break_even_at_full_use: monthsToBreakEven(ownedFor, rentedAt(100)),
    months_to_break_even: monthsToBreakEven(ownedFor, rentedAt(values.utilisation_pct)),
    j_per_output_token: j,
    j_per_output_token_before_pue: jPerToken(values.it_power_w, 1, values.tokens),
    output_tokens_per_household_year: tokensPerHouseholdYear(j, rowsOf("constants")[0].household_j_per_year),
  };
}

function card(name, lines, figures, more) {
  return h("section", { class: "card", "aria-label": name }, h("h3", null, name), more && h("p", null, more),
    h("dl", null, lines.map(([key, words_, text]) => h("div", null,
      h("dd", { "data-figure": key, "data-value": isNumber(figures[key]) ? figures[key] : "" },
        isNumber(figures[key]) ? text(figures[key]) : key.startsWith("months") && isNumber(figures.break_even_utilisation_pct) ? "never" : "not known"),
      h("dt", null, words_)))));
}

function verdict(values, figures) {
  const share = figures.break_even_utilisation_pct;
  if (values.pricing.startsWith("reserved_")) return "A commitment is paid for whole terms, used or not: see the page “Own or rent, months”.";
  if (!isNumber(share)) return "No rent to compare with: enter one.";
  if (share <= values.utilisation_pct) return `At these inputs owning is cheaper at your ${number(values.utilisation_pct)} % utilisation; their ranges are on the page Build or rent.`;
  return share <= 100 ? `At these inputs owning is cheaper above ${percent(share)} utilisation, renting below.` : "At these inputs renting is cheaper at any utilisation.";
}

/** Every accelerator with the same site and financing, and its own hardware and throughput. */
function comparison(values) {
  const chosen = ownedOf(values.accelerator, values.scenario);
  const rows = rowsOf("tco").filter((row) => row.scenario_id === values.scenario).map((row) => {
    const isChosen = row.accelerator_id === values.accelerator;
    const input = { ...row, ...Object.fromEntries(SITE.map((name) => [name, values[name]])) };
    // availability is by part, unless the reader set one
    if (values.availability_pct === chosen.availability_pct) input.availability_pct = row.availability_pct;
    if (isChosen) Object.assign(input, { capex_usd_per_accelerator: values.capex_usd_per_accelerator, it_power_w: values.it_power_w });
    const cell = throughputOf({ ...values, accelerator: row.accelerator_id });
    const tokens = isChosen ? values.tokens : cell?.best ?? null;
    const cost = ownershipCost(input).usd_per_accelerator_hour;
    return {
      accelerator_id: row.accelerator_id, isChosen, price_level: row.price_level, release: cell?.release ?? null, tokens,
      usd_per_accelerator_hour: cost,
      usd_per_output_mtok: usdPerMtok(cost, tokens),
      usd_per_useful_output_mtok: usdPerUsefulMtok(cost, tokens, values.utilisation_pct, values.goodput_pct),
      j_per_output_token: jPerToken(input.it_power_w, input.pue, tokens),
      capex_basis: isChosen && values.capex_usd_per_accelerator !== row.capex_usd_per_accelerator ? "yours" : row.capex_basis,
    };
  });
  // like with like: parts on the basis of capital of the chosen one, each basis at a price level of its own
  const level = rows.find((row) => row.isChosen)?.price_level ?? commonLevel(rows);
  const isAtLevel = (row) => row.price_level === level || row.price_level === null;
  const others = rows.filter((row) => !isAtLevel(row));
  const ranked = rows.filter((row) => isAtLevel(row) && isNumber(row.usd_per_useful_output_mtok)).sort((a, b) => a.usd_per_useful_output_mtok - b.usd_per_useful_output_mtok);
  const without = rows.filter((row) => !isNumber(row.tokens)).map((row) => acceleratorName(row.accelerator_id));
  return [figure({
    name: "owned-cost",
    kind: "ranked",
    title: `Owned, US$ per million output tokens: ${modelName(values.benchmark)}, ${values.mlperf}`,
    subtitle: `Your site, money and use for every accelerator; hardware (capital prices of ${level ?? "your own"}) and best measured throughput of each its own. Bar: at ${number(values.utilisation_pct)} % utilisation and ${number(values.goodput_pct)} % goodput. Tick: at full use.`,
    words: { unit: "US$ per million output tokens" },
    rows: ranked.map((row, position) => ({
      key: row.accelerator_id, accelerator: row.accelerator_id, position, group: row.isChosen ? "chosen" : "others",
      label: `${acceleratorName(row.accelerator_id)}${row.release ? ` · ${roundName(row.release)}` : ""}`, value: row.usd_per_useful_output_mtok,
      low: row.usd_per_output_mtok, high: row.usd_per_useful_output_mtok, middle: row.usd_per_output_mtok, text: usd(row.usd_per_useful_output_mtok),
      detail: `${usd(row.usd_per_accelerator_hour)}/h, ${number(row.tokens)} tokens/s; ${usd(row.usd_per_output_mtok)} at full use; capex ${row.capex_basis}`,
    })),
    tableRows: rows,
    rowKey: (row) => row.accelerator_id,
    columns: [
      column.accelerator(), column.usd("usd_per_accelerator_hour", "US$ per accelerator-hour"),
      column.number("tokens", "Output tokens/s"), column.round(),
      column.usd("usd_per_output_mtok", "US$ per M output tokens, full use"),
      column.usd("usd_per_useful_output_mtok", "at your utilisation and goodput"),
      column.number("j_per_output_token", "J per output token, modelled"), column.text("capex_basis", "Capex is"),
      column.text("price_level", "Prices of"),
    ],
    empty: `No accelerator with a known ownership cost has a measured result of ${modelName(values.benchmark)}, ${values.mlperf}.`,
  }), others.length > 0 && note(`Capital prices of another basis, and only in the table: ${list(others.map((row) => `${acceleratorName(row.accelerator_id)} (${row.price_level})`))}.`),
  without.length > 0 && note(`No measured result in tokens for ${list(without)}.`)];
}

function assumptionsTable(values) {
  const rows = rowsOf("tco_assumptions").filter((row) =>
    (row.kind === "scenario" && row.scenario_id === values.scenario) || row.accelerator_id === values.accelerator);
  return figureTable(rows);
}

const figureTable = (rows) => h("details", { class: "data" }, h("summary", null, `Assumptions and their sources, ${rows.length} rows`),
  dataTable({
    caption: "Assumptions", rows, rowKey: (row) => row.assumption_id,
    columns: [
      column.words("parameter", "Parameter"), column.number("value", "Value"), column.text("unit", "Unit"),
      column.text("basis", "Basis"), column.text("stated_on", "As of"), column.text("note", "Note", { wide: true }), column.link("source_url", "Source"),
    ],
  }));
