// Training: one figure of every closed MLPerf Training result by size and by round, scaling, and known models.

const ALL = "all";
/** What may be shown: key of the figure, its unit, its text, whether less is better, whether its number format is part of the name. */
const METRICS = {
  minutes: { name: "Time to train", key: "score_minutes", unit: "minutes to train", text: (value) => `${number(value)} minutes`, isLess: true, isLog: true, more: "Official score; both axes logarithmic." },
  cost: { name: "Cost to train", key: "cost_to_train_usd", unit: "US$ to train", text: usd, isLess: true, isLog: true, more: "Accelerator-hours × price of an hour; both axes logarithmic. A benchmark stops far from a finished model." },
  tokens: { name: "Tokens/s per accelerator", key: "trained_tokens_per_s_per_accelerator", unit: "trained tokens/s per accelerator", text: (value) => `${number(value)} tokens/s`, more: "Benchmarks with a fixed sequence length." },
  mfu: { name: "MFU in the format that ran", key: "mfu_pct", unit: "MFU, % of the dense peak of the format", text: percent, hasFormat: true, more: "Share of the dense peak of the number format that ran. Compare within a format." },
  owned: { name: "US$ per million tokens, owned", key: "owned_usd_per_trained_mtok", unit: "US$ per million trained tokens, owned", text: usd, isLess: true, more: `Ownership cost of a small buyer (${lower(DEFAULT_OWNER)}).` },
  rented: { name: "US$ per million tokens, rented", key: "rented_usd_per_trained_mtok", unit: "US$ per million trained tokens, rented", text: usd, isLess: true, more: "On demand at the typical price, or the median over sellers." },
  joules: { name: "J per token, modelled", key: "j_per_trained_token_modelled", unit: "J per trained token, modelled, with PUE", text: (value) => `${number(value)} J`, isLess: true, more: "Modelled watts." },
};

const trainedFormat = (row) => (row.number_format ? row.number_format.toUpperCase() : `format ${row.number_format_basis}`);

const trainedColumns = columns(`accelerator_id|accelerator_count|score_minutes|cost_to_train_usd US$ to train|trained_tokens_per_s_per_accelerator Trained tokens/s each|mfu_pct MFU in the format|number_format|submitter|release|system_name|accelerator_hours
  |usd_per_accelerator_hour|price_from Price|bf16_equivalent_pct Share of BF16 peak (no MFU)|mfu_reason Why no MFU|owned_usd_per_trained_mtok± Own, $ per M tokens|rented_usd_per_trained_mtok± Rent, $ per M tokens|j_per_trained_token_modelled J per token, modelled
  |j_per_trained_token_measured_before_pue J per token, measured, before PUE|energy_mj MJ a run, measured, before PUE|n_runs Runs|n_counted Runs that count|software|notes|result_id|source_url|payload_sha256`, { release: { text: (value) => roundName(value, "training") } });

