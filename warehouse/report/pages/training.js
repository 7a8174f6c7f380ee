// Training: scaling, share of the peak, cost and energy.
import { byRound, distinct, groupBy, rowsOf } from "../data.js";
import { costToTrain, isNumber, median } from "../formulas.js";
import { integer, large, number, percent, plural, usd } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, benchmarkName, column, inPricingOrder, modelName, note, ownerWords, rentPrice, words } from "../common.js";

const runColumns = [
  column.accelerator(), column.integer("accelerator_count", "Accelerators"), column.text("release", "Round"), column.text("submitter", "Submitter"),
  column.text("system_name", "System"), column.number("score_minutes", "Official minutes"),
];
const evidenceColumns = [
  column.integer("n_runs", "Runs"), column.integer("n_counted", "Runs that count"), column.text("software", "Software", { wide: true }), column.text("notes", "Notes", { wide: true }),
  { key: "result_id", title: "Result", value: (row) => row.result_id, wide: true }, column.link("source_url", "Logs", "at MLCommons"), column.hash(),
];

const ALL = "all";

export const pageTraining = {
  id: "training",
  tab: "Training",
  title: "How well does it train, and what does it cost?",
  lead: "MLPerf Training, closed division: official times to train, and what follows from them for one accelerator.",
  controls: [
    {
      name: "benchmark", label: "Benchmark",
      options: () => distinct(rowsOf("training").map((row) => row.benchmark_id)).map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => ["llama31_405b", "gpt3"].find((id) => options.some(([value]) => value === id)),
      resets: ["round"],
    },
    {
      name: "round", label: "MLPerf round",
      options: ({ benchmark }) => [[ALL, "All rounds"], ...distinct(rowsOf("training").filter((row) => row.benchmark_id === benchmark)
        .map((row) => row.release)).sort(byRound).reverse().map((name) => [name, `${name} only`])],
    },
    {
      name: "pricing", label: "Price of an hour",
      options: () => [...inPricingOrder(distinct(rowsOf("offers").map((row) => row.pricing_model))).map((model) => [model, `${words(model)}, price level`]),
        ...distinct(rowsOf("tco").map((row) => row.scenario_id)).map((id) => [`own:${id}`, `Owned: ${ownerWords(id).toLowerCase()}`])],
    },
    {
      name: "usd_per_hour", label: "or my own", unit: "US$ per accelerator-hour, for all", min: 0, above: 0, max: 10000, step: 0.01, slider: [0.05, 15],
      initial: () => null, missing: "empty: the price above",
    },
  ],

  view(values) {
    const { benchmark, round } = values;
    const name = modelName(benchmark);
    const results = rowsOf("training").filter((row) => row.benchmark_id === benchmark && (round === ALL || row.release === round))
      .map((row) => ({ ...row, ...priceOf(row.accelerator_id, values) }))
      .map((row) => ({ ...row, cost_to_train_usd: costToTrain(row.accelerator_hours, row.usd_per_accelerator_hour) }));
    const scaling = rowsOf("training_scaling").filter((row) => row.benchmark_id === benchmark && (round === ALL || row.release === round));
    const withFlops = results.filter((row) => isNumber(row.bf16_equivalent_pct));
    const withMfu = withFlops.filter((row) => isNumber(row.mfu_pct));
    const priced = results.filter((row) => isNumber(row.cost_to_train_usd));
    const when = round === ALL ? "all rounds" : round;
    return [
      figure({
        name: "time",
        kind: "scatter_log",
        title: `Time to train ${name} by size of the system`,
        subtitle: `Official score, ${when}; both axes logarithmic. Lower is better.`,
        words: { x: "accelerators", unit: "minutes to train" },
        rows: points(results, (row) => row.score_minutes, (row) => `${number(row.score_minutes)} minutes`),
        columns: [...runColumns, column.number("accelerator_hours", "Accelerator-hours"), ...evidenceColumns],
        tableRows: results, rowKey: (row) => row.result_id,
        empty: `No measured result of ${name} in ${when}.`,
      }),
      figure({
        name: "scaling",
        kind: "scaling",
        title: `Weak scaling of ${name}: throughput kept per accelerator`,
        subtitle: "Samples/s per accelerator against the smallest system of the same submitter, accelerator and round (= 100 %).",
        words: { x: "accelerators", unit: "% of the smallest system's" },
        rows: scaling.flatMap((row) => {
          const series = `${row.submitter}|${row.accelerator_id}|${row.release}`;
          const label = `${acceleratorName(row.accelerator_id)}, ${row.submitter}, ${row.release}`;
          const point = (x, share) => ({ key: series, series, group: acceleratorName(row.accelerator_id), label, x, y: share * 100,
            text: `${percent(share * 100)} on ${integer(x)} accelerators`, detail: `against ${integer(row.base_accelerator_count)}` });
          return isNumber(row.throughput_scaling_efficiency)
            ? [point(row.base_accelerator_count, 1), point(row.accelerator_count, row.throughput_scaling_efficiency)] : [];
        }),
        columns: [
          column.accelerator(), column.text("submitter", "Submitter"), column.text("release", "Round"), column.integer("base_accelerator_count", "Smallest system"),
          column.integer("accelerator_count", "Accelerators"),
          column.percent("throughput_scaling_pct", "Throughput kept (weak)", (row) => (isNumber(row.throughput_scaling_efficiency) ? row.throughput_scaling_efficiency * 100 : null)),
          column.percent("scaling_pct", "Accelerator-hours kept (strong, to convergence)", (row) => row.scaling_efficiency * 100),
          column.number("score_minutes", "Official minutes"), column.text("result_id", "Result", { wide: true }),
        ],
        tableRows: scaling, rowKey: (row) => row.result_id,
        empty: `No submitter has ${name} on systems of two sizes of the same accelerator in ${when}.`,
      }),
      figure({
        name: "mfu",
        kind: "scatter",
        title: `Model FLOPs utilisation of ${name}`,
        subtitle: withFlops.length ? `Share of the dense peak of the number format that ran, as the submission's configuration files state it. A lower format has a higher peak: compare within a format. ${plural(withFlops.length - withMfu.length, "result")} without a known format: in the table, with the reason. Higher is better.` : null,
        words: { x: "accelerators", unit: "MFU, % of the dense peak of the format that ran" },
        rows: points(withMfu, (row) => row.mfu_pct, (row) => `${percent(row.mfu_pct)} of ${formatWords(row)} peak`)
          .map((point, i) => ({ ...point, group: `${point.group}, ${formatWords(withMfu[i])}` })),
        columns: [...runColumns, column.text("number_format", "Number format"), column.percent("mfu_pct", "MFU in that format"), column.percent("bf16_equivalent_pct", "Share of BF16 peak (no MFU)"),
          column.text("number_format_basis", "Format known by"), column.text("mfu_reason", "Why no MFU", { wide: true }),
          column.number("trained_tokens_per_s_per_accelerator", "Trained tokens/s per accelerator"), ...evidenceColumns],
        tableRows: withFlops, rowKey: (row) => row.result_id,
        empty: withFlops.length ? `No result of ${name} in ${when} has a known number format.` : `MFU is defined for pre-training with a fixed sequence length and known architecture only; there is none for ${name}.`,
      }),
      figure({
        name: "cost-to-train",
        kind: "ranked",
        title: `Cost to train ${name} to the benchmark's target`,
        subtitle: `Accelerator-hours × price of an hour; ${priceWords(values)}. Bar: cheapest run of the accelerator. Tick: median. Line: to the most expensive (usually the largest system). A benchmark's target is far from a finished model.`,
        words: { unit: "US$" },
        rows: [...groupBy(priced, (row) => row.accelerator_id)].map(([id, rows]) => {
          const costs = rows.map((row) => row.cost_to_train_usd).sort((a, b) => a - b);
          const best = rows.find((row) => row.cost_to_train_usd === costs[0]);
          return { key: id, group: "cost", label: acceleratorName(id), value: costs[0], low: costs[0], middle: median(costs), high: costs.at(-1), text: usd(costs[0]),
            detail: `${number(best.accelerator_hours)} accelerator-hours (${best.submitter}, ${best.release}, ${best.accelerator_count}) at ${usd(best.usd_per_accelerator_hour)}/h; n = ${rows.length}` };
        }).sort((a, b) => a.value - b.value).map((row, position) => ({ ...row, position })),
        columns: [...runColumns, column.number("accelerator_hours", "Accelerator-hours"), column.usd("usd_per_accelerator_hour", "US$ per accelerator-hour"),
          column.text("price_from", "Price", { screenOnly: true }), column.usd("cost_to_train_usd", "US$ to train"), ...evidenceColumns],
        tableRows: priced, rowKey: (row) => row.result_id,
        empty: results.length ? "No accelerator with a result has a current price of that kind: choose another, or enter your own." : `No measured result of ${name} in ${when}.`,
      }),
      priced.length > 0 && priced.length < results.length && note(`${plural(results.length - priced.length, "result")} on accelerators without such a price: ${distinct(results.filter((row) => !isNumber(row.cost_to_train_usd)).map((row) => acceleratorName(row.accelerator_id))).join(", ")}.`),
      energyMeasured(results, name, when),
      energyModelled(benchmark, round, name),
    ];
  },
};

