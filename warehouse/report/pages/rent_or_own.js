// Own or rent so many accelerators over months.
import { distinct, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { integer, number, percent, plural, usd } from "../format.js";
import { figure } from "../chart.js";
import { ownerInputs, rentOrOwn, residualPct, runningAt } from "../choosing.js";
import { DEFAULT_OWNER, acceleratorName, column, note, ownerWords, pricesAsOf, providerName, rangeWords, rentPrice, tiles } from "../common.js";

const OPTION_WORDS = { own: "Own", rent_by_the_hour: "Rent by the hour", rent_always_on: "Rent always on", rent_1y: "Commit for 1 year", rent_3y: "Commit for 3 years" };
const amount = (group, name, label, unit, initial, slider, more) => ({ group, name, label, unit, min: 0, max: 1e7, step: 1, slider, initial, origin: () => "", ...more });
const preset = ({ accelerator, owner }) => ownerInputs(accelerator, owner);
// a value that is not the default is given: it has no range
const DEFAULTS = {
  capex: (values) => preset(values)?.capex_usd_per_accelerator ?? null,
  running: (values) => runningAt(preset(values), values.capex),
  interest: (values) => preset(values)?.interest_pct ?? null,
  residual: ({ months }) => residualPct(null, months, months),
  rent: ({ accelerator }) => rentPrice(accelerator, "on_demand")?.usd ?? null,
};
// without a month: never, unless there is none to look for
const breakEven = (key, title, isThere = (row) => !row.term && row.option !== "own") =>
  ({ key, title, numeric: true, value: (row) => row[key] ?? null, text: (value, row) => (isNumber(value) ? integer(value) : isThere(row) ? "never" : "–") });
const hasRange = (row) => isNumber(row.break_even_utilisation_pct_low);
const rateWords = ({ rate, given }) => (isNumber(given) ? "as given" : rate?.basis ?? null);

export const pageRentOrOwn = {
  id: "rent-or-own",
  tab: "Own or rent, months",
  title: "Own or rent, for how many months?",
  lead: "Purchase with interest and running cost less what the hardware sells for, against rent by the hour, always on, and committed.",
  controls: [
    { group: "What", name: "accelerator", label: "Accelerator",
      options: () => distinct(rowsOf("owner_inputs").map((row) => row.accelerator_id)).map((id) => [id, acceleratorName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => options.find(([id]) => id === "nvidia-h100-sxm-80gb")?.[0], resets: ["capex", "running", "rent"] },
    { group: "What", name: "owner", label: "Owner", options: () => distinct(rowsOf("owner_inputs").map((row) => row.scenario_id)).map((id) => [id, ownerWords(id)]),
      initial: (_, options) => options.find(([id]) => id === DEFAULT_OWNER)?.[0], resets: ["capex", "running", "interest"] },
    amount("What", "gpus", "Number", "accelerators", () => 64, [1, 1024], { min: 1, max: 1e6 }),
    amount("What", "months", "Months", "of 730 hours", () => 18, [1, 60], { min: 1, max: 120, resets: ["residual"] }),
    amount("What", "utilisation", "Utilisation", "% of hours used", () => 60, [1, 100], { above: 0, max: 100 }),
    amount("Own", "capex", "Price, all-in", "US$ per accelerator", DEFAULTS.capex, [0, 120000], { step: 100, resets: ["running"] }),
    amount("Own", "running", "Running cost", "US$ per accelerator-hour", DEFAULTS.running, [0, 5], { step: 0.01 }),
    amount("Own", "interest", "Interest", "% a year", DEFAULTS.interest, [0, 30], { max: 100, step: 0.25 }),
    amount("Own", "residual", "Residual value", "% of the price", DEFAULTS.residual, [0, 100], { max: 100 }),
    amount("Rent", "rent", "Rent on demand", "US$ per accelerator-hour", DEFAULTS.rent, [0.05, 15], { above: 0, step: 0.01, missing: "no recent price: enter one" }),
  ],

  view(values) {
    const months = Math.round(values.months);
    const asked = { ...values, months, gpus: Math.round(values.gpus) };
    const given = Object.fromEntries(Object.entries(DEFAULTS).map(([name, initial]) => [name, values[name] === initial(asked) ? null : values[name]]));
    const rows = rentOrOwn({ ...asked, ...given });
    const of = (option) => rows.find((row) => row.option === option);
    const [own, hourly] = [of("own"), of("rent_by_the_hour")];
    const cheapest = rows.find((row) => row.standing === "cheapest");
    return [
      pricesAsOf(),
      tiles([
        ["Cheapest", cheapest ? OPTION_WORDS[cheapest.option] : "No order", cheapest ? `${usd(cheapest.usd)}, ${rangeWords(cheapest.usd_low, cheapest.usd_high)}` : "the ranges of the cheapest ways overlap"],
        ["Own", usd(own.usd), `${rangeWords(own.usd_low, own.usd_high)}; ${integer(own.accelerators)} bought in whole machines, ${integer(own.accelerators - asked.gpus)} of them idle`],
        ["Break-even", isNumber(hourly.months_to_break_even) ? plural(hourly.months_to_break_even, "month") : "never", `against rent by the hour; or ${isNumber(hourly.break_even_utilisation_pct) ? percent(hourly.break_even_utilisation_pct) : "no known share"} of the hours of ${plural(months, "month")}, ${rangeWords(hourly.break_even_utilisation_pct_low, hourly.break_even_utilisation_pct_high, percent)}`],
      ]),
      figure({
        name: "rent-or-own", kind: "ranked",
        title: `${integer(asked.gpus)} × ${acceleratorName(values.accelerator)} for ${plural(months, "month")}, used ${number(values.utilisation)} % of the hours`,
        subtitle: "Line: all inputs with a range at their cheap or all at their dear end. A commitment is paid for whole terms. What you change has no range.",
        words: { unit: "US$" },
        rows: rows.filter((row) => isNumber(row.usd)).map((row, position) => ({
          key: row.option, position, group: row.standing ?? "no range", label: OPTION_WORDS[row.option], value: row.usd, low: row.usd_low, middle: null, high: row.usd_high, text: usd(row.usd),
          detail: row.option === "own" ? `${integer(row.accelerators)} bought` : `${usd(row.usd_per_accelerator_hour)} an hour, ${integer(row.months_paid)} months paid; ${rateWords(row)}`,
        })),
        tableRows: rows, rowKey: (row) => row.option, open: true,
        columns: [
          { key: "option", title: "How", value: (row) => row.option, text: (value) => OPTION_WORDS[value] }, column.text("standing", "Standing"),
          column.usd("usd", "US$"), column.usd("usd_low", "low"), column.usd("usd_high", "high"), column.integer("accelerators", "Accelerators paid"), column.integer("months_paid", "Months paid"),
          breakEven("months_to_break_even", "Break-even month"), breakEven("months_to_break_even_low", "low", hasRange), breakEven("months_to_break_even_high", "high", hasRange),
          column.percent("break_even_utilisation_pct", "Break-even utilisation"), column.percent("break_even_utilisation_pct_low", "low"), column.percent("break_even_utilisation_pct_high", "high"),
          column.usd("usd_per_accelerator_hour", "Rent, $/h"), column.text("basis", "Rent is", { value: (row) => rateWords(row), node: (row) => rateWords(row) ?? "–", wide: true }),
          column.usd("usd_cheapest", "Cheapest, $/h", (row) => row.rate?.usd_cheapest ?? null), { key: "cheapest_provider", title: "at", value: (row) => row.rate?.cheapest_provider ?? null, text: (value) => (value ? providerName(value) : "–") },
          column.usd("usd_published", "Published by a third party, $/h", (row) => row.rate?.usd_published ?? null),
        ],
      }),
      note("Own = price × ((1 + interest)^years − residual value) + running cost of every hour, used or not. The residual value before the end is that of the end. The command “accelmart estimate ownership” and the SQL macro “rent_or_own” give the same."),
    ];
  },
};
