// Typical prices of all accelerators, and how expensive each cloud is.

addPage({
  id: "price-levels",
  place: "Prices",
  tab: "All accelerators and clouds",
  title: "What does each accelerator cost, and which cloud is expensive?",
  lead: "The typical price of every accelerator today, and how expensive each cloud is.",
  find: "price list|cheapest cloud|typical price",
  controls: [
    pricingChoice(() => idsOf("price_levels", "pricing_model")),
  ],

  view({ pricing }) {
    const parts = rowsOf("price_levels").filter((row) => row.pricing_model === pricing)
      .sort((a, b) => Boolean(a.reason) - Boolean(b.reason) || (a.reason ? a.usd_median_plain - b.usd_median_plain : a.usd_per_accelerator_hour - b.usd_per_accelerator_hour));
    const clouds = rowsOf("seller_levels").filter((row) => row.pricing_model === pricing);
    return [
      figure({
        name: "price-levels",
        title: `${words(pricing)}: typical price of every accelerator`,
        subtitle: "The point is what a typical neocloud charges for an hour, the band its range, the tick the cheapest seller. Accelerators whose sellers cannot be compared follow at their own median. This ranks prices, not value: accelerators differ in work per hour.",
        unit: "US$ per accelerator-hour",
        rows: parts.map((row) => ({
          key: row.accelerator_id, group: row.reason ? "median over sellers (no typical price)" : "typical price", label: partName(row.accelerator_id),
          value: row.reason ? row.usd_median_plain : row.usd_per_accelerator_hour, low: row.usd_per_accelerator_hour_low, middle: row.usd_cheapest, high: row.usd_per_accelerator_hour_high,
          text: `${usd(row.reason ? row.usd_median_plain : row.usd_per_accelerator_hour)}${row.n_sellers === 1 ? ", one seller" : ""}`,
          detail: [row.reason ? `no typical price: ${row.reason}` : `${rangeWords(row.usd_per_accelerator_hour_low, row.usd_per_accelerator_hour_high)}, ${sellersWords(row.n_sellers)}`,
            isNumber(row.seller_price_low) && `one more neocloud would charge ${rangeWords(row.seller_price_low, row.seller_price_high)}`,
            isNumber(row.usd_cheapest) && `cheapest ${usd(row.usd_cheapest)} at ${providerName(row.cheapest_provider)}`,
            isNumber(row.usd_median_plain) && `median over sellers ${usd(row.usd_median_plain)} of ${sellersWords(row.n_sellers_plain)}`].filter(Boolean).join("; "),
        })),
        tableRows: parts,
        columns: columns(`accelerator_id|usd_per_accelerator_hour± Typical price, $/h|n_sellers|usd_cheapest Cheapest, $/h|cheapest_provider At|relative_to_h100±:times Against H100 SXM|seller_price_low:usd One more seller, low|seller_price_high:usd One more seller, high
          |discount:times Term ÷ on demand|usd_median_plain|n_sellers_plain|oldest_days_before:days Oldest price inside|moved_since_oldest_pct Prices moved since then by|sellers Sellers by name
          |far_sellers Far from the fit|reason Why no typical price|cheapest_offer_id Cheapest offer`),
        empty: `No accelerator has a recent price under ${lower(pricing)} pricing.`,
      }),
      figure({
        name: "clouds",
        title: `${words(pricing)}: how expensive is this cloud?`,
        subtitle: "On-demand prices of a seller against a typical neocloud (1×), over the accelerators with HBM that it lists. The band is the 95 % range.",
        unit: "times an average neocloud",
        rows: clouds.map((row) => ({
          ...bar(row, "factor", times), key: row.provider, group: words(row.segment), label: providerName(row.provider), detail: `${rangeWords(row.factor_low, row.factor_high, times)}, over ${plural(row.n_accelerators, "accelerator")}`,
        })),
        tableRows: clouds, rowKey: "provider",
        columns: columns(`provider|segment|factor±:times Against an average neocloud|n_accelerators Accelerators|far_accelerators Far from the fit|as_of`),
        empty: `Too few sellers list two accelerators under ${lower(pricing)} pricing to compare them.`,
      }),
    ];
  },
});
