// Price levels of all accelerators, and how expensive each cloud is.
import { distinct, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { plural, times, usd } from "../format.js";
import { figure } from "../chart.js";
import { column, inPricingOrder, partName, pricesAsOf, providerName, rangeWords, sellersWords, words } from "../common.js";

export const pageLevels = {
  id: "price-levels",
  place: "Prices",
  tab: "All accelerators and clouds",
  title: "What does each accelerator cost, and which cloud is expensive?",
  lead: "The newest price level of every accelerator, and each seller against an average neocloud.",
  controls: [
    { name: "pricing", label: "Pricing", options: () => inPricingOrder(distinct(rowsOf("price_levels").map((row) => row.pricing_model))).map((model) => [model, words(model)]) },
  ],

  view({ pricing }) {
    const parts = rowsOf("price_levels").filter((row) => row.pricing_model === pricing)
      .sort((a, b) => Boolean(a.reason) - Boolean(b.reason) || (a.reason ? a.usd_median_plain - b.usd_median_plain : a.usd_per_accelerator_hour - b.usd_per_accelerator_hour));
    const clouds = rowsOf("seller_levels").filter((row) => row.pricing_model === pricing);
    return [
      pricesAsOf(),
      figure({
        name: "price-levels",
        kind: "list",
        title: `${words(pricing)}: price level of every accelerator`,
        subtitle: "Point: what an average neocloud would ask for an hour, from the sellers that connect an accelerator with others; band: its range; where ranges overlap, no order is claimed; tick: cheapest seller. Accelerators without a level follow, at the plain median of their own sellers. Not a ranking of value: accelerators differ in work per hour.",
        unit: "US$ per accelerator-hour",
        rows: parts.map((row) => ({
          key: row.accelerator_id, group: row.reason ? "plain median of sellers (no price level)" : "price level", label: partName(row.accelerator_id),
          value: row.reason ? row.usd_median_plain : row.usd_per_accelerator_hour, low: row.usd_per_accelerator_hour_low, middle: row.usd_cheapest, high: row.usd_per_accelerator_hour_high,
          text: `${usd(row.reason ? row.usd_median_plain : row.usd_per_accelerator_hour)}${row.n_sellers === 1 ? ", one seller" : ""}`,
          detail: [row.reason ? `no price level: ${row.reason}` : `${rangeWords(row.usd_per_accelerator_hour_low, row.usd_per_accelerator_hour_high)}, ${sellersWords(row.n_sellers)}`,
            isNumber(row.seller_price_low) && `one more neocloud would charge ${rangeWords(row.seller_price_low, row.seller_price_high)}`,
            isNumber(row.usd_cheapest) && `cheapest ${usd(row.usd_cheapest)} at ${providerName(row.cheapest_provider)}`,
            isNumber(row.usd_median_plain) && `plain median ${usd(row.usd_median_plain)} of ${sellersWords(row.n_sellers_plain)}`].filter(Boolean).join("; "),
        })),
        tableRows: parts, rowKey: (row) => row.accelerator_id,
        columns: [column.accelerator(), column.usd("usd_per_accelerator_hour", "Price level"), column.usd("usd_per_accelerator_hour_low", "low"), column.usd("usd_per_accelerator_hour_high", "high"), column.integer("n_sellers", "Sellers of the level"),
          column.usd("seller_price_low", "One seller, low"), column.usd("seller_price_high", "high"), column.number("discount", "Term ÷ on demand", times),
          column.number("relative_to_h100", "Against H100 SXM", times), column.number("relative_to_h100_low", "low", times), column.number("relative_to_h100_high", "high", times),
          column.usd("usd_cheapest", "Cheapest"), { key: "cheapest_provider", title: "at", value: (row) => row.cheapest_provider, text: (value) => providerName(value) },
          column.usd("usd_median_plain", "Plain median"), column.integer("n_sellers_plain", "Sellers of the median"), column.days("oldest_days_before", "Oldest price inside"), column.percent("moved_since_oldest_pct", "Prices moved since then by"),
          column.text("sellers", "Sellers by name", { wide: true }), column.text("far_sellers", "Far from the fit", { wide: true }), column.text("reason", "Why no level", { wide: true }), column.text("cheapest_offer_id", "Cheapest offer")],
        empty: `No accelerator has a recent price under ${words(pricing).toLowerCase()} pricing.`,
      }),
      figure({
        name: "clouds",
        kind: "list",
        title: `${words(pricing)}: how expensive is this cloud?`,
        subtitle: "Prices of a seller against an average neocloud (1×), on demand, over the accelerators with HBM that it lists. Band: range of 95 %.",
        unit: "times an average neocloud",
        rows: clouds.map((row) => ({
          key: row.provider, group: words(row.segment), label: providerName(row.provider), value: row.factor, low: row.factor_low, high: row.factor_high,
          text: times(row.factor), detail: `${rangeWords(row.factor_low, row.factor_high, times)}, over ${plural(row.n_accelerators, "accelerator")}`,
        })),
        tableRows: clouds, rowKey: (row) => row.provider,
        columns: [{ key: "provider", title: "Seller", value: (row) => row.provider, text: (value) => providerName(value) }, column.words("segment", "Segment"), column.number("factor", "Against an average neocloud", times),
          column.number("factor_low", "low", times), column.number("factor_high", "high", times), column.integer("n_accelerators", "Accelerators"),
          column.text("far_accelerators", "Far from the fit", { wide: true }), column.day("as_of", "As of")],
        empty: `Too few sellers list two accelerators under ${words(pricing).toLowerCase()} pricing to compare them.`,
      }),
    ];
  },
};
