// A trained token: tokens per second, MFU with its number format, dollars and joules, by scale and by date of the round.
import { byRound, distinct, groupBy, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { integer, number, percent, plural, sentence, usd } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, benchmarkName, column, modelName, note } from "../common.js";

const EVERY_PART = "all";
const TOKEN_METRICS = {
  tokens: { name: "Tokens/s per accelerator", key: "trained_tokens_per_s_per_accelerator", unit: "trained tokens/s per accelerator", text: (value) => `${number(value)} tokens/s`, best: "Higher is better." },
  mfu: { name: "MFU in the format that ran", key: "mfu_pct", unit: "MFU, % of the dense peak of the format", text: percent, best: "Higher is better; compare within a format." },
  owned: { name: "US$ per million tokens, owned", key: "owned_usd_per_trained_mtok", unit: "US$ per million trained tokens, owned", text: usd, best: "A small buyer's ownership cost. Lower is better." },
  rented: { name: "US$ per million tokens, rented", key: "rented_usd_per_trained_mtok", unit: "US$ per million trained tokens, rented", text: usd, best: "On demand at the price level; without one, the median over sellers. Lower is better." },
  joules: { name: "J per token, modelled", key: "j_per_trained_token_modelled", unit: "J per trained token, modelled, with PUE", text: (value) => `${number(value)} J`, best: "Modelled watts; lower is better." },
};

const tokenFormat = (row) => (row.number_format ? row.number_format.toUpperCase() : `format ${row.number_format_basis}`);
const tokenGroup = (row) => `${acceleratorName(row.accelerator_id)}, ${tokenFormat(row)}`;

const tokenColumns = [
  column.accelerator(), column.integer("accelerator_count", "Accelerators"), column.text("release", "Round"), column.text("published_on", "Round published"),
  column.text("submitter", "Submitter"), column.text("number_format", "Number format"), column.text("number_format_basis", "Format known by"),
  column.number("trained_tokens_per_s_per_accelerator", "Tokens/s per accelerator"), column.percent("mfu_pct", "MFU in that format"),
  column.percent("bf16_equivalent_pct", "Share of BF16 peak (no MFU)"),
  column.usd("owned_usd_per_trained_mtok", "US$ per Mtok, owned"), column.usd("owned_usd_per_trained_mtok_low", "Low"), column.usd("owned_usd_per_trained_mtok_high", "High"),
  column.usd("rented_usd_per_trained_mtok", "US$ per Mtok, rented"), column.usd("rented_usd_per_trained_mtok_low", "Low"), column.usd("rented_usd_per_trained_mtok_high", "High"),
  column.text("rent_basis", "Rent is", { wide: true }), column.number("j_per_trained_token_modelled", "J per token, modelled"), column.number("j_per_trained_token_measured_before_pue", "J per token, measured, before PUE"),
  column.text("mfu_reason", "Why no MFU", { wide: true }), column.text("system_name", "System"), { key: "result_id", title: "Result", value: (row) => row.result_id, wide: true },
  column.link("source_url", "Logs", "at MLCommons"),
];

