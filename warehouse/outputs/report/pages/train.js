// Training a model of so many parameters on so many tokens: time, rent and energy as the SQL function estimate_training has them.
import { rowBy, rowsOf } from "../data.js";
import { energy_kwh, isNumber, training_accelerator_hours, training_hours } from "../formulas.js";
import { integer, large, number, percent, usd } from "../format.js";
import { figure } from "../chart.js";
import { column, inPricingOrder, note, partName, pricesAsOf, rangeWords, rentPrice, separationWords, shortName, stops, tiles, words } from "../common.js";

/** Rent of so many hours; without a range of the price, or of the speed, the other alone makes the range. */
function rentalOf({ tokens_per_s: speed, tokens_per_s_low: slow, tokens_per_s_high: fast }, rent, tokens) {
  const cost = (at, price) => (isNumber(at) && isNumber(price) ? training_accelerator_hours(tokens, at) * price : null);
  const end = (at, price) => (isNumber(at) || isNumber(price) ? cost(at ?? speed, price ?? rent?.usd) : null);
  return { usd: cost(speed, rent?.usd), low: end(fast, rent?.low), high: end(slow, rent?.high) };
}

export const pageTrain = {
  id: "train",
  place: "Choose",
  tab: "Train a model",
  title: "What does it cost to train my model?",
  lead: "Time, rent and energy for so many parameters and tokens on each accelerator with results of MLPerf Training in tokens.",
  controls: [
    stops("parameters", "training_speeds", "billions", "Parameters", (value) => `${integer(value)} billion`, 70),
    { name: "tokens", label: "Trained tokens", unit: "trillions", min: 0, above: 0, max: 1e9, step: 1, slider: [1, 30], initial: () => 2, origin: () => "" },
    stops("gpus", "training_speeds", "gpus", "Number", (value) => `${integer(value)} accelerators`, 1024),
    { name: "pricing", label: "Rent: pricing", options: () => inPricingOrder([...new Set(rowsOf("price_levels").map((row) => row.pricing_model))]).map((id) => [id, words(id)]) },
  ],

  view({ parameters, tokens: trillions, gpus, pricing }) {
    const tokens = trillions * 1e12;
    const rows = rowsOf("training_speeds").filter((row) => String(row.billions) === parameters && String(row.gpus) === gpus).map((row) => {
      const rent = rentPrice(row.accelerator_id, pricing);
      const power = rowBy("training_power", "accelerator_id", row.accelerator_id);
      const days = (speed) => (isNumber(speed) ? training_hours(tokens, speed, row.gpus) / 24 : null);
      const hours = training_accelerator_hours(tokens, row.tokens_per_s);
      return {
        ...row, ...rentalOf(row, rent, tokens), rent, accelerator_hours: hours, energy_kwh: energy_kwh(power?.watts_per_accelerator, power?.pue, 1, hours),
        days: days(row.tokens_per_s), days_low: days(row.tokens_per_s_high), days_high: days(row.tokens_per_s_low),
      };
    }).sort((a, b) => (a.usd ?? Infinity) - (b.usd ?? Infinity));
    const what = rows[0]?.model ?? `${integer(Number(parameters))} billion parameters`;
    const priced = rows.filter((row) => isNumber(row.usd));
    const [first] = priced;
    const fastest = [...rows].sort((a, b) => a.days - b.days)[0];
    return [
      pricesAsOf(),
      tiles([
        ["Lowest rent", first ? usd(first.usd) : "no price", first && `${shortName(first.accelerator_id)}; ${rangeWords(first.low, first.high)}; ${separationWords(priced, (row) => partName(row.accelerator_id))}`],
        fastest && ["Fastest", `${number(fastest.days)} days`, `${shortName(fastest.accelerator_id)}, ${integer(fastest.gpus)} accelerators; ${rangeWords(fastest.days_low, fastest.days_high, number)}`],
      ].filter(Boolean)),
      figure({
        name: "train", kind: "list",
        title: `${what} on ${number(trillions)} trillion tokens: rent, ${words(pricing).toLowerCase()}`,
        subtitle: "Point: accelerator-hours × the typical neocloud price of the accelerator. Band: fastest at the low end of the price to slowest at its high end. Where bands overlap, no order is claimed.",
        unit: "US$",
        rows: priced.map((row) => ({
          key: row.accelerator_id, group: row.number_format?.toUpperCase() ?? "format not known", label: partName(row.accelerator_id), value: row.usd, low: row.low, high: row.high, text: `${usd(row.usd)}, ${number(row.days)} days`,
          detail: `${row.uncertainty_basis}${row.extrapolated ? `; extrapolated: ${row.extrapolated}` : ""}; ${row.rent.words}`,
        })),
        tableRows: rows, rowKey: (row) => row.accelerator_id, open: true,
        columns: [
          column.accelerator(), column.usd("usd", "Rent, US$"), column.usd("low", "low"), column.usd("high", "high"), column.number("days", "Days"), column.number("days_low", "low"), column.number("days_high", "high"), column.number("accelerator_hours", "Accelerator-hours"),
          column.number("energy_kwh", "kWh, with PUE", large), column.number("tokens_per_s", "Trained tokens/s each"), column.text("number_format", "Number format"), column.percent("mfu_pct", "MFU"),
          column.text("uncertainty_basis", "Low and high of the speed", { wide: true }), column.text("extrapolated", "Extrapolated to another", { value: (row) => row.extrapolated || null, node: (row) => row.extrapolated || "–" }), column.integer("fewest_accelerators", "Fewest that hold it"),
          column.text("rent", "Rent is", { wide: true, value: (row) => row.rent?.words ?? null, node: (row) => row.rent?.words ?? "–" }),
        ],
        empty: `No accelerator has a ${words(pricing).toLowerCase()} price.`,
      }),
      note("Speed: measured for the same model on the accelerator; otherwise the MFU of the nearest measured or published run, in its number format. Restarts and evaluations are not counted. Energy: modelled power with PUE. Own dimensions, MFU, price and outlay: the command “accelmart estimate training”, which gives the same figures."),
    ];
  },
};
