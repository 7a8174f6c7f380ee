// Electricity, carbon and rent of a million output tokens in two places: rows of the SQL function electricity_per_mtok.
import { distinct, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { number, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { benchmarkName, column, modelName, note, partName, placeName, pricesAsOf, providerName, rangeWords, tiles } from "../common.js";

const electricityModels = () => distinct(rowsOf("electricity_of_tokens").map((row) => row.benchmark_id));
const electricityPlaces = () => distinct(rowsOf("electricity_of_tokens").map((row) => row.place)).map((place) => [place, placeName(place)]).sort((a, b) => a[1].localeCompare(b[1]));
const electricityPlace = (name, label, initial) => ({
  name, label, options: electricityPlaces, initial: (_, options) => options.find(([value]) => value === initial)?.[0],
});

const electricityColumns = [
  column.accelerator(), { key: "place", title: "Place", value: (row) => row.place, text: (value) => placeName(value) },
  column.number("kwh_per_output_mtok", "kWh per M tokens"), column.number("kwh_per_output_mtok_low", "low"), column.number("kwh_per_output_mtok_high", "high"),
  column.number("kg_co2e_per_output_mtok", "kg CO2e per M tokens"), column.number("kg_co2e_per_output_mtok_low", "low"), column.number("kg_co2e_per_output_mtok_high", "high"),
  column.usd("electricity_usd_per_output_mtok", "Electricity, $ per M tokens"), column.usd("usd_per_output_mtok", "Cheapest rent, $ per M tokens"), { key: "provider", title: "at", value: (row) => row.provider, text: (value) => (value ? providerName(value) : "–") },
  column.text("sites", "Sites", { wide: true }), column.day("price_seen_on", "Price seen"), column.number("kg_co2e_per_kwh", "kg CO2e per kWh"), column.number("kg_co2e_per_kwh_low", "low"), column.number("kg_co2e_per_kwh_high", "high"),
  column.text("grid_basis", "Grid counts"), column.text("grid_year_high", "Grid of"), column.usd("usd_per_kwh", "$ per kWh"), column.text("usd_per_kwh_basis", "Price of electricity is", { wide: true }), column.text("usd_per_kwh_year", "of"),
  column.number("pue", "PUE"), column.text("release", "Round"), column.text("submitter", "Submitter"), column.text("result_id", "Result", { wide: true }), column.text("reason", "Not known", { wide: true }),
];

export const pageElectricity = {
  id: "electricity",
  place: "Prices",
  tab: "Electricity and carbon",
  title: "Where are tokens produced with less carbon and cheaper electricity?",
  lead: "Electricity of a million output tokens, its carbon and its cost, and the cheapest rent, in two places.",
  controls: [
    { name: "benchmark", label: "Model (MLPerf benchmark)", options: () => electricityModels().map((id) => [id, benchmarkName(id)]).sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => ["llama3.1-405b", "deepseek-r1"].find((id) => options.some(([value]) => value === id)) },
    electricityPlace("a", "Place", "DE"),
    electricityPlace("b", "Other place", "SE"),
  ],

  view({ benchmark, a, b }) {
    const rows = rowsOf("electricity_of_tokens").filter((row) => row.benchmark_id === benchmark && [a, b].includes(row.place));
    const tile = (place) => {
      const [row] = rows.filter((each) => each.place === place);
      return [placeName(place), isNumber(row?.kg_co2e_per_kwh) ? `${number(row.kg_co2e_per_kwh)} kg CO2e/kWh` : "not known",
        [row && number(row.kg_co2e_per_kwh_low) !== number(row.kg_co2e_per_kwh_high) && rangeWords(row.kg_co2e_per_kwh_low, row.kg_co2e_per_kwh_high, number), row?.grid_basis, row?.grid_year_high, isNumber(row?.usd_per_kwh) ? `electricity ${usd(row.usd_per_kwh)}/kWh, ${row.usd_per_kwh_basis}` : row?.reason].filter(Boolean).join("; ")];
    };
    const [first, second] = [a, b].map((place) => rows.find((row) => row.place === place)?.kg_co2e_per_kwh);
    return [
      pricesAsOf(),
      tiles([tile(a), a !== b && tile(b), a !== b && isNumber(first) && isNumber(second) && ["At equal energy", `${times(Math.max(first, second) / Math.min(first, second))} the carbon`, `in ${placeName(first > second ? a : b)} against ${placeName(first > second ? b : a)}`]].filter(Boolean)),
      figure({
        name: "carbon-by-place",
        kind: "list",
        title: `${modelName(benchmark)}, Server: kg CO2e per million output tokens`,
        subtitle: "Electricity is modelled, with PUE, at full use; band: error of the model and spread of figures for the grid. Annual averages of operation: no making of hardware, no contracts of the seller.",
        unit: "kg CO2e per million output tokens",
        rows: rows.filter((row) => isNumber(row.kg_co2e_per_output_mtok)).map((row) => ({
          key: `${row.accelerator_id}|${row.place}`, group: placeName(row.place), label: partName(row.accelerator_id), value: row.kg_co2e_per_output_mtok, low: row.kg_co2e_per_output_mtok_low, high: row.kg_co2e_per_output_mtok_high,
          text: `${number(row.kg_co2e_per_output_mtok)} kg`, detail: `${number(row.kwh_per_output_mtok)} kWh${isNumber(row.electricity_usd_per_output_mtok) ? `, ${usd(row.electricity_usd_per_output_mtok)} of electricity` : ""}${isNumber(row.usd_per_output_mtok) ? `; cheapest rent ${usd(row.usd_per_output_mtok)} at ${providerName(row.provider)}` : ""}`,
        })),
        tableRows: rows, rowKey: (row) => `${row.accelerator_id}|${row.place}`, columns: electricityColumns, open: true,
        empty: "No carbon intensity of these places, or no modelled energy of the model's results: the table has the reasons.",
      }),
      note("The rent already contains the electricity: the two are not added. For US states, groups such as Europe, regions of clouds and other scenarios: the command “accelmart electricity” and the SQL function “electricity_per_mtok”, which give the same figures."),
    ];
  },
};
