// Prices of one accelerator: its level by month with the sellers behind it, what each asks today, and the index of matched offers.

const pricedParts = () => [...rowsOf("price_index"), ...rowsOf("offers")];
const month = (value) => String(value).slice(0, 7);
const sellerNames = (row) => row.sellers?.split(", ").map(providerName).join(", ") ?? null;
const indexRange = (row) => (row.low === null ? row.uncertainty_basis : `${number(row.low)} to ${number(row.high)}`);

/** Rows by month with the run they belong to: a month whose value is that of the month before had no new price, and ends a run. */
function withGaps(rows, valueOf) {
  let run = 0;
  return rows.map((row, i) => {
    const value = valueOf(row);
    const isCarried = i > 0 && isNumber(value) && value === valueOf(rows[i - 1]);
    if (isCarried || !isNumber(value)) run += 1;
    return { ...row, run, is_carried: isCarried };
  });
}

addPage({
  id: "prices",
  place: "Prices",
  tab: "One accelerator",
  title: "What does an hour cost, and how did that change?",
  lead: "The typical neocloud price of one accelerator, its history, and what each seller charges. A neocloud is a GPU-only cloud such as Nebius or CoreWeave.",
  find: "price history|quote|price index|hourly price",
  controls: [
    choice("accelerator", "Accelerator", () => pricedParts().map((row) => row.accelerator_id), acceleratorName, "nvidia-h100-sxm-80gb", { resets: ["pricing"] }),
    pricingChoice(({ accelerator }) => pricedParts().filter((row) => row.accelerator_id === accelerator).map((row) => row.pricing_model)),
    { name: "region", label: "Region", options: () => distinct(rowsOf("seller_offers").map((row) => row.asked_region)).map((name) => (name ? [name, name] : ["any", "Anywhere"])) },
    { name: "quoted", label: "A price you were quoted", unit: "US$ per accelerator-hour", min: 0, above: 0, max: 1000, step: 0.01, initial: () => null, missing: "none" },
  ],

  view({ accelerator, pricing, region, quoted }) {
    const name = acceleratorName(accelerator);
    const what = `${name}, ${lower(pricing)}`;
    const isShown = (row) => row.accelerator_id === accelerator && row.pricing_model === pricing;
    const history = withGaps(rowsOf("price_history").filter(isShown), (row) => row.usd_per_accelerator_hour);
    const levels = history.filter((row) => isNumber(row.usd_per_accelerator_hour));
    const index = withGaps(rowsOf("price_index").filter(isShown), (row) => row.index);
    const sellers = rowsOf("seller_offers").filter((row) => isShown(row) && row.asked_region === (region === "any" ? null : region));
    const where = region === "any" ? "" : ` in ${region}`;
    return [
      tiles([...quoteTiles(quoted, sellers.filter((row) => row.is_counted), levelOf(accelerator, pricing), where), ...headlineTiles(levelOf(accelerator, pricing), levels, index)]),
      figure({
        name: "price-level",
        kind: "series",
        title: `${what}: typical price by month`,
        subtitle: "What a typical neocloud charges for an hour, from all sellers with a price in the 90 days before. The band is the 95 % range. Pale: fewer than three sellers. Months without a new price are gaps.",
        unit: "US$ per accelerator-hour", x: { scale: "time" }, isJoined: true,
        // a range of one or two sellers may be so wide that it would flatten the chart: the table has it
        top: 2 * Math.max(...levels.map((row) => row.usd_per_accelerator_hour)),
        rows: levels.filter((row) => !row.is_carried).map((row) => ({
          x: row.as_of, series: row.run, group: "typical price", value: row.usd_per_accelerator_hour, isPale: row.n_sellers < 3,
          low: row.usd_per_accelerator_hour_low, high: row.usd_per_accelerator_hour_high,
          label: `${name}, ${day(row.as_of)}`, text: `${usd(row.usd_per_accelerator_hour)}, ${rangeWords(row.usd_per_accelerator_hour_low, row.usd_per_accelerator_hour_high)}`,
          detail: `${sellersWords(row.n_sellers)}: ${sellerNames(row)}`,
        })),
        tableRows: [...history].reverse(), rowKey: "as_of",
        columns: columns("as_of On|usd_per_accelerator_hour± Typical price, $/h|n_sellers|usd_median_plain|n_sellers_plain|is_carried:yes No new price since the month before|sellers Sellers by name|reason Why no typical price", { sellers: { show: (_, row) => sellerNames(row) ?? "–" } }),
        empty: history.length ? `No typical price of ${name} in any month: the table has the reasons.` : `No ${lower(pricing)} price of ${name} was seen.`,
      }),
      figure({
        name: "sellers",
        title: `${what}: cheapest offer of each seller${where}`,
        subtitle: "Offers of hyperscalers and of neoclouds with machines of their own. The table has the others, with the reason why they do not count.",
        unit: "US$ per accelerator-hour",
        rows: sellers.filter((row) => !row.reason).map((row) => ({
          key: row.provider, group: row.is_counted ? words(row.segment) : "one price for sites inside and outside", label: providerName(row.provider), value: row.usd_per_accelerator_hour,
          text: `${usd(row.usd_per_accelerator_hour)}, ${day(row.seen_on)}`, detail: `${row.region || "no region stated"}, seen ${day(row.seen_on)}`,
        })),
        tableRows: sellers, rowKey: "provider", columns: sellerColumns,
        empty: `No ${lower(pricing)} price of ${name}${where} counts.`,
      }),
      figure({
        name: "price-index",
        kind: "series",
        title: `${what}: index of the same offers`,
        subtitle: "How the same offers changed from month to month, each seller counted once. Sellers that come and go do not move it. The band is the 95 % range. Months without a new price are gaps.",
        unit: "first month with three sellers = 100", x: { scale: "time" }, isJoined: true,
        rows: index.filter((row) => row.index !== null && !row.is_carried).map((row) => ({
          x: row.month, series: `${row.base_month} ${row.run}`, group: "index", value: row.index, low: row.low, high: row.high, isPale: row.is_marked,
          label: month(row.month), text: number(row.index),
          detail: [indexRange(row), `${plural(row.n_matched, "offer")} of ${plural(row.n_sellers, "seller")} matched`, row.moved_by].filter(Boolean).join("; "),
        })),
        tableRows: index, rowKey: "month",
        columns: columns("month|index±|n_sellers Sellers matched|n_matched Offers matched|is_carried:yes No new price since the month before|moved_by Moved by more than 5 %|uncertainty_basis Range from|base_month 100 in|tpd_check Check (time-product dummy)|reason No index because", { month: { text: month }, index_low: { key: "low", value: (row) => row.low }, index_high: { key: "high", value: (row) => row.high } }),
        empty: index.length ? `No index of ${name}: ${distinct(index.map((row) => row.reason)).join("; ")}.` : `No offer of ${name} was seen in two months.`,
      }),
    ];
  },
});

