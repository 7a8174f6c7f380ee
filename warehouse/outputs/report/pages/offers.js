// Every offer of every price source as a table, with filters; offers excluded from comparisons have a reason.

const ROWS_SHOWN = 200;
const SIZES = { all: ["Any", () => true], one: ["1", (n) => n === 1], few: ["2 to 7", (n) => n >= 2 && n < 8], eight: ["8", (n) => n === 8], more: ["more than 8", (n) => n > 8] };
const AGES = [["current", null], ["7", "7 days"], ["90", "90 days"], ["365", "1 year"], ["all", "Any time; ended ones too"]];
/** Days before the newest price up to which an offer is shown; ended offers are shown only at any age. */
const isInAge = (row, age) => age === "all" || (row.valid_to === null && row.days_before <= (age === "current" ? rowsOf("defaults")[0].current_days : Number(age)));

const isDataCentre = (row) => Boolean(rowBy("parts", "accelerator_id", row.accelerator_id)?.memory_type?.startsWith("HBM"));
const releasedOn = (row) => rowBy("accelerators", "accelerator_id", row.accelerator_id)?.release_date ?? "";
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
// what a buyer looks for first: accelerators with high-bandwidth memory, the newest first
const newestFirst = (a, b) => isDataCentre(b) - isDataCentre(a) || byText(releasedOn(b), releasedOn(a)) || byText(a.accelerator_id ?? "~", b.accelerator_id ?? "~")
  || (a.usd_per_accelerator_hour ?? Infinity) - (b.usd_per_accelerator_hour ?? Infinity);

/** Searchable text of an offer, in lower case. */
const searched = new Map();
function textOf(row) {
  if (!searched.has(row.offer_id)) {
    searched.set(row.offer_id, [
      row.accelerator_id, row.accelerator_id && acceleratorName(row.accelerator_id), row.accelerator_published, row.provider,
      providerName(row.provider), row.instance_type, row.variant, row.region, row.country, row.pricing_model, row.operating_system,
      row.exclusion_reason, row.source, row.offer_id,
    ].filter(Boolean).join(" ").toLowerCase());
  }
  return searched.get(row.offer_id);
}

const offerTableColumns = columns(`accelerator_id|usd_per_accelerator_hour|provider|days_before|machine_accelerators|region|pricing_model|country|last_seen_at Last seen|instance_type
  |exclusion_reason Why not compared|source From|source_url Price list|accelerator_published Accelerator, as listed|size_basis Size is|variant|operating_system System|is_comparable:yes Compared|is_unusual:yes Unusual
  |price Price as listed|currency|price_unit For an|valid_from First seen|observed_precision Date is known to the|valid_to Ended|ended_because Because|offer_id|payload_sha256`, {
  accelerator_id: { show: (value, row) => (value ? shortName(value) : foreign(row.accelerator_published)) }, price: { show: (value) => (isNumber(value) ? String(value) : "–") },
});

addPage({
  id: "offers",
  place: "Prices",
  tab: "Offers",
  title: "What do sellers offer?",
  lead: "The last price of every offer that was seen. A price is an observation of a past day, not a quote.",
  find: "sellers|instances|regions",
  controls: [
    FIND,
    filterOf("accelerator", "Accelerator", "all_offers", "accelerator_id", acceleratorName),
    filterOf("seller", "Seller", "all_offers", "provider", providerName),
    { name: "place", label: "Region", options: () => placeOptions(rowsOf("all_offers")) },
    { name: "pricing", label: "Pricing", options: () => [...inPricingOrder(distinct(rowsOf("all_offers").map((row) => row.pricing_model))).map((id) => [id, words(id)]), ["all", "All"]],
      initial: (_, options) => options.find(([id]) => id === "on_demand")?.[0] },
    { name: "size", label: "Size (accelerators)", options: () => Object.entries(SIZES).map(([id, [name]]) => [id, name]) },
    { name: "age", label: "Seen in the last", options: () => AGES.map(([id, name]) => [id, id === "current" ? `${rowsOf("defaults")[0].current_days} days` : name]) },
    { name: "comparable", label: "Compared", options: () => [["yes", "Compared"], ["no", "Excluded, with the reason"], ["all", "All"]] },
  ],

  view(chosen) {
    const rows = filtered(rowsOf("all_offers"), chosen, { accelerator: "accelerator_id", seller: "provider", pricing: "pricing_model" }).filter((row) => isInPlace(row, chosen.place) && SIZES[chosen.size][1](row.machine_accelerators) && isInAge(row, chosen.age)
      && (chosen.comparable === "all" || row.is_comparable === (chosen.comparable === "yes")) && hasWords(textOf(row), chosen.find)).sort(newestFirst);
    const sellers = distinct(rows.map((row) => row.provider)).length;
    return [
      figure({
        name: "offers",
        title: `${integer(rows.length)} of ${integer(rowsOf("all_offers").length)} offers, ${integer(sellers)} sellers`,
        subtitle: "The address of the page keeps filters and order. The CSV file has all rows that fit.",
        columns: offerTableColumns, tableRows: rows, rowKey: "offer_id", rowsDrawn: ROWS_SHOWN,
        empty: "No offer fits these choices: widen the age, the pricing or “Compared”.",
      }),
    ];
  },
});
