// Own numbers: rent, own and energy of so many accelerators over months, with the reader's own assumptions.

const COMPONENTS = [
  ["capital_usd_per_accelerator_hour", "Capital"],
  ["electricity_usd_per_accelerator_hour", "Electricity"],
  ["colocation_usd_per_accelerator_hour", "Space and cooling"],
  ["maintenance_usd_per_accelerator_hour", "Maintenance"],
  ["staff_usd_per_accelerator_hour", "Staff"],
  ["unavailability_usd_per_accelerator_hour", "Hours it is down"],
];
const OPTION_WORDS = { own: "Owning", rent_by_the_hour: "Renting by the hour", rent_always_on: "Renting always on", rent_1y: "Committing for 1 year", rent_3y: "Committing for 3 years", rent_spot: "Renting at spot prices", rent_capacity_block: "Renting capacity blocks" };

const ownedOf = ({ accelerator, scenario }) => rowsOf("tco").find((row) => row.accelerator_id === accelerator && row.scenario_id === scenario);
const throughputOf = ({ accelerator, benchmark, mlperf }) =>
  cellsOf({ benchmark, scenario: mlperf, round: "best" }).find((cell) => cell.isTokens && cell.accelerator_id === accelerator);
const rentOf = ({ accelerator }) => rentPrice(accelerator, "on_demand");

// what the running cost follows from, beside the price
const RUNNING = ["it_power_w", "maintenance_pct_of_capex_per_year", "electricity_usd_per_kwh", "pue", "colocation_usd_per_kw_month", "staff_usd_per_accelerator_year"];
const SITE = ["cost_of_capital_pct", "depreciation_years", "availability_pct", "goodput_pct", ...RUNNING];
const OF_THE_PART = ["capex_usd_per_accelerator", "it_power_w", "availability_pct", "tokens", "rent"];
const initialResidual = ({ months }) => residualPct(null, months, months);

const field = (group, name, label, unit, min, max, step, slider, more) =>
  ({ group, name, label, unit, min, max, step, slider, initial: (values) => ownedOf(values)?.[name] ?? null, ...more });
const MORE = "More assumptions";