function priceOf(accelerator, { pricing, usd_per_hour }) {
  if (isNumber(usd_per_hour)) return { usd_per_accelerator_hour: usd_per_hour, price_from: "your own" };
  if (pricing.startsWith("own:")) {
    const owned = rowsOf("tco").find((row) => row.accelerator_id === accelerator && row.scenario_id === pricing.slice(4));
    return { usd_per_accelerator_hour: owned?.usd_per_accelerator_hour ?? null, price_from: owned ? `owned, ${ownerWords(owned.scenario_id).toLowerCase()}, capital prices of ${owned.price_level ?? "your own"}` : null };
  }
  const rent = rentPrice(accelerator, pricing);
  return { usd_per_accelerator_hour: rent?.usd ?? null, price_from: rent?.words ?? null };
}

const formatWords = (row) => String(row.number_format).toUpperCase();

const priceWords = ({ pricing, usd_per_hour }) => (isNumber(usd_per_hour) ? `${usd(usd_per_hour)} an hour for all`
  : pricing.startsWith("own:") ? `owned, ${ownerWords(pricing.slice(4)).toLowerCase()}` : `${words(pricing).toLowerCase()} at the price level of each accelerator, without one at the plain median of its sellers`);

const points = (rows, y, text) => rows.map((row) => ({
  key: row.result_id, series: row.result_id, group: acceleratorName(row.accelerator_id), x: row.accelerator_count, y: y(row), text: text(row),
  label: `${acceleratorName(row.accelerator_id)} ×${row.accelerator_count}`, detail: `${row.submitter}, ${row.system_name}, ${row.release}`,
}));

