// Prices of one accelerator: its level by month with the sellers behind it, what each asks today, and the index of matched offers.
import { distinct, rowsOf } from "../data.js";
import { isNumber, quote_percentile, quote_standing, quote_words } from "../formulas.js";
import { day, number, plural, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, column, inPricingOrder, levelOf, pricesAsOf, providerName, rangeWords, sellersWords, tiles, words } from "../common.js";

const month = (value) => String(value).slice(0, 7);
const sellerNames = (row) => row.sellers?.split(", ").map(providerName).join(", ") ?? null;
const indexRange = (row) => (row.low === null ? row.uncertainty_basis : `${number(row.low)} to ${number(row.high)}`);

export const pagePrices = {
  id: "prices",
  place: "Prices",
  tab: "One accelerator",
  title: "What does an hour cost, and how did that change?",
  lead: "The price level of one accelerator by month with its range and the sellers behind it, and what each seller asks now.",
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
      options: ({ accelerator }) => inPricingOrder(distinct([...rowsOf("price_index"), ...rowsOf("offers")]
        .filter((row) => row.accelerator_id === accelerator).map((row) => row.pricing_model))).map((model) => [model, words(model)]),
    },
    { name: "region", label: "Region", options: () => distinct(rowsOf("seller_offers").map((row) => row.asked_region)).map((name) => (name ? [name, name] : ["any", "Anywhere"])) },
    { name: "quoted", label: "A price you were quoted", unit: "US$ per accelerator-hour", min: 0, above: 0, max: 1000, step: 0.01, initial: () => null, missing: "none" },
  ],

  view({ accelerator, pricing, region, quoted }) {
    const name = acceleratorName(accelerator);
    const isShown = (row) => row.accelerator_id === accelerator && row.pricing_model === pricing;
    const history = rowsOf("price_history").filter(isShown);
    const levels = history.filter((row) => isNumber(row.usd_per_accelerator_hour));
    const index = rowsOf("price_index").filter(isShown);
    const sellers = rowsOf("seller_offers").filter((row) => isShown(row) && row.asked_region === (region === "any" ? null : region));
    const where = region === "any" ? "" : ` in ${region}`;
    return [
      pricesAsOf(),
      tiles([...quoteTiles(quoted, sellers.filter((row) => row.is_counted), levelOf(accelerator, pricing), where), ...headlineTiles(levelOf(accelerator, pricing), levels, index)]),
      figure({
        name: "price-level",
        kind: "series",
        title: `${name}, ${words(pricing).toLowerCase()}: price level by month`,
        subtitle: "What an average neocloud would ask for an hour, from all sellers with a price in the 90 days before. Band: range of 95 %. Pale: fewer than three sellers.",
        unit: "US$ per accelerator-hour", x: { scale: "time" }, isJoined: true,
        // a range of one or two sellers may be so wide that it would flatten the chart: the table has it
        top: 2 * Math.max(...levels.map((row) => row.usd_per_accelerator_hour)),
        rows: levels.map((row) => ({
          x: row.as_of, series: "level", group: "price level", value: row.usd_per_accelerator_hour, isPale: row.n_sellers < 3,
          low: row.usd_per_accelerator_hour_low, high: row.usd_per_accelerator_hour_high,
          label: `${name}, ${day(row.as_of)}`, text: `${usd(row.usd_per_accelerator_hour)}, ${rangeWords(row.usd_per_accelerator_hour_low, row.usd_per_accelerator_hour_high)}`,
          detail: `${sellersWords(row.n_sellers)}: ${sellerNames(row)}`,
        })),
        tableRows: [...history].reverse(), rowKey: (row) => row.as_of,
        columns: [
          column.day("as_of", "On"), column.usd("usd_per_accelerator_hour", "Price level, $/h"), column.usd("usd_per_accelerator_hour_low", "low"), column.usd("usd_per_accelerator_hour_high", "high"),
          column.integer("n_sellers", "Sellers"), column.text("sellers", "Sellers by name", { wide: true, node: (row) => sellerNames(row) ?? "–" }),
          column.usd("usd_median_plain", "Plain median"), column.integer("n_sellers_plain", "Sellers of the median"), column.text("reason", "Why no level", { wide: true }),
        ],
        empty: history.length ? `No price level of ${name} in any month: the table has the reasons.` : `No ${words(pricing).toLowerCase()} price of ${name} was seen.`,
      }),
      figure({
        name: "sellers",
        kind: "list",
        title: `${name}, ${words(pricing).toLowerCase()}: cheapest offer of each seller${where}`,
        subtitle: "Offers that count: seen in the 90 days before, of hyperscalers and neoclouds with machines of their own; the table has the others, with the reason. A price is an observation of a past day, not a quote.",
        unit: "US$ per accelerator-hour",
        rows: sellers.filter((row) => !row.reason).map((row) => ({
          key: row.provider, group: row.is_counted ? words(row.segment) : "one price for sites inside and outside", label: providerName(row.provider), value: row.usd_per_accelerator_hour,
          text: `${usd(row.usd_per_accelerator_hour)}, ${day(row.seen_on)}`, detail: `${row.region || "no region stated"}, seen ${day(row.seen_on)}`,
        })),
        tableRows: sellers, rowKey: (row) => row.provider, columns: sellerColumns,
        empty: `No ${words(pricing).toLowerCase()} price of ${name}${where} counts.`,
      }),
      figure({
        name: "price-index",
        kind: "series",
        title: `${name}, ${words(pricing).toLowerCase()}: index of the same offers`,
        subtitle: "Mean change of the same offers from month to month, one vote per seller, chained; 100 is the first month with three matched sellers. Sellers that come and go move nothing. Band: 95 % range by leaving out one seller at a time. Pale: fewer than three sellers matched.",
        unit: "first month with three sellers = 100", x: { scale: "time" }, isJoined: true,
        rows: index.filter((row) => row.index !== null).map((row) => ({
          x: row.month, series: row.base_month, group: "index", value: row.index, low: row.low, high: row.high, isPale: row.is_marked,
          label: month(row.month), text: number(row.index),
          detail: [indexRange(row), `${plural(row.n_matched, "offer")} of ${plural(row.n_sellers, "seller")} matched`, row.moved_by].filter(Boolean).join("; "),
        })),
        tableRows: index, rowKey: (row) => row.month,
        columns: [
          { key: "month", title: "Month", value: (row) => row.month, text: month },
          column.number("index", "Index"), column.number("low", "Low"), column.number("high", "High"), column.text("uncertainty_basis", "Range from"),
          column.day("base_month", "100 in"), column.integer("n_sellers", "Sellers matched"), column.integer("n_matched", "Offers matched"),
          column.text("moved_by", "Moved by more than 5 %", { wide: true }), column.number("tpd_check", "Check (time-product dummy)"), column.text("reason", "No index because", { wide: true }),
        ],
        empty: index.length ? `No index of ${name}: ${distinct(index.map((row) => row.reason)).join("; ")}.` : `No offer of ${name} was seen in two months.`,
      }),
    ];
  },
};

