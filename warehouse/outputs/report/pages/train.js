// Training a model of so many parameters on so many tokens: time, cost and energy at the measured share of the peak.
import { groupBy, rowBy, rowsOf } from "../data.js";
import { costToTrain, energyKwh, isNumber, median, trainedTokensPerS, trainingAcceleratorHours, trainingFlopsPerToken } from "../formulas.js";
import { large, number, percent, usd } from "../format.js";
import { figure } from "../chart.js";
import { DEFAULT_OWNER, column, inPricingOrder, note, ownerWords, partName, pricesAsOf, rangeWords, rentPrice, separationWords, shortName, tiles, words } from "../common.js";

const input = (name, label, unit, initial, slider) => ({ name, label, unit, min: 0, above: 0, max: 1e9, step: 1, slider, initial: () => initial, origin: () => "" });

/** Accelerators with a measured MFU: of each the number format with the highest median speed. */
function speeds(flopsPerToken) {
  const measured = rowsOf("training").filter((row) => isNumber(row.mfu_pct));
  const peakOf = (row) => rowBy("parts", "accelerator_id", row.accelerator_id)?.[`${row.number_format}_dense_tflops`] ?? null;
  const ofFormats = [...groupBy(measured, (row) => `${row.accelerator_id}|${row.number_format}`).values()].map((rows) => {
    const shares = rows.map((row) => row.mfu_pct).sort((a, b) => a - b);
    const at = (share) => trainedTokensPerS(share, flopsPerToken, peakOf(rows[0]));
    return { ...rows[0], n: rows.length, mfu: median(shares), tokens_per_s: at(median(shares)), tokens_per_s_low: at(shares[0]), tokens_per_s_high: at(shares.at(-1)) };
  }).sort((a, b) => b.tokens_per_s - a.tokens_per_s);
  return [...groupBy(ofFormats, (row) => row.accelerator_id).values()].map(([fastest]) => fastest);
}

export const pageTrain = {
  id: "train",
  place: "Choose",
  tab: "Train a model",
  title: "What does it cost to train my model?",
  lead: "Time, rent and energy for so many parameters and tokens on each accelerator, at the share of its peak (MFU) that MLPerf Training measured.",
  controls: [
    input("parameters", "Parameters", "billions", 70, [1, 1000]),
    input("tokens", "Trained tokens", "trillions", 2, [1, 30]),
    input("gpus", "Number", "accelerators", 1024, [8, 16384]),
    { name: "pricing", label: "Rent: pricing", options: () => inPricingOrder([...new Set(rowsOf("price_levels").map((row) => row.pricing_model))]).map((id) => [id, words(id)]) },
  ],

  view({ parameters, tokens, gpus, pricing }) {
    const rows = speeds(trainingFlopsPerToken(parameters * 1e9)).map((row) => {
      const hours = (speed) => trainingAcceleratorHours(tokens * 1e12, speed);
      const rent = rentPrice(row.accelerator_id, pricing);
      const owned = rowsOf("tco").find((each) => each.accelerator_id === row.accelerator_id && each.scenario_id === DEFAULT_OWNER);
      return {
        ...row, rent, accelerator_hours: hours(row.tokens_per_s), days: hours(row.tokens_per_s) / gpus / 24,
        usd: costToTrain(hours(row.tokens_per_s), rent?.usd ?? null), low: costToTrain(hours(row.tokens_per_s_high), rent?.low ?? null), high: costToTrain(hours(row.tokens_per_s_low), rent?.high ?? null),
        energy_kwh: energyKwh(owned?.it_power_w, owned?.pue, 1, hours(row.tokens_per_s)),
      };
    }).sort((a, b) => (a.usd ?? Infinity) - (b.usd ?? Infinity));
    const priced = rows.filter((row) => isNumber(row.usd));
    const [first] = priced;
    const fastest = [...rows].sort((a, b) => a.days - b.days)[0];
    return [
      pricesAsOf(),
      tiles([
        ["Lowest rent", first ? usd(first.usd) : "no price", first && `${shortName(first.accelerator_id)}; ${rangeWords(first.low, first.high)}; ${separationWords(priced, (row) => partName(row.accelerator_id))}`],
        fastest && ["Fastest", `${number(fastest.days)} days`, `${shortName(fastest.accelerator_id)}, ${number(gpus)} accelerators that keep the measured share`],
      ].filter(Boolean)),
      figure({
        name: "train", kind: "list",
        title: `${number(parameters)} billion parameters on ${number(tokens)} trillion tokens: rent, ${words(pricing).toLowerCase()}`,
        subtitle: "Point: accelerator-hours at the median measured MFU × the price level of the accelerator; band: highest MFU at the low end of the level to lowest MFU at its high end. Where bands overlap, no order is claimed.",
        unit: "US$",
        rows: priced.map((row) => ({
          key: row.accelerator_id, group: row.number_format.toUpperCase(), label: partName(row.accelerator_id), value: row.usd, low: row.low, high: row.high, text: `${usd(row.usd)}, ${number(row.days)} days`,
          detail: `${percent(row.mfu)} of the ${row.number_format.toUpperCase()} peak, median of ${row.n}; ${row.rent.words}`,
        })),
        tableRows: rows, rowKey: (row) => row.accelerator_id, open: true,
        columns: [
          column.accelerator(), column.usd("usd", "Rent, US$"), column.usd("low", "low"), column.usd("high", "high"), column.number("days", "Days"), column.number("accelerator_hours", "Accelerator-hours"),
          column.number("energy_kwh", "kWh, with PUE", large), column.number("tokens_per_s", "Trained tokens/s each"), column.text("number_format", "Number format"), column.percent("mfu", "MFU, median measured"), column.integer("n", "Results (n)"),
          column.text("rent", "Rent is", { wide: true, value: (row) => row.rent?.words ?? null, node: (row) => row.rent?.words ?? "–" }),
        ],
        empty: `No accelerator with a measured MFU has a ${words(pricing).toLowerCase()} price.`,
      }),
      note(`FLOPs of a token = 6 × parameters (attention is not in it). Energy: all-in power and PUE of an owner (${ownerWords(DEFAULT_OWNER).toLowerCase()}). MFU falls with the number of accelerators and differs between models: the page “Training” has every result. Memory, outlay and a known model: the command “accelmart estimate training”.`),
    ];
  },
};
