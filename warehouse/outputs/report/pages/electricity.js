// Electricity, carbon and rent of a million output tokens in two places: rows of the SQL function electricity_per_mtok.

const electricityPlace = (name, label, initial) => choice(name, label, () => idsOf("electricity_of_tokens", "place"), placeName, initial);

const electricityColumns = columns(`accelerator_id|place|kg_co2e_per_output_mtok± kg CO2e per M tokens|kwh_per_output_mtok± kWh per M tokens|electricity_usd_per_output_mtok± Electricity, $ per M tokens|usd_per_output_mtok Cheapest rent, $ per M tokens
  |provider Cheapest seller|sites|price_seen_on Price seen|kg_co2e_per_kwh± kg CO2e per kWh|grid_basis Grid counts|grid_year_high Grid of|usd_per_kwh $ per kWh|usd_per_kwh_basis:auto Price of electricity is
  |usd_per_kwh_year:auto Price of|pue|release|submitter|result_id|reason Not known`);

/** A row with the carbon and the cost of its electricity at the figures of its grid; where one of two has no range, that of the other. */
const onItsGrid = (row) => ({ ...row, ...Object.fromEntries(["", "_low", "_high"].flatMap((end) => {
  const of = (name) => row[`${name}${end}`] ?? row[name];
  const joules = isNumber(of("kwh_per_output_mtok")) ? of("kwh_per_output_mtok") * 3.6 : null;
  return [[`kg_co2e_per_output_mtok${end}`, kg_co2e_per_mtok(joules, of("kg_co2e_per_kwh"))], [`electricity_usd_per_output_mtok${end}`, kg_co2e_per_mtok(joules, of("usd_per_kwh"))]];
})) });

addPage({
  id: "electricity",
  place: "Prices",
  tab: "Electricity and carbon",
  title: "Where are tokens produced with less carbon and cheaper electricity?",
  lead: "Electricity, carbon and rent of a million tokens in two places.",
  find: "electricity|carbon|CO2|CO2e|emissions|kWh|grid|climate",
  command: ["electricity", "electricity_per_mtok"],
  controls: [
    modelChoice(() => idsOf("electricity_of_tokens", "benchmark_id"), ["llama3.1-405b", "deepseek-r1"]),
    electricityPlace("a", "Place", "DE"),
    electricityPlace("b", "Other place", "SE"),
  ],

  view({ benchmark, a, b }) {
    const rows = rowsOf("electricity_of_tokens").filter((row) => row.benchmark_id === benchmark && [a, b].includes(row.place)).map(onItsGrid);
    const tile = (place) => {
      const [row] = rows.filter((each) => each.place === place);
      return [placeName(place), isNumber(row?.kg_co2e_per_kwh) ? `${number(row.kg_co2e_per_kwh)} kg CO2e/kWh` : "not known",
        [row && number(row.kg_co2e_per_kwh_low) !== number(row.kg_co2e_per_kwh_high) && rangeWords(row.kg_co2e_per_kwh_low, row.kg_co2e_per_kwh_high, number), row?.grid_basis, row?.grid_year_high, isNumber(row?.usd_per_kwh) ? `electricity ${usd(row.usd_per_kwh)}/kWh, ${row.usd_per_kwh_basis}` : row?.reason].filter(Boolean).join("; ")];
    };
    const [first, second] = [a, b].map((place) => rows.find((row) => row.place === place)?.kg_co2e_per_kwh);
    return [
      tiles([tile(a), a !== b && tile(b), a !== b && isNumber(first) && isNumber(second) && ["At equal energy", `${times(Math.max(first, second) / Math.min(first, second))} the carbon`, `in ${placeName(first > second ? a : b)} against ${placeName(first > second ? b : a)}`]].filter(Boolean)),
      figure({
        name: "carbon-by-place",
        title: `${modelName(benchmark)}, Server: kg CO2e per million output tokens`,
        subtitle: "Modelled electricity with cooling (PUE), at full load, on the grid's annual average. The band covers the error of the model and the spread of figures for the grid. Making the hardware is not included.",
        unit: "kg CO2e per million output tokens",
        rows: rows.filter((row) => isNumber(row.kg_co2e_per_output_mtok)).map((row) => ({
          ...bar(row, "kg_co2e_per_output_mtok", (value) => `${number(value)} kg`), key: `${row.accelerator_id}|${row.place}`, group: placeName(row.place), detail: `${number(row.kwh_per_output_mtok)} kWh${isNumber(row.electricity_usd_per_output_mtok) ? `, ${usd(row.electricity_usd_per_output_mtok)} of electricity` : ""}${isNumber(row.usd_per_output_mtok) ? `; cheapest rent ${usd(row.usd_per_output_mtok)} at ${providerName(row.provider)}` : ""}`,
        })),
        tableRows: rows, rowKey: "accelerator_id|place", columns: electricityColumns, open: true,
        empty: "No carbon intensity of these places, or no modelled energy of the model's results: the table has the reasons.",
      }),
      note("The rent already includes the electricity, so do not add the two."),
    ];
  },
});
