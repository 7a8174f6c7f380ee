// Training a model of so many parameters on so many tokens: time, rent and energy as the SQL function estimate_training has them.

/** Rent of so many hours; without a range of the price, or of the speed, the other alone makes the range. */
function rentalOf({ tokens_per_s: speed, tokens_per_s_low: slow, tokens_per_s_high: fast }, rent, tokens) {
  const cost = (at, price) => (isNumber(at) && isNumber(price) ? training_accelerator_hours(tokens, at) * price : null);
  const end = (at, price) => (isNumber(at) || isNumber(price) ? cost(at ?? speed, price ?? rent?.usd) : null);
  return { usd: cost(speed, rent?.usd), low: end(fast, rent?.low), high: end(slow, rent?.high) };
}

addPage({
  id: "train",
  place: "Choose",
  tab: "Train a model",
  title: "What does it cost to train my model?",
  lead: "Days, rent and energy to train a model of your size, from MLPerf Training results.",
  find: "training cost|pretraining|parameters",
  command: ["estimate training", "estimate_training"],
  controls: [
    stops("parameters", "training_speeds", "billions", "Parameters", (value) => `${integer(value)} billion`, 70),
    { name: "tokens", label: "Trained tokens", unit: "trillions", min: 0, above: 0, max: 1e9, step: 1, slider: [1, 30], initial: () => 2, origin: () => "" },
    stops("gpus", "training_speeds", "gpus", "Number", (value) => `${integer(value)} accelerators`, 1024),
    pricingChoice(() => idsOf("price_levels", "pricing_model"), "Rent: pricing"),
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
      tiles([
        ["Lowest rent", first ? usd(first.usd) : "no price", first && `${shortName(first.accelerator_id)}; ${rangeWords(first.low, first.high)}. ${separationWords(priced, (row) => partName(row.accelerator_id))}`],
        fastest && ["Fastest", `${number(fastest.days)} days`, `${shortName(fastest.accelerator_id)}, ${integer(fastest.gpus)} accelerators; ${rangeWords(fastest.days_low, fastest.days_high, number)}`],
      ].filter(Boolean)),
      figure({
        name: "train",
        title: `${what} on ${number(trillions)} trillion tokens: rent, ${lower(pricing)}`,
        subtitle: "The point is accelerator-hours × the typical price; the band runs from fast and cheap to slow and expensive. Where bands overlap, no order is claimed.",
        unit: "US$",
        rows: priced.map((row) => ({
          key: row.accelerator_id, group: row.number_format?.toUpperCase() ?? "format not known", label: partName(row.accelerator_id), value: row.usd, low: row.low, high: row.high, text: `${usd(row.usd)}, ${number(row.days)} days`,
          detail: `${row.uncertainty_basis}${row.extrapolated ? `; extrapolated: ${row.extrapolated}` : ""}; ${row.rent.words}`,
        })),
        tableRows: rows, open: true,
        columns: columns(`accelerator_id|usd± Rent, US$|days±:auto Days|energy_kwh:large kWh, with PUE|number_format|mfu_pct|accelerator_hours|tokens_per_s Trained tokens/s each|uncertainty_basis Low and high of the speed|extrapolated Extrapolated to another
          |fewest_accelerators Fewest that hold it|rent Rent is`, { usd_low: { key: "low", value: (row) => row.low }, usd_high: { key: "high", value: (row) => row.high }, rent: { value: (row) => row.rent?.words ?? null } }),
        empty: `No accelerator has a ${lower(pricing)} price.`,
      }),
      note("Speeds are measured for the model, or follow from the MFU of the nearest measured run. Restarts and evaluations are not counted."),
    ];
  },
});
