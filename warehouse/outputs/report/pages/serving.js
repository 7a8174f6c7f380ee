// Serving measured outside of MLPerf: frontiers of one model and workload, and their reads at a speed of one user.
import { distinct, rowsOf } from "../data.js";
import { h } from "../dom.js";
import { isNumber, kg_co2e_per_mtok } from "../formulas.js";
import { number, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { column, note, partName, pricesAsOf } from "../common.js";

const MEASURED_BY = { mlenergy: "ML.ENERGY", inferencex: "InferenceX by SemiAnalysis", "inferencex-points": "InferenceX by SemiAnalysis: points of its code" };
const measuredBy = (source) => MEASURED_BY[source] ?? source;

const formatName = (row) => (row.number_format ? row.number_format.toUpperCase() : "format not stated");
const servingGroup = (row) => [partName(row.accelerator_id), formatName(row), row.framework].filter(Boolean).join(", ");
const servedOptions = (key, chosen, name = (value) => value) =>
  distinct(rowsOf("serving_frontiers").filter((row) => Object.entries(chosen).every(([column, value]) => row[column] === value))
    .map((row) => row[key])).sort().map((value) => [value, name(value)]);

/** What the power meters of a source saw, in words. */
function powerWords(rows) {
  const scopes = distinct(rows.map((row) => row.energy_scope).filter(Boolean)).sort();
  if (!scopes.length) return "power was not measured";
  return scopes.length === 1 && scopes[0] === "GPU" ? "GPU power only" : `power of ${scopes.join(", ")}, see the tables`;
}

const gridName = (grid) => ({ world: "World average", us_state: `United States: ${grid.place}` })[grid.level] ?? grid.place;

/** Grids to choose from: the world, then countries and US states by name. */
const gridOptions = () => rowsOf("grids").map((grid) => [grid.grid, gridName(grid)])
  .sort((a, b) => (b[0] === "world") - (a[0] === "world") || a[1].localeCompare(b[1]));

/** A read with the carbon of its measured joules on a grid, or the reason why there is none. */
function withCarbon(read, grid) {
  const j = read.j_per_output_token_measured;
  return {
    ...read,
    kg_co2e_per_output_mtok: kg_co2e_per_mtok(j, grid?.kg_co2e_per_kwh),
    kg_co2e_per_output_mtok_low: kg_co2e_per_mtok(j, grid?.kg_co2e_per_kwh_low),
    kg_co2e_per_output_mtok_high: kg_co2e_per_mtok(j, grid?.kg_co2e_per_kwh_high),
    grid: grid && gridName(grid),
    carbon_reason: isNumber(j) ? (grid ? null : "no figure for a grid") : (read.reason ?? "energy was not measured"),
  };
}

/** What a figure of carbon is, in words. */
const carbonWords = (grid) => grid
  ? `kg CO2e: the measured joules on the annual average of a grid (${gridName(grid)}, ${grid.year ?? "year not stated"}, ${grid.basis}); low and high are those of the figures for this grid. `
    + "Power that was not measured (the rest of the server, cooling) is not in it, so that a site emits more."
  : "No figure for a grid is in the warehouse.";

const seriesColumns = [column.accelerator(), column.text("number_format", "Number format"), column.text("framework", "Framework")];
const costColumns = [column.usd("rent_usd_per_output_mtok", "US$ per Mtok, rent"), column.usd("owned_usd_per_output_mtok", "US$ per Mtok, owned")];
const rangeColumns = [
  column.usd("rent_usd_per_output_mtok_low", "Rent, low"), column.usd("rent_usd_per_output_mtok_high", "Rent, high"),
  column.usd("owned_usd_per_output_mtok_low", "Owned, low"), column.usd("owned_usd_per_output_mtok_high", "Owned, high"), column.text("workload", "Workload"),
];
const energyColumns = [column.number("j_per_output_token_measured", "J per token, measured"), column.text("energy_scope", "Power of")];
const carbonColumns = [
  column.number("kg_co2e_per_output_mtok", "kg CO2e per Mtok, measured power only"), column.number("kg_co2e_per_output_mtok_low", "CO2e, low"),
  column.number("kg_co2e_per_output_mtok_high", "CO2e, high"), column.text("grid", "Grid"),
];
const speedColumns = [column.number("tokens_per_s_per_user", "Tokens/s per user"), column.number("output_tokens_per_s_per_accelerator", "Output tokens/s per accelerator")];

const pointColumns = [
  ...seriesColumns, ...speedColumns, ...costColumns, ...energyColumns, ...rangeColumns, column.number("ttft_ms", "Time to first token, ms"), column.number("input_tokens", "Input tokens"),
  column.number("output_tokens", "Output tokens"), column.number("concurrency", "Requests in flight"), column.integer("n_accelerators_all", "Accelerators"),
  column.text("speculation", "Speculation"), column.day("measured_on", "Measured"), column.text("point_id", "Point"), column.link("source_url", "Source"),
];
const readColumns = [
  ...seriesColumns, ...speedColumns, ...costColumns, ...energyColumns, ...carbonColumns, column.text("basis", "Basis"), column.text("reason", "Why no figure", { wide: true }), ...rangeColumns,
  column.text("rent_reason", "Why no rent", { wide: true }), column.text("owned_reason", "Why no ownership cost", { wide: true }), column.text("carbon_reason", "Why no CO2e", { wide: true }),
  column.text("rent_basis", "Rent is", { wide: true }), column.integer("n_sellers", "Sellers"), column.day("oldest_price_on", "Oldest price"), column.text("point_id_below", "Point below"), column.text("point_id_above", "Point above"),
];

const checkColumns = [
  column.text("model_id", "Model"), column.accelerator(), column.text("scenario", "MLPerf scenario"), column.text("release", "Round"),
  column.number("mlperf_figure", "MLPerf, best result"), column.text("mlperf_number_format", "Number format"), column.text("mlperf_energy_scope", "Power of"),
  column.number("other_figure", "Other figure, best"), column.text("other_number_format", "Its number format"), column.text("other_energy_scope", "Its power of"),
  column.number("other_to_mlperf_ratio", "Other ÷ MLPerf", times), column.text("known_causes", "Known causes of the difference", { wide: true }),
  column.text("submitter", "MLPerf submitter"), column.integer("mlperf_accelerators", "MLPerf accelerators"), { key: "other_source", title: "Other source", value: (row) => measuredBy(row.other_source) },
  column.text("other_workload", "Its workload"), column.integer("other_accelerators", "Its accelerators"),
  column.link("source_url", "MLPerf result"), column.link("other_source_url", "Other figure"),
];

/** The same model and accelerator in MLPerf and in other measurements: beside each other, in columns of their own, never ranked. */
const crossCheck = () => distinct(rowsOf("measurement_check").map((row) => row.quantity)).map((quantity) => figure({
  name: `cross-check-${quantity.replaceAll(/\W+/g, "-")}`,
  title: `MLPerf beside other measurements: ${quantity}${quantity.includes(" J ") ? ", before PUE" : ""}`,
  subtitle: "They differ in lengths, batches, number formats and power meters: a ratio says how much, and the table why. Columns of others are no MLPerf results.",
  columns: checkColumns, tableRows: rowsOf("measurement_check").filter((row) => row.quantity === quantity), rowKey: (row) => row.check_id,
}));

export const pageServing = {
  id: "serving",
  place: "Performance",
  tab: "Serving, by others",
  title: "How fast can each user be served, and what does it cost?",
  lead: "Serving measured outside of MLPerf: throughput of one accelerator against the speed that each user gets, one model and workload at a time.",
  provenance: "Figures of this page are measured by others on their own workloads. They are no MLPerf results, and are never ranked with MLPerf.",
  controls: [
    { name: "measured", label: "Measured by", isHiddenWhenAlone: true, options: () => servedOptions("source", {}, measuredBy), initial: (_, options) => options.find(([id]) => id === "mlenergy")?.[0], resets: ["model", "workload"] },
    {
      name: "model", label: "Model", options: ({ measured }) => servedOptions("model_id", { source: measured }),
      initial: (_, options) => options.find(([id]) => id === "llama-3.1-405b")?.[0], resets: ["workload"],
    },
    { name: "workload", label: "Workload", options: ({ measured, model }) => servedOptions("workload", { source: measured, model_id: model }) },
    {
      name: "speed", label: "Tokens/s per user", isSlider: true,
      options: () => distinct(rowsOf("serving_reads").map((row) => row.tokens_per_s_per_user)).sort((a, b) => a - b).map((speed) => [String(speed), number(speed)]),
    },
    { name: "grid", label: "Electricity grid", options: gridOptions, initial: (_, options) => options.find(([id]) => id === "US")?.[0] },
  ],

  view({ measured, model, workload, speed, grid: chosenGrid }) {
    const grid = rowsOf("grids").find((row) => row.grid === chosenGrid);
    const isShown = (row) => row.source === measured && row.model_id === model && row.workload === workload;
    const points = rowsOf("serving_frontiers").filter(isShown);
    const reads = rowsOf("serving_reads").filter((row) => isShown(row) && String(row.tokens_per_s_per_user) === speed).map((row) => withCarbon(row, grid))
      .sort((a, b) => (a.rent_usd_per_output_mtok ?? Infinity) - (b.rent_usd_per_output_mtok ?? Infinity));
    const priced = reads.filter((row) => isNumber(row.rent_usd_per_output_mtok));
    const groups = distinct(points.map(servingGroup)).sort();
    const common = { basis: `measurements of ${measuredBy(measured)} (no MLPerf results)`, colours: Object.fromEntries(groups.map((group, i) => [group, i % 8])) };
    const what = `${model}, ${workload}`;
    const at = `at ${number(Number(speed))} tokens/s per user`;
    const table = { columns: readColumns, rowKey: servingGroup };
    const none = reads.length > 0 ? `No frontier of ${what} has a rent ${at}: the table has the reasons.` : "Nothing was measured.";
    return [
      pricesAsOf(),
      points.length > 0 && h("p", { class: "notice", id: "measured-by" },
        `Measured by ${measuredBy(measured)} on its own workloads; ${powerWords(points)}. No MLPerf result, not verified by MLCommons, never ranked with MLPerf.`),
      figure({
        name: "serving-frontier",
        kind: "series", x: { scale: "linear", title: "tokens/s per user" }, isJoined: true,
        title: `Frontier: ${what}`,
        subtitle: "Measured points that no other point of the same part and number format beats in both figures, joined by straight lines. Up and to the right is better.",
        unit: "output tokens/s per accelerator",
        rows: points.map((row) => ({
          key: row.point_id, series: servingGroup(row), group: servingGroup(row), x: row.tokens_per_s_per_user, value: row.output_tokens_per_s_per_accelerator,
          label: servingGroup(row), text: `${number(row.output_tokens_per_s_per_accelerator)} tokens/s at ${number(row.tokens_per_s_per_user)} per user`,
          detail: `${number(row.concurrency)} requests in flight, ${number(row.n_accelerators_all)} accelerators`,
        })),
        columns: pointColumns, tableRows: points, rowKey: (row) => row.point_id, ...common,
        empty: "No serving was measured outside of MLPerf.",
      }),
      figure({
        name: "serving-reads",
        kind: "list",
        title: `Cost and energy of a token ${at}: ${what}`,
        subtitle: "Point: US$ per million output tokens by rent on demand at the price level (band: its range; without a level, the median over sellers). Tick: by ownership of a hyperscaler. At full use; read on the line between measured points.",
        unit: "US$ per million output tokens",
        rows: priced.map((row) => ({
          key: servingGroup(row), group: servingGroup(row), label: servingGroup(row), value: row.rent_usd_per_output_mtok, low: row.rent_usd_per_output_mtok_low,
          middle: row.owned_usd_per_output_mtok, high: row.rent_usd_per_output_mtok_high,
          text: `${usd(row.rent_usd_per_output_mtok)} rent, ${usd(row.owned_usd_per_output_mtok)} owned`, detail: row.basis,
        })),
        tableRows: reads, ...table, open: true, ...common, empty: none,
      }),
      note(carbonWords(grid)),
      ...crossCheck(),
      note("Outside of the measured range of a frontier there is no figure, and beside its fastest point or with few requests in flight no cost; the table has the reason. Joules are those that the source measured, before PUE. Any other speed: ", h("code", null, "accelmart estimate serving --tokens-per-s-per-user"), "."),
    ];
  },
};
