// Prices: what an hour of an accelerator cost, day by day, and what it costs at whom.
import { distinct, groupBy, rowsOf } from "../data.js";
import { median } from "../formulas.js";
import { day, days, integer, plural, usd } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, built, column, inPricingOrder, note, offerColumns, providerName, words } from "../common.js";

// an observation is carried a week; a longer hole is a gap and is drawn as one
const GAP_DAYS = 8;
const daysBetween = (a, b) => (Date.parse(b) - Date.parse(a)) / 864e5;

export const pagePrices = {
  id: "prices",
  tab: "Prices",
  title: "What does an hour cost, and how did that change?",
  lead: "List prices per accelerator-hour in US dollars by segment over time, and the sellers in force.",
  controls: [
    {
      name: "accelerator", label: "Accelerator",
      options: () => distinct([...rowsOf("price_index"), ...rowsOf("offers")].map((row) => row.accelerator_id)).map((id) => [id, acceleratorName(id)])
        .sort((a, b) => a[1].localeCompare(b[1])),
      initial: (_, options) => options.find(([id]) => id === "nvidia-h100-sxm-80gb")?.[0],
      resets: ["pricing"],
    },
    {
      name: "pricing", label: "Pricing",
      options: ({ accelerator }) => [["all", "All"], ...inPricingOrder(distinct([...rowsOf("price_index"), ...rowsOf("offers")]
        .filter((row) => row.accelerator_id === accelerator).map((row) => row.pricing_model))).map((model) => [model, words(model)])],
    },
    { name: "across", label: "Across accelerators", options: () => inPricingOrder(distinct(rowsOf("offers").map((row) => row.pricing_model))).map((model) => [model, words(model)]) },
  ],

  view({ accelerator, pricing, across }) {
    const name = acceleratorName(accelerator);
    const index = rowsOf("price_index").filter((row) => row.accelerator_id === accelerator && (pricing === "all" || row.pricing_model === pricing));
    const offers = rowsOf("offers").filter((row) => row.accelerator_id === accelerator && (pricing === "all" || row.pricing_model === pricing))
      .sort((a, b) => a.usd_per_accelerator_hour_min - b.usd_per_accelerator_hour_min);
    const everywhere = [...groupBy(rowsOf("offers").filter((row) => row.pricing_model === across), (row) => row.accelerator_id)].map(([id, rows]) => {
      const prices = rows.map((row) => row.usd_per_accelerator_hour_min).sort((a, b) => a - b);
      const cheapest = rows.find((row) => row.usd_per_accelerator_hour_min === prices[0]);
      return { accelerator_id: id, sellers: rows.length, low: prices[0], middle: median(prices), high: prices.at(-1), provider: cheapest.provider,
        age_days: cheapest.age_days, source_url: cheapest.source_url, offer_id: cheapest.offer_id };
    }).sort((a, b) => a.low - b.low);
    return [
      figure({
        name: "prices",
        kind: "prices",
        title: `${name}: US$ per accelerator-hour over time`,
        subtitle: "Line: median of the offers of that day. Band: the middle half. Each day counts what was seen in the week up to it; where nobody asked there is a gap. Older than a quarter: week by week. A jump can be another mix of sellers: the table says how many there were.",
        rows: withRuns(index).map((row) => ({
          day: row.price_date, run: row.run, group: `${words(row.segment)}, ${words(row.pricing_model).toLowerCase()}`, value: row.usd_per_accelerator_hour_median,
          low: row.usd_per_accelerator_hour_p25, high: row.usd_per_accelerator_hour_p75, label: `${row.price_date}, ${words(row.segment)}`, text: usd(row.usd_per_accelerator_hour_median),
          detail: `${usd(row.usd_per_accelerator_hour_min)} to ${usd(row.usd_per_accelerator_hour_max)}; ${plural(row.n_offers, "offer")} of ${plural(row.n_providers, "seller")}`,
        })),
        tableRows: index, rowKey: (row) => `${row.price_date}|${row.segment}|${row.pricing_model}`,
        columns: [
          column.day("price_date", "Day"), column.words("segment", "Segment"), column.words("pricing_model", "Pricing"), column.usd("usd_per_accelerator_hour_median", "Median"),
          column.usd("usd_per_accelerator_hour_min", "Lowest"), column.usd("usd_per_accelerator_hour_p25", "Lower quarter"), column.usd("usd_per_accelerator_hour_p75", "Upper quarter"),
          column.usd("usd_per_accelerator_hour_max", "Highest"), column.integer("n_offers", "Offers"), column.integer("n_providers", "Sellers"),
        ],
        empty: `No dated price of ${name} is known to the day: prices of which only the month or year is known are in force, but not on the time line.`,
      }),
      figure({
        name: "sellers",
        kind: "ranked",
        title: `${name}: who rents it, and for how much`,
        subtitle: `Offers in force at ${built()}. Bar: cheapest offer. Tick: median. Line: to the dearest. An age says when a price was last seen: it is no quote of today.`,
        words: { unit: "US$ per accelerator-hour" },
        rows: offers.map((row, position) => ({
          key: `${row.provider}|${row.pricing_model}`, position, group: words(row.pricing_model), label: `${providerName(row.provider)}, ${words(row.pricing_model).toLowerCase()}`,
          value: row.usd_per_accelerator_hour_min, low: row.usd_per_accelerator_hour_min, middle: row.usd_per_accelerator_hour_median, high: row.usd_per_accelerator_hour_max,
          text: `${usd(row.usd_per_accelerator_hour_min)}, ${days(row.age_days)} old`, detail: `${plural(row.n_offers, "offer")}, ${row.region || "no region stated"}, seen ${day(row.observed_at)}`,
        })),
        tableRows: offers, rowKey: (row) => `${row.provider}|${row.pricing_model}`, columns: offerColumns,
        empty: `No price in force for ${name}.`,
      }),
      figure({
        name: "across",
        kind: "ranked",
        title: `${words(across)} prices of every accelerator`,
        subtitle: "Cheapest offer of each seller. Bar: cheapest seller. Tick: median seller. Line: to the dearest. Not a ranking of value: accelerators do unlike work in an hour.",
        words: { unit: "US$ per accelerator-hour" },
        rows: everywhere.map((row, position) => ({
          key: row.accelerator_id, position, group: "price", label: acceleratorName(row.accelerator_id), value: row.low, low: row.low, middle: row.middle, high: row.high, text: usd(row.low),
          detail: `${plural(row.sellers, "seller")}; cheapest ${providerName(row.provider)}, ${integer(row.age_days)} days old`,
        })),
        tableRows: everywhere, rowKey: (row) => row.accelerator_id,
        columns: [column.accelerator(), column.usd("low", "Cheapest"), column.usd("middle", "Median seller"), column.usd("high", "Dearest seller"), column.integer("sellers", "Sellers"),
          { key: "provider", title: "Cheapest at", value: (row) => row.provider, text: (value) => providerName(value) }, column.days("age_days", "Age"), column.text("offer_id", "Offer"), column.link("source_url", "Price list")],
      }),
      note("Prices are what sellers list. Those that cannot be compared (no named accelerator, far outside of the band, nothing to rent) stay in the facts with a reason and out of here."),
    ];
  },
};


function withRuns(rows) {
  return [...groupBy(rows, (row) => `${row.segment}|${row.pricing_model}`)].flatMap(([series, ofSeries]) => {
    let run = 0;
    return ofSeries.map((row, i) => {
      if (i && daysBetween(ofSeries[i - 1].price_date, row.price_date) > GAP_DAYS) run += 1;
      return { ...row, run: `${series}|${run}` };
    });
  });
}