addPage({
  id: "my-numbers",
  place: "Choose",
  tab: "Own numbers",
  title: "What does it cost with my numbers?",
  lead: "Enter your own prices and assumptions; every figure follows at once.",
  find: "own assumptions|calculator|break-even|rent or buy|buy or rent|my numbers",
  command: ["estimate ownership", "rent_or_own"],
  controls: [
    choice("accelerator", "Accelerator", () => idsOf("tco", "accelerator_id"), acceleratorName, "nvidia-h100-sxm-80gb", { group: "What", resets: OF_THE_PART }),
    { ...ownerChoice("scenario", () => idsOf("tco", "scenario_id")), group: "What", resets: [...SITE, "capex_usd_per_accelerator"] },
    field("What", "gpus", "Number", "accelerators", 1, 1e6, 1, [1, 1024], { initial: () => 64 }),
    field("What", "months", "Months", "of 730 hours", 1, 120, 1, [1, 60], { initial: () => 18, resets: ["residual_pct"] }),
    modelChoice(() => idsOf("token_throughput", "benchmark_id"), ["llama2-70b-99", "llama3.1-405b"], { group: "What", resets: ["mlperf", "tokens"] }),
    field("Price and use", "utilisation_pct", "Utilisation", "% of hours used", 0, 100, 1, [1, 100], { above: 0, initial: () => 60 }),
    field("Price and use", "rent", "Rent on demand", "US$ per accelerator-hour", 0, 10000, 0.01, [0.05, 15], {
      above: 0, initial: (values) => rentOf(values)?.usd ?? null, missing: "no recent price: enter one", origin: (values) => rentOf(values)?.words,
    }),
    field("Price and use", "capex_usd_per_accelerator", "Purchase, all-in", "US$ per accelerator", 0, 1e7, 100, [0, 120000], { origin: (values) => `${lower(ownedOf(values)?.capex_basis)}, ${ownedOf(values)?.capex_as_of ?? "no date"}` }),
    field("Price and use", "electricity_usd_per_kwh", "Electricity", "US$ per kWh", 0, 10, 0.001, [0, 0.5]),
    scenarioChoice(({ benchmark }) => idsOf("token_throughput", "scenario", (row) => row.benchmark_id === benchmark), { group: MORE, name: "mlperf", label: "MLPerf scenario", resets: ["tokens"] }),
    field(MORE, "tokens", "Throughput", "output tokens/s per accelerator", 0, 1e7, 1, [1, 20000], {
      above: 0, initial: (values) => throughputOf(values)?.best ?? null, missing: "no measured result: enter one",
      origin: (values) => `best of ${plural(throughputOf(values)?.n_results, "result")}, ${roundName(throughputOf(values)?.release)}`,
    }),
    field(MORE, "goodput_pct", "Goodput", "% of the work that counts", 0, 100, 1, [1, 100], { above: 0 }),
    field(MORE, "it_power_w", "IT power, all-in", "W per accelerator", 0, 1e5, 10, [100, 4000], { origin: (values) => ownedOf(values)?.it_power_basis }),
    field(MORE, "pue", "PUE", "site power ÷ IT power", 1, 5, 0.01, [1, 2.5]),
    field(MORE, "colocation_usd_per_kw_month", "Space and cooling", "US$ per kW and month", 0, 10000, 1, [0, 400]),
    field(MORE, "cost_of_capital_pct", "Interest", "% a year", 0, 100, 0.25, [0, 30]),
    field(MORE, "residual_pct", "Residual value", "% of the price at the end", 0, 100, 1, [0, 100], { initial: initialResidual }),
    field(MORE, "depreciation_years", "Depreciation", "years, of the cost of an hour", 0, 30, 0.25, [1, 10], { above: 0 }),
    field(MORE, "maintenance_pct_of_capex_per_year", "Maintenance", "% of the price a year", 0, 100, 0.25, [0, 15]),
    field(MORE, "staff_usd_per_accelerator_year", "Staff", "US$ per accelerator and year", 0, 1e6, 10, [0, 5000]),
    field(MORE, "availability_pct", "Availability", "% of hours up", 0, 100, 0.1, [50, 100], { above: 0 }),
  ],

  view(asked) {
    const values = { ...asked, months: Math.round(asked.months), gpus: Math.round(asked.gpus) };
    const row = ownedOf(values);
    const owned = hour_of_owning(values);
    const preset = hour_of_owning({ ...row, utilisation_pct: values.utilisation_pct });
    const changed = [...SITE, "capex_usd_per_accelerator"].filter((name) => values[name] !== row[name]);
    const ways = waysOf(values, row, owned);
    const figures = figuresOf(values, owned, ways);
    const cell = throughputOf(values);
    const rent = rentOf(values);
    const sizeNote = headlineOf(cell, "on_demand")?.size_note;
    const used = `${number(values.utilisation_pct)} % utilisation and ${number(values.goodput_pct)} % goodput`;
    const over = `${integer(values.gpus)} for ${plural(values.months, "month")}`;
    const { own, hourly } = ways;
    return [
      h("section", { class: "results", "aria-labelledby": "results-title" },
        h("h2", { id: "results-title" }, `${acceleratorName(values.accelerator)}: ${modelName(values.benchmark)}, ${values.mlperf}`),
        h("div", { class: "cards" },
          card("Rent on demand", [
            ["rent_usd", `${over}, only the hours used`, usd, rangeOf(hourly)],
            ["rented_usd_per_accelerator_hour", "per accelerator-hour", usd],
            ["rented_usd_per_useful_output_mtok", `per million output tokens, at ${used}`, usd],
            ["rented_usd_per_output_mtok", "at full use", usd],
          ], figures, sizeNote && values.rent === rent?.usd && `Prices of sellers: ${sizeNote}.`),
          card("Own", [
            ["own_usd", `${over}, less the residual value`, usd, rangeOf(own)],
            ["usd_per_accelerator_hour", "per accelerator-hour", usd],
            ["owned_usd_per_useful_output_mtok", `per million output tokens, at ${used}`, usd],
            ["owned_usd_per_output_mtok", "at full use", usd],
            ["usd_per_utilised_accelerator_hour", "per hour used", usd],
            ["usd_per_useful_accelerator_hour", "per hour of useful work", usd],
            ["power_and_space_share_pct", "of it power and space", percent],
          ], figures),
          card("Own or rent", [
            ["break_even_utilisation_pct", `of the hours used, and owning costs as much as renting over ${plural(values.months, "month")}`, percent],
            ["months_to_break_even", `months, at ${number(values.utilisation_pct)} % utilisation`, number],
          ], figures, verdict(ways)),
          card("Energy, modelled", [
            ["j_per_output_token", "J per output token, with PUE", number],
            ["j_per_output_token_before_pue", "J per output token, before PUE", number],
            ["energy_kwh", `kWh with PUE, ${over}`, large],
            ["output_tokens_per_household_year", `output tokens for a US household's electricity of a year (${number(tokens_per_household_year(1) / 3.6e6)} kWh)`, large],
          ], figures))),
      waysFigure(values, ways),
      figure({
        name: "components",
        title: `An owned ${acceleratorName(values.accelerator)} costs ${usd(owned.usd_per_accelerator_hour)} an hour${changed.length ? `, preset ${usd(preset.usd_per_accelerator_hour)}` : ""}`,
        subtitle: `US$ per accelerator-hour in which it is up, by component.${changed.length ? ` Tick: preset ${lower(values.scenario)}.` : ""}`,
        unit: "US$ per accelerator-hour",
        rows: COMPONENTS.map(([key, label]) => ({ key, group: "yours", label, value: owned[key], middle: changed.length ? preset[key] : null, text: usd(owned[key]) })),
        columns: columns(`component|yours_usd_per_accelerator_hour Yours, $/h|preset_usd_per_accelerator_hour Preset ${words(values.scenario)}, $/h`),
        tableRows: [...COMPONENTS, ["usd_per_accelerator_hour", "Total"]].map(([key, component]) => ({ key, component, yours_usd_per_accelerator_hour: owned[key], preset_usd_per_accelerator_hour: preset[key] })),
      }),
      assumptionsTable(values),
    ];
  },
});