const sellerColumns = columns(`provider|usd_per_accelerator_hour|days_before|region|machine_accelerators|reason Does not count because|segment|sites|country|instance_type|seen_on Last seen|offer_id|source_url Price list`);

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

/** The price today, the first one of three sellers, and the change of the same offers. */
function headlineTiles(now, levels, index) {
  const before = levels.find((row) => row.n_sellers >= 3);
  const chained = index.filter((row) => row.index !== null);
  return [
    ["Typical price now", now ? `${usd(now.usd_per_accelerator_hour)} an hour` : "no typical price",
      now && `${rangeWords(now.usd_per_accelerator_hour_low, now.usd_per_accelerator_hour_high)}, ${sellersWords(now.n_sellers)}`],
    before && [`On ${dayWords(before.as_of)}`, `${usd(before.usd_per_accelerator_hour)} an hour`,
      `${rangeWords(before.usd_per_accelerator_hour_low, before.usd_per_accelerator_hour_high)}, ${sellersWords(before.n_sellers)}${now ? `; now ${times(now.usd_per_accelerator_hour / before.usd_per_accelerator_hour)} of it` : ""}`],
    chained.length > 1 && ["The same offers", `${number(chained.at(-1).index)} of 100`, `index of ${month(chained.at(-1).month)} against ${month(chained.at(-1).base_month)}, ${indexRange(chained.at(-1))}`],
  ].filter(Boolean);
}