addPage({
  id: "training",
  place: "Performance",
  tab: "Training",
  title: "How well does it train, and what does it cost?",
  lead: "Official MLPerf Training times, and what follows for one accelerator and one token.",
  find: "MLPerf Training|MFU|scaling",
  controls: [
    modelChoice(() => idsOf("training", "benchmark_id"), ["llama31_405b", "gpt3"], { resets: ["round", "accelerator", "metric"] }),
    { name: "metric", label: "Figure",
      options: ({ benchmark }) => Object.entries(METRICS).filter(([id, { key }]) => id === "cost" || trainedResults(benchmark).some((row) => isNumber(row[key]))).map(([id, { name }]) => [id, name]) },
    { name: "accelerator", label: "Accelerator",
      options: ({ benchmark }) => [[ALL, "All"], ...distinct(trainedResults(benchmark).map((row) => row.accelerator_id)).map((id) => [id, acceleratorName(id)]).sort((a, b) => a[1].localeCompare(b[1]))] },
    { name: "round", label: "MLPerf round",
      options: ({ benchmark }) => [[ALL, "All rounds"], ...distinct(trainedResults(benchmark).map((row) => row.release)).sort(byRound).reverse().map((name) => [name, `${name} only`])] },
    { name: "pricing", label: "Price of an hour",
      options: () => [...inPricingOrder(distinct(idsOf("offers", "pricing_model"))).map((model) => [model, `${words(model)}, typical price`]), ...distinct(idsOf("tco", "scenario_id")).map((id) => [`own:${id}`, `Owned: ${lower(id)}`])] },
    { name: "usd_per_hour", label: "or my own", unit: "US$ per accelerator-hour", min: 0, above: 0, max: 10000, step: 0.01, slider: [0.05, 15], initial: () => null, missing: "empty: the price beside it" },
  ],

  view(values) {
    const { benchmark, round, accelerator } = values;
    const { key, unit, text, isLess, isLog = false, hasFormat, more } = METRICS[values.metric];
    const name = modelName(benchmark);
    const isChosen = (row) => (round === ALL || row.release === round) && (accelerator === ALL || row.accelerator_id === accelerator);
    const results = trainedResults(benchmark).filter(isChosen).map((row) => ({ ...row, ...priceOf(row.accelerator_id, values) }))
      .map((row) => ({ ...row, cost_to_train_usd: isNumber(row.usd_per_accelerator_hour) ? row.accelerator_hours * row.usd_per_accelerator_hour : null }));
    const shown = results.filter((row) => isNumber(row[key]));
    const group = (row) => (hasFormat ? `${partName(row.accelerator_id)}, ${trainedFormat(row)}` : partName(row.accelerator_id));
    const better = isLess ? "Lower is better." : "Higher is better.";
    const point = (row) => ({
      key: row.result_id, series: row.result_id, group: group(row), value: row[key], text: text(row[key]),
      label: `${partName(row.accelerator_id)} ×${integer(row.accelerator_count)}, ${trainedFormat(row)}`, detail: `${row.submitter}, ${row.system_name}, ${roundName(row.release, "training")}`,
    });
    const scaling = rowsOf("training_scaling").filter((row) => row.benchmark_id === benchmark && isChosen(row));
    const absent = results.length - shown.length;
    return [
      figure({
        name: "by-size", kind: "series",
        title: `${name}: ${METRICS[values.metric].name.toLowerCase()}, by size of the system`,
        subtitle: `${more} One point a result. ${better}${absent ? ` ${plural(absent, "result")} without this figure: in the table.` : ""}`,
        unit, x: { scale: "log", title: "accelerators" }, isLog, rows: shown.map((row) => ({ ...point(row), x: row.accelerator_count })),
        columns: trainedColumns, tableRows: results, rowKey: "result_id",
        empty: `No result of ${name} has this figure.`,
      }),
      // the time of a whole system says little beside that of another size
      values.metric !== "minutes" && figure({
        name: "by-round", kind: "series",
        title: `${name}: best of each round, accelerator${hasFormat ? " and number format" : ""}`,
        subtitle: `${sentence(unit)}. Sizes and submitters differ between rounds.`,
        unit, x: { scale: "order", title: "MLPerf round" }, isJoined: true,
        rows: distinct(shown.map((row) => row.release)).sort(byRound).flatMap((release) =>
          [...groupBy(shown.filter((row) => row.release === release), group).values()].map((rows) => {
            const sorted = [...rows].sort((a, b) => a[key] - b[key]);
            return point(isLess ? sorted[0] : sorted.at(-1));
          }).map((row) => ({ ...row, x: release, series: row.group }))),
        columns: trainedColumns, tableRows: shown, rowKey: "result_id",
        empty: `No result of ${name} has this figure.`,
      }),
      figure({
        name: "scaling", kind: "series",
        title: `${name}, weak scaling: throughput kept per accelerator`,
        subtitle: "Samples/s per accelerator against the smallest system of the same submitter, accelerator and round.",
        unit: "% of the smallest system's", x: { scale: "log", title: "accelerators" }, isJoined: true,
        rows: scaling.filter((row) => isNumber(row.throughput_scaling_efficiency)).flatMap((row) => {
          const at = (x, share) => ({
            series: `${row.submitter}|${row.accelerator_id}|${row.release}`, group: partName(row.accelerator_id), x, value: share * 100,
            label: `${partName(row.accelerator_id)}, ${row.submitter}, ${roundName(row.release, "training")}`, text: `${percent(share * 100)} on ${integer(x)} accelerators`, detail: `against ${integer(row.base_accelerator_count)}`,
          });
          return [at(row.base_accelerator_count, 1), at(row.accelerator_count, row.throughput_scaling_efficiency)];
        }),
        columns: columns("accelerator_id|submitter|base_accelerator_count Smallest system|accelerator_count|throughput_scaling_pct Throughput kept|scaling_pct Accelerator-hours kept, to convergence|release|score_minutes|result_id", {
          throughput_scaling_pct: { value: (row) => (isNumber(row.throughput_scaling_efficiency) ? row.throughput_scaling_efficiency * 100 : null) }, scaling_pct: { value: (row) => row.scaling_efficiency * 100 }, release: { text: (value) => roundName(value, "training") },
        }),
        tableRows: scaling, rowKey: "result_id",
        empty: `No submitter has ${name} on systems of two sizes of the same accelerator.`,
      }),
      figure({
        name: "frontier-cost",
        title: "Cost of known models: published accelerator-hours at our prices against Epoch AI",
        subtitle: "The point is our cost, the band the range of prices, the tick Epoch AI's cost (CC BY 4.0).",
        unit: "US$",
        rows: rowsOf("frontier_cost").filter((row) => isNumber(row.usd_to_train)).sort((a, b) => b.usd_to_train - a.usd_to_train).map((row) => ({
          ...bar(row, "usd_to_train"), key: `${row.model}|${row.price_basis}`, group: row.price_basis, label: `${row.model}, ${row.price_basis}`, middle: row.epoch_usd, text: `${usd(row.usd_to_train)} against ${usd(row.epoch_usd)}`, detail: row.cause,
        })),
        columns: columns("model|accelerator_id|usd_to_train± Ours, US$|epoch_usd Epoch's, US$|difference_pct Difference|price_basis Basis|accelerator_hours|price_terms Terms|cause|hours_source_url Publication of the hours"),
        tableRows: rowsOf("frontier_cost"), rowKey: "model|price_basis",
      }),
      note("Another model, so many tokens: ", h("a", { href: "#/train" }, "Train a model"), "."),
    ];
  },
});

/** Results of a benchmark with what follows for one token. */
const trainedResults = (benchmark) => rowsOf("training").filter((row) => row.benchmark_id === benchmark)
  .map((row) => ({ ...rowBy("trained_tokens", "result_id", row.result_id), ...row, energy_mj: isNumber(row.energy_j) ? row.energy_j / 1e6 : null }));

function priceOf(accelerator, { pricing, usd_per_hour }) {
  if (isNumber(usd_per_hour)) return { usd_per_accelerator_hour: usd_per_hour, price_from: "your own" };
  if (pricing.startsWith("own:")) {
    const owned = rowsOf("tco").find((row) => row.accelerator_id === accelerator && row.scenario_id === pricing.slice(4));
    return { usd_per_accelerator_hour: owned?.usd_per_accelerator_hour ?? null, price_from: owned ? `owned, ${lower(owned.scenario_id)}, capital prices of ${owned.price_level ?? "your own"}` : null };
  }
  const rent = rentPrice(accelerator, pricing);
  return { usd_per_accelerator_hour: rent?.usd ?? null, price_from: rent?.words ?? null };
}
