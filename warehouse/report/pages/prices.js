// Prices: cost of an accelerator-hour by month and by seller.
import { distinct, groupBy, rowsOf } from "../data.js";
import { day, number, plural, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, column, inPricingOrder, note, offerColumns, pricesAsOf, providerName, rangeWords, sellersWords, words } from "../common.js";

const month = (value) => String(value).slice(0, 7);

export const pagePrices = {
  id: "prices",
  tab: "Prices",
  title: "What does an hour cost, and how did that change?",
  lead: "How list prices moved by month, and the sellers with a recent price per accelerator-hour in US dollars.",
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
    const chained = index.filter((row) => row.index !== null);
    const all = rowsOf("offers").filter((row) => row.accelerator_id === accelerator && (pricing === "all" || row.pricing_model === pricing))
      .sort((a, b) => Boolean(a.rank_reason) - Boolean(b.rank_reason) || a.usd_per_accelerator_hour_min - b.usd_per_accelerator_hour_min);
    const offers = all.filter((row) => !row.rank_reason);
    const everywhere = rowsOf("price_levels").filter((row) => row.pricing_model === across)
      .sort((a, b) => Boolean(a.reason) - Boolean(b.reason) || (a.reason ? a.usd_median_plain - b.usd_median_plain : a.usd_per_accelerator_hour - b.usd_per_accelerator_hour));
    const clouds = rowsOf("seller_levels").filter((row) => row.pricing_model === across);
    return [
      pricesAsOf(),
      figure({
        name: "price-index",
        kind: "prices",
        title: `${name}: how prices moved`,
        subtitle: "Index by month: mean change of the same offers, one vote per seller, chained; 100 is the first month with three matched sellers. Sellers that come and go move nothing. Band: 95 % range of the change since then, by leaving out one seller at a time. Pale: fewer than three sellers matched.",
        rows: chained.map((row) => ({
          day: row.month, run: `${row.pricing_model}|${row.base_month}`, group: words(row.pricing_model), value: row.index, low: row.low, high: row.high, marked: row.is_marked,
          label: `${month(row.month)}, ${words(row.pricing_model).toLowerCase()}`, text: number(row.index),
          detail: [range(row), `${plural(row.n_matched, "offer")} of ${plural(row.n_sellers, "seller")} matched`, row.moved_by].filter(Boolean).join("; "),
        })),
        words: { unit: "first month with three sellers = 100" },
        tableRows: index, rowKey: monthKey,
        columns: [
          { key: "month", title: "Month", value: (row) => row.month, text: month }, column.words("pricing_model", "Pricing"),
          column.number("index", "Index"), column.number("low", "Low"), column.number("high", "High"), column.text("uncertainty_basis", "Range from"),
          column.day("base_month", "100 in"), column.integer("n_sellers", "Sellers matched"), column.integer("n_matched", "Offers matched"),
          { key: "is_marked", title: "Fewer than three", value: (row) => row.is_marked, text: (value) => (value ? "yes" : "no") },
          column.text("moved_by", "Moved by more than 5 %", { wide: true }), column.number("tpd_check", "Check (time-product dummy)"), column.text("reason", "No index because", { wide: true }),
        ],
        empty: index.length ? `No index of ${name}: ${distinct(index.map((row) => row.reason)).join("; ")}.` : `No offer of ${name} was seen in two months.`,
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
          column.usd("usd_median_plain", "Plain median"), column.integer("n_sellers_plain", "Sellers of the median"), column.days("oldest_days_before", "Oldest price inside"), column.percent("moved_since_oldest_pct", "Prices moved since then by"),
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
          key: cloudKey(row), position, group: words(row.segment), label: `${providerName(row.provider)}${row.memory_group === "hbm" ? "" : ", parts without HBM"}`, value: row.factor, low: row.factor_low, middle: row.factor, high: row.factor_high,
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

const monthKey = (row) => `${row.month}|${row.pricing_model}`;
const range = (row) => (row.low === null ? row.uncertainty_basis : `${number(row.low)} to ${number(row.high)}`);
const cloudKey = (row) => `${row.provider}|${row.memory_group}`;
