// Every offer of every price source as a table, with filters; offers excluded from comparisons have a reason.
import { distinct, rowBy, rowsOf } from "../data.js";
import { foreign } from "../dom.js";
import { isNumber } from "../formulas.js";
import { integer } from "../format.js";
import { figure } from "../chart.js";
import { acceleratorName, column, inPricingOrder, isInPlace, note, placeOptions, pricesAsOf, providerName, shortName, words } from "../common.js";

const ROWS_SHOWN = 200;
const yesOrNo = (value) => (value === null ? "–" : value ? "yes" : "no");
const filterOf = (name, label, key, nameOf) => ({
  name, label, options: () => [["all", "All"], ...distinct(rowsOf("all_offers").map((row) => row[key]).filter(Boolean)).map((id) => [id, nameOf(id)]).sort((a, b) => a[1].localeCompare(b[1]))],
});
const SIZES = { all: ["Any", () => true], one: ["1", (n) => n === 1], few: ["2 to 7", (n) => n >= 2 && n < 8], eight: ["8", (n) => n === 8], more: ["more than 8", (n) => n > 8] };
const AGES = [["current", null], ["7", "7 days"], ["90", "90 days"], ["365", "1 year"], ["all", "Any time; ended ones too"]];
const SORTS = { part: "Newest data-centre accelerator first", price: "Cheapest first", seller: "Seller", age: "Last seen first" };

/** Days before the newest price up to which an offer is shown; ended offers are shown only at any age. */
const isInAge = (row, age) => age === "all" || (row.valid_to === null && row.days_before <= (age === "current" ? rowsOf("defaults")[0].current_days : Number(age)));

const isDataCentre = (row) => Boolean(rowBy("parts", "accelerator_id", row.accelerator_id)?.memory_type?.startsWith("HBM"));
const releasedOn = (row) => rowBy("accelerators", "accelerator_id", row.accelerator_id)?.release_date ?? "";
const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const byPrice = (a, b) => (a.usd_per_accelerator_hour ?? Infinity) - (b.usd_per_accelerator_hour ?? Infinity);
const ORDERS = {
  // what a buyer looks for first: accelerators with high-bandwidth memory, the newest first
  part: (a, b) => isDataCentre(b) - isDataCentre(a) || byText(releasedOn(b), releasedOn(a)) || byText(a.accelerator_id ?? "~", b.accelerator_id ?? "~") || byPrice(a, b),
  price: byPrice,
  seller: (a, b) => byText(providerName(a.provider), providerName(b.provider)) || byPrice(a, b),
  age: (a, b) => a.days_before - b.days_before || byPrice(a, b),
};

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

const offerTableColumns = [
  { ...column.accelerator(), node: (row) => (row.accelerator_id ? shortName(row.accelerator_id) : foreign(row.accelerator_published)) },
  column.usd("usd_per_accelerator_hour", "US$ per accelerator-hour"),
  { key: "provider", title: "Seller", value: (row) => row.provider, text: (value) => providerName(value) },
  column.words("pricing_model", "Pricing"), column.integer("machine_accelerators", "Size"), column.text("region", "Region"), column.text("country", "Country"),
  column.day("last_seen_at", "Last seen"), column.days("days_before", "Age"), column.text("instance_type", "Machine"),
  column.text("exclusion_reason", "Why not compared", { wide: true }), column.text("source", "From"), column.link("source_url", "Price list"),
  column.text("accelerator_published", "Accelerator, as listed"), column.text("size_basis", "Size is"), column.text("variant", "Variant"), column.text("operating_system", "System"),
  { key: "is_comparable", title: "Compared", value: (row) => row.is_comparable, text: yesOrNo }, { key: "is_unusual", title: "Unusual", value: (row) => row.is_unusual, text: yesOrNo },
  column.number("price", "Price as listed", (value) => (isNumber(value) ? String(value) : "–")), column.text("currency", "Currency"), column.text("price_unit", "for an"),
  column.day("valid_from", "First seen"), column.text("observed_precision", "Date is known to the"), column.day("valid_to", "Ended"), column.text("ended_because", "because"),
  column.text("offer_id", "Offer"), column.hash(),
];

export const pageOffers = {
  id: "offers",
  place: "Prices",
  tab: "Offers",
  title: "What do sellers offer?",
  lead: "The last observation of every offer of every price source; shown first are current on-demand offers of the newest data-centre accelerators.",
  controls: [
    { name: "find", label: "Find (all words)", isText: true },
    filterOf("accelerator", "Accelerator", "accelerator_id", acceleratorName),
    filterOf("seller", "Seller", "provider", providerName),
    { name: "place", label: "Region", options: () => placeOptions(rowsOf("all_offers")) },
    { name: "pricing", label: "Pricing", options: () => [...inPricingOrder(distinct(rowsOf("all_offers").map((row) => row.pricing_model))).map((id) => [id, words(id)]), ["all", "All"]],
      initial: (_, options) => options.find(([id]) => id === "on_demand")?.[0] },
    { name: "size", label: "Size (accelerators)", options: () => Object.entries(SIZES).map(([id, [name]]) => [id, name]) },
    { name: "age", label: "Seen in the last", options: () => AGES.map(([id, name]) => [id, id === "current" ? `${rowsOf("defaults")[0].current_days} days` : name]) },
    { name: "comparable", label: "Compared", options: () => [["yes", "Compared"], ["no", "Excluded, with the reason"], ["all", "All"]] },
    { name: "sort", label: "Order", options: () => Object.entries(SORTS) },
  ],

  view(chosen) {
    const wanted = chosen.find.toLowerCase().split(/\s+/).filter(Boolean);
    const is = (name, value) => chosen[name] === "all" || chosen[name] === value;
    const rows = rowsOf("all_offers").filter((row) => is("accelerator", row.accelerator_id) && is("seller", row.provider) && is("pricing", row.pricing_model)
      && isInPlace(row, chosen.place) && SIZES[chosen.size][1](row.machine_accelerators) && isInAge(row, chosen.age)
      && is("comparable", row.is_comparable ? "yes" : "no") && wanted.every((word) => textOf(row).includes(word))).sort(ORDERS[chosen.sort]);
    const sellers = distinct(rows.map((row) => row.provider)).length;
    return [
      pricesAsOf(),
      figure({
        name: "offers",
        title: `${integer(rows.length)} of ${integer(rowsOf("all_offers").length)} offers, ${integer(sellers)} sellers`,
        subtitle: "A price is an observation of a past day, not a quote. The address keeps filters and order; the CSV file has all rows that fit.",
        columns: offerTableColumns, tableRows: rows, rowKey: (row) => row.offer_id, rowsDrawn: ROWS_SHOWN,
        empty: "No offer fits these choices: widen the age, the pricing or “Compared”.",
      }),
      note("An offer is a seller's machine in a region under a pricing model; shown is its last price. Earlier prices of it: fct_price_interval."),
    ];
  },
};
