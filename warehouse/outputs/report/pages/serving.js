// Serving measured outside of MLPerf: frontiers of one model and workload, and their reads at a speed of one user.

const MEASURED_BY = { mlenergy: "ML.ENERGY", inferencex: "InferenceX by SemiAnalysis", "inferencex-points": "InferenceX by SemiAnalysis: points of its code" };
const measuredBy = (source) => MEASURED_BY[source] ?? source;

const formatName = (row) => (row.number_format ? row.number_format.toUpperCase() : "format not stated");
const servingGroup = (row) => [partName(row.accelerator_id), formatName(row), row.framework].filter(Boolean).join(", ");
const servedOptions = (key, chosen, name = (value) => value) =>
  distinct(rowsOf("serving_frontiers").filter((row) => Object.entries(chosen).every(([name, value]) => row[name] === value))
    .map((row) => row[key])).sort().map((value) => [value, name(value)]);

const gridName = (grid) => ({ world: "World average", us_state: `United States: ${grid.place}` })[grid.level] ?? grid.place;

/** Grids to choose from: the world, then countries and US states by name. */
const gridOptions = () => rowsOf("grids").map((grid) => [grid.grid, gridName(grid)])
  .sort((a, b) => (b[0] === "world") - (a[0] === "world") || a[1].localeCompare(b[1]));

/** A read with the carbon of its measured joules on a grid, or the reason why there is none. */
function withCarbon(read, grid) {
  const j = read.j_per_output_token_measured;
  return {
    ...read, ...Object.fromEntries(["", "_low", "_high"].map((end) => [`kg_co2e_per_output_mtok${end}`, kg_co2e_per_mtok(j, grid?.[`kg_co2e_per_kwh${end}`])])),
    grid: grid && gridName(grid),
    carbon_reason: isNumber(j) ? (grid ? null : "no figure for a grid") : (read.reason ?? "energy was not measured"),
  };
}

const servedColumns = (rest) => columns(`accelerator_id|number_format|tokens_per_s_per_user Tokens/s per user|output_tokens_per_s_per_accelerator Tokens/s per accelerator|rent_usd_per_output_mtok± Rent, $ per M tokens|owned_usd_per_output_mtok± Own, $ per M tokens
  |framework|j_per_output_token_measured J per token, measured|energy_scope Power of|workload|${rest}`);
const pointColumns = servedColumns("ttft_ms Time to first token, ms|input_tokens|output_tokens|concurrency Requests in flight|n_accelerators_all Accelerators|speculation|measured_on Measured|point_id Point|source_url");
const readColumns = servedColumns(`kg_co2e_per_output_mtok± kg CO2e per M tokens, measured power only|grid|basis|reason Why no figure|rent_reason Why no rent|owned_reason Why no ownership cost|carbon_reason Why no CO2e|rent_basis Rent is|n_sellers Sellers
  |oldest_price_on Oldest price|point_id_below Point below|point_id_above Point above`);
const checkColumns = columns(`model_id Model|accelerator_id|mlperf_figure MLPerf, best|other_figure Other, best|other_to_mlperf_ratio Other ÷ MLPerf|other_source|known_causes Known causes of the difference|scenario MLPerf scenario|release|mlperf_number_format|mlperf_energy_scope Power of
  |other_number_format Its number format|other_energy_scope Its power of|submitter MLPerf submitter|mlperf_accelerators MLPerf accelerators|other_workload Its workload|other_accelerators Its accelerators|source_url MLPerf result|other_source_url Other figure`, { other_source: { value: (row) => measuredBy(row.other_source) } });

/** The same model and accelerator in MLPerf and in other measurements: beside each other, in columns of their own, never ranked. */
const crossCheck = () => distinct(rowsOf("measurement_check").map((row) => row.quantity)).map((quantity) => figure({
  name: `cross-check-${quantity.replaceAll(/\W+/g, "-")}`,
  title: `MLPerf beside other measurements: ${quantity}${quantity.includes(" J ") ? ", before PUE" : ""}`,
  subtitle: "The measurements differ in lengths, batches, formats and power meters; the table describes how. Only the MLPerf columns are MLPerf results.",
  columns: checkColumns, tableRows: rowsOf("measurement_check").filter((row) => row.quantity === quantity), rowKey: "check_id",
}));

addPage({
  id: "serving",
  place: "Performance",
  tab: "Serving, by others",
  title: "How fast can each user be served, and what does it cost?",
  lead: "Speed of one user against total throughput, as measured outside of MLPerf.",
  find: "latency|interactivity|InferenceX|ML.ENERGY|speed per user",
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
    const table = { columns: readColumns, rowKey: "accelerator_id|number_format|framework" };
    const none = reads.length > 0 ? `No frontier of ${what} has a rent ${at}: the table has the reasons.` : "Nothing was measured.";
    return [
      points.length > 0 && h("p", { class: "notice", id: "measured-by" },
        `Measured by ${measuredBy(measured)} on its own workloads; power: ${list(distinct(points.map((row) => (row.energy_scope ? `${row.energy_scope} power only` : "not measured"))))}. No MLPerf result, not verified by MLCommons, never ranked with MLPerf.`),
      figure({
        name: "serving-frontier",
        kind: "series", x: { scale: "linear", title: "tokens/s per user" }, isJoined: true,
        title: `Frontier: ${what}`,
        subtitle: "Measured points that no other point of the same accelerator and format beats in both figures. Up and to the right is better.",
        unit: "output tokens/s per accelerator",
        rows: points.map((row) => ({
          key: row.point_id, series: servingGroup(row), group: servingGroup(row), x: row.tokens_per_s_per_user, value: row.output_tokens_per_s_per_accelerator,
          label: servingGroup(row), text: `${number(row.output_tokens_per_s_per_accelerator)} tokens/s at ${number(row.tokens_per_s_per_user)} per user`,
          detail: `${number(row.concurrency)} requests in flight, ${number(row.n_accelerators_all)} accelerators`,
        })),
        columns: pointColumns, tableRows: points, rowKey: "point_id", ...common,
        empty: "No serving was measured outside of MLPerf.",
      }),
      figure({
        name: "serving-reads",
        title: `Cost and energy of a token ${at}: ${what}`,
        subtitle: "The point is the typical rent, the band its range, the tick the cost of owning for a hyperscaler. Values lie on the line between measured points, at full load.",
        unit: "US$ per million output tokens",
        rows: priced.map((row) => ({
          key: servingGroup(row), group: servingGroup(row), label: servingGroup(row), value: row.rent_usd_per_output_mtok, low: row.rent_usd_per_output_mtok_low,
          middle: row.owned_usd_per_output_mtok, high: row.rent_usd_per_output_mtok_high,
          text: `${usd(row.rent_usd_per_output_mtok)} rent, ${usd(row.owned_usd_per_output_mtok)} owned`, detail: row.basis,
        })),
        tableRows: reads, ...table, open: true, ...common, empty: none,
      }),
      note(grid ? `CO2e is that of the measured joules on the annual average grid of ${gridName(grid)} (${grid.year ?? "year not stated"}, ${grid.basis}). The rest of the server and cooling were not measured, so a site emits more.` : "The warehouse has no figure for a grid."),
      ...crossCheck(),
      note("We don't extrapolate beyond measured speeds. Near the fastest point, or at low concurrency, we omit the cost; the table gives the reason. Another speed: ", h("code", null, "accelmart estimate serving --tokens-per-s-per-user"), "."),
    ];
  },
});
