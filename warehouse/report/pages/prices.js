// Prices: cost of an accelerator-hour by month and by seller.
import { distinct, groupBy, rowsOf } from "../data.js";
import { median } from "../formulas.js";
import { day, integer, number, plural, usd } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, column, inPricingOrder, note, offerColumns, pricesAsOf, providerName, standingWords, words } from "../common.js";

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
    const everywhere = [...groupBy(rowsOf("offers").filter((row) => row.pricing_model === across && !row.rank_reason), (row) => row.accelerator_id)].map(([id, rows]) => {
      const prices = rows.map((row) => row.usd_per_accelerator_hour_min).sort((a, b) => a - b);
      const cheapest = rows.find((row) => row.usd_per_accelerator_hour_min === prices[0]);
      return { accelerator_id: id, sellers: rows.length, low: prices[0], middle: median(prices), high: prices.at(-1), provider: cheapest.provider,
        price_standing: cheapest.price_standing, days_before: cheapest.days_before, source_url: cheapest.source_url, offer_id: cheapest.offer_id };
    }).sort((a, b) => a.low - b.low);
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
        title: `${words(across)} prices of every accelerator`,
        subtitle: "Cheapest offer of each seller. Bar: cheapest seller. Tick: median seller. Line: to the most expensive. Not a ranking of value: accelerators differ in work per hour.",
        words: { unit: "US$ per accelerator-hour" },
        rows: everywhere.map((row, position) => ({
          key: row.accelerator_id, position, group: "price", label: acceleratorName(row.accelerator_id), value: row.low, low: row.low, middle: row.middle, high: row.high, text: usd(row.low),
          detail: `${plural(row.sellers, "seller")}; cheapest ${providerName(row.provider)}, ${standingWords(row)}`,
        })),
        tableRows: everywhere, rowKey: (row) => row.accelerator_id,
        columns: [column.accelerator(), column.usd("low", "Cheapest"), column.usd("middle", "Median seller"), column.usd("high", "Most expensive seller"), column.integer("sellers", "Sellers"),
          { key: "provider", title: "Cheapest at", value: (row) => row.provider, text: (value) => providerName(value) }, { key: "price_standing", title: "The price is", value: (row) => row.price_standing, text: (_, row) => standingWords(row) }, column.text("offer_id", "Offer"), column.link("source_url", "Price list")],
      }),
      note("Prices are what sellers list. Those that cannot be compared (no named accelerator, far outside of the band, nothing to rent) stay in the facts with a reason and out of here."),
    ];
  },
};


const seriesWords = (row) => `${words(row.segment)}, ${words(row.pricing_model).toLowerCase()}`;
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