const sellerColumns = [
  { key: "provider", title: "Seller", value: (row) => row.provider, text: (value) => providerName(value) }, column.words("segment", "Segment"),
  column.usd("usd_per_accelerator_hour", "US$ per accelerator-hour"), column.text("reason", "Does not count because", { wide: true }),
  column.text("sites", "Sites", { wide: true }), column.text("region", "Region"), column.text("country", "Country"), column.integer("machine_accelerators", "Size"), column.text("instance_type", "Machine"),
  column.day("seen_on", "Last seen"), column.days("days_before", "Age"), column.text("offer_id", "Offer"), column.link("source_url", "Price list"),
];

/** Where a quoted price lies among the sellers that count, as in price_quote. */
function quoteTiles(quoted, sellers, level, where) {
  if (!isNumber(quoted)) return [];
  const charged = sellers.map((row) => row.usd_per_accelerator_hour);
  const [below, above] = [charged.filter((price) => price < quoted), charged.filter((price) => price > quoted)];
  const [low, high] = [level?.seller_price_low ?? level?.usd_per_accelerator_hour_low, level?.seller_price_high ?? level?.usd_per_accelerator_hour_high];
  const percentile = quote_percentile(below.length, above.length, charged.length);
  const standing = quote_standing(quoted, percentile, low, high);
  return [[`A quote of ${usd(quoted)}`, quote_words(standing),
    `lower: ${below.length} of ${plural(charged.length, "seller")}${where}; higher: ${above.length}; percentile ${isNumber(percentile) ? number(percentile) : "not known"}`,
    level && `another seller would charge ${rangeWords(low, high)}`]];
}

/** The level today, the level a year and more before, and the change of the same offers. */
function headlineTiles(now, levels, index) {
  const at = (date) => levels.find((row) => day(row.as_of) === date);
  const [first] = levels.filter((row) => row.n_sellers >= 3);
  const before = at("2024-01-01") ?? first;
  const chained = index.filter((row) => row.index !== null);
  return [
    ["Price level now", now ? `${usd(now.usd_per_accelerator_hour)} an hour` : "no price level",
      now && `${rangeWords(now.usd_per_accelerator_hour_low, now.usd_per_accelerator_hour_high)}, ${sellersWords(now.n_sellers)}`],
    before && [`On ${day(before.as_of)}`, `${usd(before.usd_per_accelerator_hour)} an hour`,
      `${rangeWords(before.usd_per_accelerator_hour_low, before.usd_per_accelerator_hour_high)}, ${sellersWords(before.n_sellers)}${now ? `; now ${times(now.usd_per_accelerator_hour / before.usd_per_accelerator_hour)} of it` : ""}`],
    chained.length > 1 && ["The same offers", `${number(chained.at(-1).index)} of 100`, `index of ${month(chained.at(-1).month)} against ${month(chained.at(-1).base_month)}, ${indexRange(chained.at(-1))}`],
  ].filter(Boolean);
}