export const pageTrainedTokens = {
  id: "trained-tokens",
  tab: "Trained tokens",
  title: "What does a trained token take, by scale and by software date?",
  lead: "Tokens per second of one accelerator, MFU with its number format, dollars and joules per trained token, of every closed MLPerf Training result with a fixed sequence length.",
  controls: [
    {
      name: "benchmark", label: "Benchmark",
      options: () => distinct(rowsOf("trained_tokens").map((row) => row.benchmark_id)).map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => ["llama31_405b", "gpt3"].find((id) => options.some(([value]) => value === id)),
      resets: ["accelerator"],
    },
    {
      name: "accelerator", label: "Accelerator",
      options: ({ benchmark }) => [[EVERY_PART, "All"], ...distinct(rowsOf("trained_tokens").filter((row) => row.benchmark_id === benchmark)
        .map((row) => row.accelerator_id)).map((id) => [id, acceleratorName(id)]).sort((a, b) => a[1].localeCompare(b[1]))],
    },
    { name: "metric", label: "Figure", options: () => Object.entries(TOKEN_METRICS).map(([id, { name }]) => [id, name]) },
  ],

  view({ benchmark, accelerator, metric }) {
    const { key, unit, text, best } = TOKEN_METRICS[metric];
    const name = modelName(benchmark);
    const results = rowsOf("trained_tokens").filter((row) => row.benchmark_id === benchmark && (accelerator === EVERY_PART || row.accelerator_id === accelerator));
    const shown = results.filter((row) => isNumber(row[key]));
    const rounds = distinct(shown.map((row) => row.release)).sort(byRound);
    return [
      figure({
        name: "trained-by-scale",
        kind: "scatter",
        title: `${name} by scale`,
        subtitle: `${sentence(unit)}; one point a result. ${best}`,
        words: { x: "accelerators", unit },
        rows: shown.map((row) => ({
          key: row.result_id, series: row.result_id, group: tokenGroup(row), x: row.accelerator_count, y: row[key], text: text(row[key]),
          label: `${acceleratorName(row.accelerator_id)} ×${integer(row.accelerator_count)}, ${tokenFormat(row)}`, detail: `${row.submitter}, ${row.system_name}, ${row.release}`,
        })),
        columns: tokenColumns, tableRows: results, rowKey: (row) => row.result_id,
        empty: `No result of ${name} has this figure.`,
      }),
      figure({
        name: "trained-by-date",
        kind: "rounds",
        title: `${name} by software date: best of each round, accelerator and number format`,
        subtitle: `${sentence(unit)}. Scales and submitters differ between rounds; what one submitter's software gained at one scale is on "Generations and software".`,
        words: { unit },
        rows: rounds.flatMap((round) => bestTokens(shown.filter((row) => row.release === round), key, metric).map((row) => ({
          key: row.result_id, round, group: tokenGroup(row), label: `${tokenGroup(row)}, ${round}`, value: row[key], text: text(row[key]),
          detail: `×${integer(row.accelerator_count)}, ${row.submitter}, published ${row.published_on ?? "on an unknown day"}`,
        }))),
        columns: tokenColumns, tableRows: shown, rowKey: (row) => row.result_id,
        empty: `No result of ${name} has this figure.`,
      }),
      shown.length < results.length && note(`${plural(results.length - shown.length, "result")} without this figure: in the table, with the reason.`),
      figure({
        name: "frontier-cost",
        kind: "ranked",
        title: "Cost of known models: published accelerator-hours at our prices against Epoch AI",
        subtitle: "Bar: our cost, line from the lowest to the highest price. Tick: Epoch AI's cost (CC BY 4.0). Rent on demand is compared with its cloud cost, a hyperscaler's ownership with its amortised hardware and energy.",
        words: { unit: "US$" },
        rows: rowsOf("frontier_cost").filter((row) => isNumber(row.usd_to_train)).sort((a, b) => b.usd_to_train - a.usd_to_train).map((row, position) => ({
          key: `${row.model}|${row.price_basis}`, position, group: row.price_basis, label: `${row.model}, ${row.price_basis}`, value: row.usd_to_train, low: row.usd_to_train_low,
          middle: row.epoch_usd, high: row.usd_to_train_high, text: `${usd(row.usd_to_train)} against ${usd(row.epoch_usd)}`, detail: row.cause,
        })),
        columns: [column.text("model", "Model"), column.accelerator(), column.number("accelerator_hours", "Accelerator-hours"), column.text("price_basis", "Basis"), column.text("price_terms", "Terms"),
          column.usd("usd_to_train", "Our US$"), column.usd("usd_to_train_low", "Low"), column.usd("usd_to_train_high", "High"), column.usd("epoch_usd", "Epoch's US$"),
          column.percent("difference_pct", "Difference"), column.text("cause", "Cause", { wide: true }), column.link("hours_source_url", "Hours", "publication")],
        tableRows: rowsOf("frontier_cost"), rowKey: (row) => `${row.model}|${row.price_basis}`,
      }),
    ];
  },
};

const bestTokens = (rows, key, metric) => [...groupBy(rows, tokenGroup).values()].map((each) => {
  const sorted = [...each].sort((a, b) => a[key] - b[key]);
  return metric === "tokens" || metric === "mfu" ? sorted.at(-1) : sorted[0];
});
