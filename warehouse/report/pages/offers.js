// Every offer of every price source, with search and filters; offers left out of comparisons have a reason.
import { distinct, rowsOf } from "../data.js";
import { isNumber } from "../formulas.js";
import { day, integer, usd } from "../format.js";
import { figure } from "../chart.js";
import { dataTable } from "../table.js";
import { acceleratorName, column, inPricingOrder, note, pricesAsOf, providerName, tiles, words } from "../common.js";

const ROWS_DRAWN = 500;
const BARS = 10;
const yesOrNo = (value) => (value === null ? "–" : value ? "yes" : "no");
const named = (keys, name) => keys.map((key) => [key, name(key)]).sort((a, b) => a[1].localeCompare(b[1]));
const filterOf = (name, label, key, nameOf = (value) => value) => ({
  name, label, options: () => [["all", "All"], ...named(distinct(rowsOf("all_offers").map((row) => row[key]).filter(Boolean)), nameOf)],
});

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

const allOfferColumns = [
  column.text("accelerator_published", "Accelerator, as listed"), column.accelerator(),
  { key: "provider", title: "Seller", value: (row) => row.provider, text: (value) => providerName(value) },
  column.words("pricing_model", "Pricing"), column.usd("usd_per_accelerator_hour", "$/acc.-hour"), column.text("instance_type", "Instance"),
  column.integer("machine_accelerators", "Accelerators of the machine"), column.text("size_basis", "Size is"),
  column.text("region", "Region"), column.text("country", "Country"), column.text("variant", "Variant"), column.text("operating_system", "System"),
  { key: "is_comparable", title: "Comparable", value: (row) => row.is_comparable, text: yesOrNo },
  column.text("exclusion_reason", "Why not comparable", { wide: true }), { key: "is_unusual", title: "Unusual", value: (row) => row.is_unusual, text: yesOrNo },
  column.number("price", "Price as listed", (value) => (isNumber(value) ? String(value) : "–")), column.text("currency", "Currency"), column.text("price_unit", "for an"),
  column.day("valid_from", "First seen"), column.day("last_seen_at", "Last seen"), column.days("days_before", "before the newest price"),
  column.text("observed_precision", "Date is known to the"), column.day("valid_to", "Ended"), column.text("ended_because", "because"),
  column.text("source", "From"), column.link("source_url", "Price list"), column.text("licence", "Licence", { wide: true }), column.text("offer_id", "Offer"), column.hash(),
];

export const pageOffers = {
  id: "offers",
  tab: "Offers",
  title: "What do providers offer?",
  lead: "The last observation of every offer of every price source. Offers left out of comparisons have a reason.",
  controls: [
    { name: "find", label: "Find (all words)", isText: true },
    filterOf("accelerator", "Accelerator", "accelerator_id", acceleratorName),
    filterOf("seller", "Seller", "provider", providerName),
    { name: "pricing", label: "Pricing", options: () => [["all", "All"], ...inPricingOrder(distinct(rowsOf("all_offers").map((row) => row.pricing_model))).map((id) => [id, words(id)])] },
    filterOf("country", "Country", "country"),
    { name: "comparable", label: "Comparable", options: () => [["all", "All"], ["yes", "Comparable"], ["no", "Left out"]] },
    { name: "state", label: "State", options: () => [["all", "All"], ["in-force", "Current"], ["ended", "Ended"]] },
    filterOf("source", "Source", "source"),
  ],

  view(chosen) {
    const wanted = chosen.find.toLowerCase().split(/\s+/).filter(Boolean);
    const is = (name, value) => chosen[name] === "all" || chosen[name] === value;
    const rows = rowsOf("all_offers").filter((row) => is("accelerator", row.accelerator_id) && is("seller", row.provider) && is("pricing", row.pricing_model)
      && is("country", row.country) && is("comparable", row.is_comparable ? "yes" : "no") && is("state", row.valid_to === null ? "in-force" : "ended")
      && is("source", row.source) && wanted.every((word) => textOf(row).includes(word)));
    const compared = rows.filter((row) => row.is_comparable && isNumber(row.usd_per_accelerator_hour));
    const table = { columns: allOfferColumns, rowKey: (row) => row.offer_id, rowsDrawn: ROWS_DRAWN };
    return [
      pricesAsOf(),
      tiles([
        ["Offers", `${integer(rows.length)} of ${integer(rowsOf("all_offers").length)}`, "that fit these choices"],
        ["Comparable", integer(rows.filter((row) => row.is_comparable).length), `of ${integer(distinct(rows.map((row) => row.provider)).length)} sellers`],
        ["Left out of comparisons", integer(rows.filter((row) => !row.is_comparable).length), "each with its reason"],
      ]),
      figure({
        name: "offers",
        kind: "ranked",
        title: "Offers; the cheapest comparable ones are drawn",
        subtitle: `US$ per accelerator-hour as last seen; a price seen long ago is no quote of today. At most ${BARS} are drawn; the table has every offer that fits the choices, comparable or not.`,
        words: { unit: "US$ per accelerator-hour" },
        rows: compared.slice(0, BARS).map((row, position) => ({
          key: row.offer_id, position, group: words(row.pricing_model), label: `${acceleratorName(row.accelerator_id)}, ${providerName(row.provider)}`,
          value: row.usd_per_accelerator_hour, low: row.usd_per_accelerator_hour, middle: row.usd_per_accelerator_hour, high: row.usd_per_accelerator_hour,
          text: usd(row.usd_per_accelerator_hour), detail: `${row.instance_type ?? "instance not stated"}, ${row.region ?? "no region stated"}, seen ${day(row.last_seen_at)}`,
        })),
        tableRows: rows, ...table, open: true,
        empty: rows.length ? "These offers cannot be compared: the table has the reasons." : "No offer fits these choices.",
      }),
      !compared.length && rows.length > 0 && dataTable({ caption: "Offers", rows, ...table }),
      note("An offer is a seller's type in a region under a pricing model; shown is its last price. Earlier prices of it: fct_price_interval."),
    ];
  },
};