/** Ways of having the accelerators: the rows of rentOrOwn, with the two that are compared. What is changed has no range. */
function waysOf(values, row, owned) {
  if (!ownerInputs(values.accelerator, values.scenario)) return { rows: [] };
  const given = (name, initial) => (values[name] === initial ? null : values[name]);
  const rows = rentOrOwn({
    ...values, owner: values.scenario, utilisation: values.utilisation_pct,
    capex: given("capex_usd_per_accelerator", row.capex_usd_per_accelerator), interest: given("cost_of_capital_pct", row.cost_of_capital_pct),
    residual: given("residual_pct", initialResidual(values)), rent: given("rent", rentOf(values)?.usd ?? null),
    running: RUNNING.some((name) => values[name] !== row[name]) ? owned.running_usd_per_accelerator_hour : null,
  });
  return { rows, own: rows.find((way) => way.option === "own"), hourly: rows.find((way) => way.option === "rent_by_the_hour") };
}

/** Every figure of one accelerator for these inputs, with the column names of the warehouse. */
function figuresOf(values, owned, { own, hourly }) {
  const owns = owned.usd_per_accelerator_hour;
  const j = j_per_token(values.it_power_w, values.pue, values.tokens);
  return {
    ...owned,
    own_usd: own?.usd ?? null,
    rent_usd: hourly?.usd ?? null,
    owned_usd_per_output_mtok: usd_per_output_mtok(owns, values.tokens),
    owned_usd_per_useful_output_mtok: usd_per_output_mtok(owned.usd_per_useful_accelerator_hour, values.tokens),
    rented_usd_per_accelerator_hour: values.rent,
    rented_usd_per_output_mtok: usd_per_output_mtok(values.rent, values.tokens),
    rented_usd_per_useful_output_mtok: usd_per_output_mtok(usd_per_useful_hour(values.rent, values.utilisation_pct, values.goodput_pct), values.tokens),
    break_even_utilisation_pct: hourly?.break_even_utilisation_pct ?? null,
    months_to_break_even: hourly?.months_to_break_even ?? null,
    j_per_output_token: j,
    j_per_output_token_before_pue: j_per_token(values.it_power_w, 1, values.tokens),
    energy_kwh: energy_kwh(values.it_power_w, values.pue, values.gpus, hours_in_months(values.months)),
    output_tokens_per_household_year: tokens_per_household_year(j),
  };
}

