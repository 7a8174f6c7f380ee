// Generations and software: gains of new hardware, and gains of software on the same hardware.

const SPECS_ = [
  ["bf16_ratio", "BF16 dense peak"], ["memory_ratio", "Memory"], ["memory_bandwidth_ratio", "Memory bandwidth"], ["tdp_ratio", "TDP"],
];

addPage({
  id: "progress",
  place: "Performance",
  tab: "Rounds and software",
  title: "What did generations and software gain?",
  lead: "How much faster accelerators became from one MLPerf round to the next, and what software alone gained.",
  find: "generations|software gains|MLPerf rounds|specifications",
  controls: [
    { name: "suite", label: "Suite", options: () => [["inference", "Inference"], ["training", "Training"]], resets: ["benchmark", "scenario", "unit"] },
    modelChoice(({ suite }) => idsOf(suite === "inference" ? "throughput" : "training", "benchmark_id"), ["llama2-70b-99.9", "llama2_70b_lora", "bert"], { resets: ["scenario", "unit"] }),
    {
      name: "scenario", label: "Scenario",
      options: ({ suite, benchmark }) => (suite === "training" ? [["training", "Time to train"]]
        : distinct(rowsOf("throughput").filter((row) => row.benchmark_id === benchmark).map((row) => row.scenario)).sort().map((s) => [s, s])),
      initial: (_, options) => options.find(([value]) => value === "Offline")?.[0],
      resets: ["unit"],
    },
    {
      name: "unit", label: "Unit", isHiddenWhenAlone: true,
      options: ({ suite, benchmark, scenario }) => {
        if (suite === "training") return [["minutes", "minutes to train"]];
        const rows = rowsOf("throughput").filter((row) => row.benchmark_id === benchmark && row.scenario === scenario);
        const last = (unit) => rows.filter((row) => row.result_unit === unit).map((row) => row.release).sort(byRound).at(-1);
        return distinct(rows.map((row) => row.result_unit)).sort((a, b) => byRound(last(b), last(a))).map((unit) => [unit, unit]);
      },
    },
    {
      name: "line", label: "Product line (specifications)",
      options: () => [...distinct(rowsOf("spec_value").map((row) => row.product_line)).sort().map((name) => [name, name]), ["all", "All"]],
      initial: (_, options) => options.find(([name]) => name === "NVIDIA SXM")?.[0],
    },
  ],

  view({ suite, benchmark, scenario, unit, line }) {
    const what = `${modelName(benchmark)}, ${scenario === "training" ? "training" : scenario}`;
    const rounds = suite === "inference" ? roundsOf(benchmark, scenario, unit) : trainingRounds(benchmark);
    const order = distinct(rounds.map((row) => row.round)).sort(byRound);
    const gains = rowsOf("software_progress").filter((row) =>
      row.suite_kind === suite && row.benchmark_id === benchmark && row.scenario === scenario && row.unit === unit);
    const bests = rowsOf("best_of_round").filter((row) =>
      row.suite_kind === suite && row.benchmark_id === benchmark && row.scenario === scenario && row.unit === unit);
    const specs = rowsOf("spec_value").filter((row) => line === "all" || row.product_line === line);
    return [
      figure({
        name: "rounds",
        kind: "series", x: { scale: "order", title: "MLPerf round" }, isJoined: true,
        title: suite === "inference" ? `One accelerator, round by round: ${what}` : `Fewest accelerator-hours to train: ${what}`,
        subtitle: suite === "inference" ? `Best result per accelerator in ${unit}; closed, datacenter. The eight parts with the most rounds, then the fastest; all are in the table.`
          : "The result that took the fewest accelerator-hours in each round, closed division. Sizes differ: larger systems take more. Lower is better.",
        unit: suite === "inference" ? `${unit} per accelerator` : "accelerator-hours",
        rows: [...order.flatMap((round) => mostTelling(rounds).filter((row) => row.round === round))],
        tableRows: [...rounds].sort((a, b) => (a.group < b.group ? -1 : a.group > b.group ? 1 : byRound(a.round, b.round))),
        rowKey: "accelerator_id|round",
        columns: columns(`accelerator_id|round|${suite === "inference" ? `value ${unit} per accelerator, best|middle Median|least Lowest` : "value Accelerator-hours, fewest|accelerator_count"}|n_results|best_result_id Best result`),
        empty: `No measured result of ${what}.`,
      }),
      gainsFigure("software", gains, `Software alone: gain from one round to the next, ${what}`, "Same submitter, accelerator, number of accelerators and number format. Right of 1 is better.",
        (row) => `${row.submitter_id}, ${String(row.number_format).toUpperCase()}`, `No submitter has ${what} on the same accelerator at the same size and number format in two rounds, in ${unit}.`),
      gainsFigure("best-of-round", bests, `Best of each round against the best of the round before, ${what}`, "Same accelerator and number of accelerators, from any submitter, so systems and formats differ. Right of 1 is better.",
        () => "best", `No accelerator has ${what} at the same size in two rounds, in ${unit}.`),
      figure({
        name: "specifications",
        kind: "ratios",
        title: `Specifications against the generation before${line === "all" ? "" : `: ${line}`}`,
        subtitle: "Dense peaks as published, against the accelerator before it in its product line.",
        unit: "times the generation before",
        rows: specs.flatMap((row) => SPECS_.filter(([key]) => row[key] !== null).map(([key, name]) => ({ row, key, name })))
          .map(({ row, key, name }) => ({
            ...bar(row, key, times), key: `${row.accelerator_id}|${key}`, group: name, label: `${partName(row.accelerator_id)}: ${name}`, detail: `against ${acceleratorName(row.previous_accelerator_id)}`,
          })),
        tableRows: specs,
        rowKey: "accelerator_id",
        columns: columns(`accelerator_id|previous_accelerator_id Before it|${SPECS_.map(([key, name]) => `${key}:times ${name}`).join("|")}|product_line|w_per_bf16_tflop_s_ratio W per BF16 TFLOP/s|usd_per_hour_per_bf16_pflop_s_ratio:times $/h per BF16 PFLOP/s`),
      }),
      note("Rounds differ in rules as well as in hardware and software. Results in different units, or with another data set or target, never share a chart."),
    ];
  },
});