function energyMeasured(results, name, when) {
  const rows = results.filter((row) => isNumber(row.energy_j)).sort((a, b) => a.energy_j - b.energy_j);
  return figure({
    name: "energy-to-train",
    kind: "ranked",
    title: `Energy to train ${name}, measured`,
    subtitle: "Mean of a run, node and switch meters, before PUE, as the official summarizer counts. Systems of unlike size are no ranking of accelerators.",
    words: { unit: "MJ a run" },
    rows: rows.map((row, position) => ({ key: row.result_id, position, group: "measured", label: `${acceleratorName(row.accelerator_id)} ×${row.accelerator_count}, ${row.submitter}, ${row.release}`,
      value: row.energy_j / 1e6, low: row.energy_j / 1e6, middle: row.energy_j / 1e6, high: row.energy_j / 1e6, text: `${number(row.energy_j / 1e6)} MJ`,
      detail: `${number(row.watts_per_accelerator)} W per accelerator over ${number(row.score_minutes)} minutes` })),
    columns: [...runColumns, column.number("energy_j", "J a run", large), column.number("watts_per_accelerator", "W per accelerator"),
      column.number("j_per_trained_token", "J per trained token"), ...evidenceColumns],
    tableRows: rows, rowKey: (row) => row.result_id,
    empty: `No measured result: no power was submitted with ${name} in ${when}.`,
  });
}

function energyModelled(benchmark, round, name) {
  const all = rowsOf("energy").filter((row) => row.suite_kind === "training" && row.benchmark_id === benchmark && row.power_basis === "modelled"
    && (round === ALL || row.release === round) && isNumber(row.j_per_trained_token));
  const ranked = [...groupBy(all, (row) => row.accelerator_id)].map(([id, rows]) => {
    const joules = rows.map((row) => row.j_per_trained_token).sort((a, b) => a - b);
    return { key: id, group: "modelled", label: acceleratorName(id), value: joules[0], low: joules[0], middle: median(joules), high: joules.at(-1),
      text: `${number(joules[0])} J`, detail: `median ${number(median(joules))} J; n = ${rows.length}; PUE ${rows[0].pue}` };
  }).sort((a, b) => a.value - b.value).map((row, position) => ({ ...row, position }));
  return figure({
    name: "energy-modelled",
    kind: "ranked",
    title: `Joules per trained token of ${name}, modelled`,
    subtitle: all.length ? `Published all-in watts of an accelerator, else TDP × factor, ÷ the median error against metered systems; PUE ${all[0].pue} applied. Bar: least. Tick: median. Line: to the most.` : null,
    words: { unit: "J per trained token, with PUE" },
    rows: ranked,
    columns: [column.accelerator(), column.integer("accelerator_count", "Accelerators"), column.text("release", "Round"), column.text("submitter", "Submitter"),
      column.text("power_model", "Model of power"), column.number("watts_per_accelerator", "W per accelerator"), column.number("pue", "PUE"),
      column.number("j_per_trained_token", "J per trained token"), column.text("result_id", "Result", { wide: true }), column.link("source_url", "Logs", "at MLCommons")],
    tableRows: all, rowKey: (row) => row.result_id,
    empty: `Energy of a trained token is modelled where the sequence length is fixed; there is none for ${name}.`,
  });
}