const rangeOf = (way) => way && rangeWords(way.usd_low, way.usd_high);

function card(name, lines, figures, more) {
  return h("section", { class: "card", "aria-label": name }, h("h3", null, name), more && h("p", null, more),
    h("dl", null, lines.map(([key, title, text, range]) => h("div", null,
      h("dd", { "data-figure": key, "data-value": isNumber(figures[key]) ? figures[key] : "" },
        isNumber(figures[key]) ? text(figures[key]) : key.startsWith("months") && isNumber(figures.break_even_utilisation_pct) ? "never" : "not known"),
      h("dt", null, title, range && h("small", null, range))))));
}

/** The lowest cost, and how sure that is. */
function verdict({ rows }) {
  const costed = rows.filter((way) => isNumber(way.usd) && way.standing);
  return verdictSentence(costed.map((way) => ({ usd: way.usd, low: way.usd_low, high: way.usd_high, way })), ({ way }) => OPTION_WORDS[way.option].toLowerCase());
}

const rateWords = ({ rate, given }) => (isNumber(given) ? "as given" : rate?.basis ?? null);
const waysFigure = (values, { rows }) => figure({
  name: "rent-or-own",
  title: `${integer(values.gpus)} × ${acceleratorName(values.accelerator)} for ${plural(values.months, "month")}, used ${number(values.utilisation_pct)} % of the hours`,
  subtitle: "The band has all inputs at their low or at their high end; what you change has no range. Hourly rent follows its expected path. A commitment is paid for whole terms, or the rest by the hour where that is less. Spot suits work that may be interrupted, capacity blocks work that can be planned.",
  unit: "US$",
  rows: rows.filter((way) => isNumber(way.usd)).map((way) => ({
    ...bar(way, "usd"), key: way.option, group: way.standing ? words(way.standing) : "Apart: for other work", label: OPTION_WORDS[way.option], detail: way.option === "own" ? `${integer(way.accelerators)} bought in whole machines` : `${usd(way.usd_per_accelerator_hour)} an hour, ${integer(way.months_paid)} months paid; ${rateWords(way)}`,
  })),
  tableRows: rows, rowKey: "option", open: true,
  empty: "No rent of this accelerator is known: there is nothing to compare with.",
  columns: columns(`option|usd± US$|standing|months_to_break_even± Break-even month|break_even_utilisation_pct± Break-even utilisation|usd_per_accelerator_hour Rent, $/h|accelerators Accelerators paid|months_paid|basis Rent is
    |usd_cheapest Cheapest, $/h|cheapest_provider Cheapest seller|usd_published Published by a third party, $/h`, {
    option: { text: (value) => OPTION_WORDS[value] }, standing: { text: (value) => (value ? words(value) : "–") }, basis: { value: rateWords },
    months_to_break_even: { text: (value, way) => (isNumber(value) ? integer(value) : !way.term && way.option !== "own" ? "never" : "–") },
    ...Object.fromEntries(["usd_cheapest", "cheapest_provider", "usd_published"].map((key) => [key, { value: (way) => way.rate?.[key] ?? null }])),
  }),
});

function assumptionsTable(values) {
  const rows = rowsOf("tco_assumptions").filter((row) => (row.kind === "scenario" && row.scenario_id === values.scenario) || row.accelerator_id === values.accelerator);
  return figure({
    name: "assumptions", title: "Assumptions and their sources", tableRows: rows, rowKey: "assumption_id",
    columns: columns("parameter:words|value|unit|basis|stated_on:auto As of|source_url|note"),
  });
}