const GAIN_KEY = "accelerator_id|accelerator_count|release|submitter_id|number_format";

/** Gains from one round to the next, and whose they are. */
const gainsFigure = (name, gains, title, subtitle, whose, empty) => figure({
  name, kind: "ratios", title, subtitle, empty, unit: "times the round before", tableRows: gains, rowKey: GAIN_KEY,
  rows: [...gains].sort((a, b) => b.gain_ratio - a.gain_ratio).map((row) => ({
    ...bar(row, "gain_ratio", times), key: GAIN_KEY.split("|").map((part) => row[part]).join("|"), group: row.gain_ratio >= 1 ? "faster" : "slower",
    label: `${partName(row.accelerator_id)} ×${row.accelerator_count}, ${whose(row)}, ${row.previous_release} → ${row.release}`,
    detail: `${number(row.previous_value)} → ${number(row.value)} ${row.unit}; n = ${row.n_results}`,
  })),
  columns: columns(`accelerator_id|accelerator_count|gain_ratio Gain|previous_release From|release:auto To|value After|previous_value Before|unit|n_results|best_result_id Result${name === "software" ? "|number_format|submitter_id Submitter" : ""}`),
});

// available systems, newest version of the task
const roundsOf = (benchmark, scenario, unit) => rowsOf("throughput")
  .filter((row) => row.benchmark_id === benchmark && row.scenario === scenario && row.result_unit === unit && !row.apart_reason
    && row.benchmark_version === rowBy("benchmarks", "benchmark_id", benchmark).benchmark_version)
  .map((row) => ({
    ...row, round: row.release, x: row.release, series: row.accelerator_id, group: acceleratorName(row.accelerator_id), label: `${acceleratorName(row.accelerator_id)}, ${row.release}`,
    value: row.throughput_per_accelerator_max, middle: row.throughput_per_accelerator_median, least: row.throughput_per_accelerator_min,
    text: `${number(row.throughput_per_accelerator_max)} ${unit}`, detail: `median ${number(row.throughput_per_accelerator_median)}; n = ${row.n_results}`,
  }));

const trainingRounds = (benchmark) => [...groupBy(rowsOf("training").filter((row) => row.benchmark_id === benchmark),
  (row) => `${row.accelerator_id}|${row.release}`).values()].map((rows) => {
  const [best] = [...rows].sort((a, b) => a.accelerator_hours - b.accelerator_hours);
  return {
    ...best, round: best.release, x: best.release, series: best.accelerator_id, group: acceleratorName(best.accelerator_id), label: `${acceleratorName(best.accelerator_id)}, ${best.release}`,
    value: best.accelerator_hours, n_results: rows.length, best_result_id: best.result_id, text: `${number(best.accelerator_hours)} accelerator-hours`,
    detail: `${number(best.score_minutes)} minutes on ${best.accelerator_count}; n = ${rows.length}`,
  };
});

/** At most eight lines, as many as the colours distinguish. */
function mostTelling(rows) {
  const best = [...groupBy(rows, (row) => row.group)].sort(([, a], [, b]) =>
    b.length - a.length || Math.max(...b.map((row) => row.value)) - Math.max(...a.map((row) => row.value)));
  const shown = new Set(best.slice(0, 8).map(([group]) => group));
  return rows.filter((row) => shown.has(row.group));
}
