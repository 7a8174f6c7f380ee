// Prices: cost of an accelerator-hour by month and by seller.
import { distinct, groupBy, rowsOf } from "../data.js";
import { day, number, plural, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, column, inPricingOrder, note, offerColumns, pricesAsOf, providerName, rangeWords, sellersWords, words } from "../common.js";

const month = (value) => String(value).slice(0, 7);
const monthsBetween = (a, b) => (Number(b.slice(0, 4)) - Number(a.slice(0, 4))) * 12 + Number(b.slice(5, 7)) - Number(a.slice(5, 7));

export const pagePrices = {
  id: "prices",
  tab: "Prices",
  title: "What does an hour cost, and how did that change?",
  lead: "List prices per accelerator-hour in US dollars by month and segment, and the sellers with a recent price.",
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
      initial: (_, options) => options.find(([model]) => model === "on_demand")?.[0],
    },
    { name: "across", label: "Across accelerators", options: () => inPricingOrder(distinct(rowsOf("offers").map((row) => row.pricing_model))).map((model) => [model, words(model)]) },
  ],

  view({ accelerator, pricing, across }) {
    const name = acceleratorName(accelerator);
    const index = rowsOf("price_index").filter((row) => row.accelerator_id === accelerator && (pricing === "all" || row.pricing_model === pricing));
    const matched = index.filter((row) => row.matched !== null);
    const all = rowsOf("offers").filter((row) => row.accelerator_id === accelerator && (pricing === "all" || row.pricing_model === pricing))
      .sort((a, b) => Boolean(a.rank_reason) - Boolean(b.rank_reason) || a.usd_per_accelerator_hour_min - b.usd_per_accelerator_hour_min);
    const offers = all.filter((row) => !row.rank_reason);
    const everywhere = rowsOf("price_levels").filter((row) => row.pricing_model === across)
      .sort((a, b) => Boolean(a.reason) - Boolean(b.reason) || (a.reason ? a.usd_median_plain - b.usd_median_plain : a.usd_per_accelerator_hour - b.usd_per_accelerator_hour));
    const clouds = rowsOf("seller_levels").filter((row) => row.pricing_model === across);
    return [
      pricesAsOf(),
      figure({
        name: "price-level",
        kind: "prices",
        title: `${name}: US$ per accelerator-hour by month`,
        subtitle: "Median over the sellers of a month, one vote each. Band: cheapest to most expensive seller. A line joins consecutive months with the same sellers.",
        rows: withRuns(index).map((row) => ({
          day: row.price_month, run: row.run, group: seriesWords(row), value: row.level, low: row.level_low, high: row.level_high,
          label: `${month(row.price_month)}, ${words(row.segment)}`, text: usd(row.level),
          detail: `${usd(row.level_low)} to ${usd(row.level_high)}; ${plural(row.n_offers, "offer")} of ${plural(row.n_providers, "seller")}`,
        })),
        words: { unit: "US$ per accelerator-hour" },
        tableRows: index, rowKey: monthKey,
        columns: [
          ...monthColumns, column.usd("level", "Median of sellers"), column.usd("level_low", "Cheapest seller"), column.usd("level_high", "Dearest seller"),
          column.integer("n_offers", "Offers"), column.integer("n_providers", "Sellers"),
        ],
        empty: `No dated price of ${name} is known to the month.`,
      }),
      figure({
        name: "price-matched",
        kind: "prices",
        title: `${name}: how the same offers moved`,
        subtitle: "Index by month: median price ratio of the offers that were seen in both of two months, one vote per seller, chained. 100 is the first month of each chain. Sellers that come and go move nothing; a month without an offer in common with another is a gap.",
        rows: matched.map((row) => ({
          day: row.price_month, run: `${row.segment}|${row.pricing_model}|${row.base_month}`, group: seriesWords(row), value: row.matched, low: row.matched, high: row.matched,
          label: `${month(row.price_month)}, ${words(row.segment)}`, text: number(row.matched),
          detail: row.matched_month ? `${plural(row.n_matched, "offer")} seen in ${month(row.matched_month)} too; ${month(row.base_month)} = 100` : "start of a chain",
        })),
        words: { unit: "first month of the chain = 100" },
        tableRows: matched, rowKey: monthKey,
        columns: [
          ...monthColumns, column.number("matched", "Index"), column.day("base_month", "100 in"), column.day("matched_month", "Compared with"), column.integer("n_matched", "Offers in common"),
        ],
        empty: `No offer of ${name} was seen in two months.`,
      }),
      figure({
        name: "sellers",
        kind: "ranked",
        title: `${name}: sellers and prices`,
        subtitle: "Recent offers. Bar: cheapest offer. Tick: median. Line: to the most expensive. A price is an observation of a past day, not a quote; old prices and those of an unknown day are in the table only.",
        words: { unit: "US$ per accelerator-hour" },
        rows: offers.map((row, position) => ({
          key: `${row.provider}|${row.pricing_model}`, position, group: words(row.pricing_model), label: `${providerName(row.provider)}, ${words(row.pricing_model).toLowerCase()}`,
          value: row.usd_per_accelerator_hour_min, low: row.usd_per_accelerator_hour_min, middle: row.usd_per_accelerator_hour_median, high: row.usd_per_accelerator_hour_max,
          text: `${usd(row.usd_per_accelerator_hour_min)}, seen ${day(row.observed_at)}`, detail: `${plural(row.n_offers, "offer")}, ${row.region || "no region stated"}, seen ${day(row.observed_at)}`,
        })),
        tableRows: all, rowKey: (row) => `${row.provider}|${row.pricing_model}`, columns: offerColumns,
        empty: `No recent price of ${name}.`,
      }),
      figure({
        name: "across",
        kind: "ranked",
        title: `${words(across)}: price level of every accelerator`,
        subtitle: "Bar: price level, what an average neocloud would ask for an hour, from the sellers that connect an accelerator with others. Line: its range; where ranges overlap, no order is claimed. Tick: cheapest seller. Accelerators without a level follow, at the plain median of their own sellers. Not a ranking of value: accelerators differ in work per hour.",
        words: { unit: "US$ per accelerator-hour" },
        rows: everywhere.map((row, position) => ({
          key: row.accelerator_id, position, group: row.reason ? "plain median of sellers (no price level)" : "price level", label: acceleratorName(row.accelerator_id),
          value: row.reason ? row.usd_median_plain : row.usd_per_accelerator_hour, low: row.usd_per_accelerator_hour_low, middle: row.usd_cheapest, high: row.usd_per_accelerator_hour_high,
          text: `${usd(row.reason ? row.usd_median_plain : row.usd_per_accelerator_hour)}${row.n_sellers === 1 ? ", one seller" : ""}`,
          detail: [row.reason ? `no price level: ${row.reason}` : `${rangeWords(row.usd_per_accelerator_hour_low, row.usd_per_accelerator_hour_high)}, ${sellersWords(row.n_sellers)}`,
            `cheapest ${usd(row.usd_cheapest)} at ${providerName(row.cheapest_provider)}`, `plain median ${usd(row.usd_median_plain)} of ${sellersWords(row.n_sellers_plain)}`].join("; "),
        })),
        tableRows: everywhere, rowKey: (row) => row.accelerator_id,
        columns: [column.accelerator(), column.usd("usd_per_accelerator_hour", "Price level"), column.usd("usd_per_accelerator_hour_low", "low"), column.usd("usd_per_accelerator_hour_high", "high"), column.integer("n_sellers", "Sellers of the level"),
          column.number("relative_to_h100", "Against H100 SXM", times), column.number("relative_to_h100_low", "low", times), column.number("relative_to_h100_high", "high", times),
          column.usd("usd_cheapest", "Cheapest"), { key: "cheapest_provider", title: "at", value: (row) => row.cheapest_provider, text: (value) => providerName(value) },
          column.usd("usd_median_plain", "Plain median"), column.integer("n_sellers_plain", "Sellers of the median"), column.days("oldest_days_before", "Oldest price inside"),
          column.text("sellers", "Sellers by name", { wide: true }), column.text("far_sellers", "Far from the fit", { wide: true }), column.text("reason", "Why no level", { wide: true }), column.text("cheapest_offer_id", "Cheapest offer")],
        empty: `No accelerator has a recent price under ${words(across).toLowerCase()} pricing.`,
      }),
      figure({
        name: "clouds",
        kind: "ranked",
        title: `${words(across)}: how dear is this cloud?`,
        subtitle: "Prices of a seller against an average neocloud (1×), over the accelerators that it lists. Line: range of 95 %.",
        words: { unit: "times an average neocloud" },
        rows: clouds.map((row, position) => ({
          key: cloudKey(row), position, group: words(row.segment), label: `${providerName(row.provider)}${row.memory_group === "hbm" ? "" : ", parts without HBM"}`, value: row.factor, low: row.factor_low, middle: null, high: row.factor_high,
          text: times(row.factor), detail: `${rangeWords(row.factor_low, row.factor_high, times)}, over ${plural(row.n_accelerators, "accelerator")}`,
        })),
        tableRows: clouds, rowKey: cloudKey,
        columns: [{ key: "provider", title: "Seller", value: (row) => row.provider, text: (value) => providerName(value) }, column.words("segment", "Segment"), column.number("factor", "Against an average neocloud", times),
          column.number("factor_low", "low", times), column.number("factor_high", "high", times), column.integer("n_accelerators", "Accelerators"),
          { key: "memory_group", title: "Parts", value: (row) => row.memory_group, text: (value) => (value === "hbm" ? "with HBM" : "without HBM") },
          column.text("far_accelerators", "Far from the fit", { wide: true }), column.day("as_of", "As of")],
        empty: `Too few sellers list two accelerators under ${words(across).toLowerCase()} pricing to compare them.`,
      }),
      note("Prices are what sellers list. Those that cannot be compared (no named accelerator, far outside of the band, nothing to rent) stay in the facts with a reason and out of here."),
    ];
  },
};


const seriesWords = (row) => `${words(row.segment)}, ${words(row.pricing_model).toLowerCase()}`;
const cloudKey = (row) => `${row.provider}|${row.memory_group}`;
const monthKey = (row) => `${row.price_month}|${row.segment}|${row.pricing_model}`;
const monthColumns = [
  { key: "price_month", title: "Month", value: (row) => row.price_month, text: month }, column.words("segment", "Segment"), column.words("pricing_model", "Pricing"),
];

/** A line is broken where the sellers change or a month is missing. */
function withRuns(rows) {
  return [...groupBy(rows, (row) => `${row.segment}|${row.pricing_model}`)].flatMap(([series, ofSeries]) => {
    let run = 0;
    return ofSeries.map((row, i) => {
      if (i && !(row.is_same_sellers && monthsBetween(ofSeries[i - 1].price_month, row.price_month) === 1)) run += 1;
      return { ...row, run: `${series}|${run}` };
    });
  });
}
