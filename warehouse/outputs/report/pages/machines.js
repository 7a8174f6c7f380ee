// Accelerators that one has: what tokens cost to run, and whether to sell and rent. Rows of the SQL function keep_or_sell for 64 of them.

const keptValues = (rows, key) => distinct(rows.map((row) => row[key]));
const wayName = (row) => (row.option === "keep" ? "Keep" : `Sell, rent ${integer(row.accelerators)} × ${partName(row.accelerator_id)}`);

const keptColumns = columns(`option:words|accelerator_id|accelerators|usd± Cost over the months|usd_per_output_mtok|standing:words|running_usd_per_output_mtok± Running cost, $ per M tokens|sell_from_month± Selling costs no more from month
  |electricity_usd Electricity|colocation_usd Space and cooling|maintenance_usd Maintenance|staff_usd Staff|value_lost_usd Value lost, with interest|usd_per_accelerator_hour|uncertainty_basis Range is of|sellers|release|number_format
  |output_tokens_per_s_per_accelerator|result_id`);

addPage({
  id: "keep-or-sell",
  place: "Choose",
  tab: "Machines you own",
  title: "What do my accelerators cost to run, and should I sell them?",
  lead: "What your accelerators cost to run, what the same tokens cost on rented ones, and what yours would sell for.",
  find: "sell|resale|depreciation|keep or sell",
  command: ["keep-or-sell", "keep_or_sell"],
  controls: [
    choice("accelerator", "64 accelerators of", () => keptValues(rowsOf("kept_machines"), "had"), acceleratorName, ["nvidia-a100-sxm-80gb", "nvidia-h100-sxm-80gb"], { resets: ["model"] }),
    modelChoice(({ accelerator }) => keptValues(rowsOf("kept_machines").filter((row) => row.had === accelerator), "benchmark_id"), "llama2-70b-99", { name: "model" }),
  ],

  view({ accelerator, model }) {
    const rows = rowsOf("kept_machines").filter((row) => row.had === accelerator && row.benchmark_id === model)
      .map((row) => ({ ...row, key: `${row.option}|${row.accelerator_id}` })).sort((a, b) => a.usd - b.usd);
    const keep = rows.find((row) => row.option === "keep");
    const [rent] = rows.filter((row) => row.option !== "keep");
    const from = rent?.sell_from_month;
    return [
      tiles([
        ["Running cost", usd(keep?.running_usd_per_output_mtok), `per million output tokens, ${rangeWords(keep?.running_usd_per_output_mtok_low, keep?.running_usd_per_output_mtok_high)}: electricity, space, maintenance, staff`],
        ["The same tokens rented", usd(rent?.usd_per_output_mtok), rent ? `per million: ${wayName(rent).replace("Sell, rent ", "")}, ${rangeWords(rent.usd_per_output_mtok_low, rent.usd_per_output_mtok_high)}` : "no accelerator with a result and a price"],
        ["They would sell for", usd(keep?.resale_usd), `${rangeWords(keep?.resale_usd_low, keep?.resale_usd_high)}; ${keep?.resale_basis}`],
        ["Sell?", keep?.standing ? words(`keeping ${keep.standing}`).replace("Keeping about", "Keeping costs about") : "No verdict", rent && `${verdictSentence([keep, rent].map((row) => ({ ...row, low: row.usd_low, high: row.usd_high })).sort((a, b) => a.usd - b.usd), wayName)} ${isNumber(from) ? `Renting costs no more from ${plural(from, "month")} on.` : "Renting costs more for any time that we compare."}`],
      ]),
      figure({
        name: "keep-or-sell",
        title: `64 × ${partName(accelerator)}: ${modelName(model)}, ${large(keep?.tokens_per_day)} output tokens a day for ${integer(keep?.months)} months`,
        subtitle: "Keeping costs the running cost, the value lost, and interest on what they would sell for. Selling costs the typical rent of whole machines that generate the same tokens.",
        unit: "US$ over the months",
        rows: rows.map((row) => ({
          ...bar(row, "usd"), group: words(row.option), label: wayName(row), detail: `${usd(row.usd_per_output_mtok)} per million tokens; ${row.uncertainty_basis}`,
        })),
        tableRows: rows, columns: keptColumns, open: true,
        empty: "There is no cost of ownership, or no result, of this accelerator.",
      }),
      note("Machines run all the time, at 60 % of the measured throughput."),
    ];
  },
});
