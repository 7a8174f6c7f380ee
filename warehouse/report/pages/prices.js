// Prices: cost of an accelerator-hour by month and by seller.
import { distinct, groupBy, rowsOf } from "../data.js";
import { median } from "../formulas.js";
import { day, integer, number, plural, usd } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, column, inPricingOrder, note, offerColumns, pricesAsOf, providerName, standingWords, words } from "../common.js";

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
    const everywhere = [...groupBy(rowsOf("offers").filter((row) => row.pricing_model === across && !row.rank_reason), (row) => row.accelerator_id)].map(([id, rows]) => {
      const prices = rows.map((row) => row.usd_per_accelerator_hour_min).sort((a, b) => a - b);
      const cheapest = rows.find((row) => row.usd_per_accelerator_hour_min === prices[0]);
      return { accelerator_id: id, sellers: rows.length, low: prices[0], middle: median(prices), high: prices.at(-1), provider: cheapest.provider,
        price_standing: cheapest.price_standing, days_before: cheapest.days_before, source_url: cheapest.source_url, offer_id: cheapest.offer_id };
    }).sort((a, b) => a.low - b.low);
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

const monthKey = (row) => `${row.month}|${row.pricing_model}`;
const range = (row) => (row.low === null ? row.uncertainty_basis : `${number(row.low)} to ${number(row.high)}`);
