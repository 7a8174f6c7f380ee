// Ways of having accelerators for some months, with the reader's own numbers: rows as those of the SQL function rent_or_own.

const ENDS = ["_low", "", "_high"];
// for work that may be interrupted, or planned: never ranked with the others
const APART = ["rent_spot", "rent_capacity_block"];
const byCost = (a, b) => APART.includes(a.option) - APART.includes(b.option) || (a.usd ?? Number.MAX_VALUE) - (b.usd ?? Number.MAX_VALUE) || (a.option < b.option ? -1 : 1);
const OTHER_END = { _low: "_high", "": "", _high: "_low" };

const ownerInputs = (accelerator, owner) =>
  rowsOf("owner_inputs").find((row) => row.accelerator_id === accelerator && row.scenario_id === owner) ?? null;

/** Residual value in % of the price: as given; else that of the month, before the end of the horizon that of the end. */
const residualPct = (given, months, horizon, end = "") =>
  given ?? rowsOf("residual_values")[Math.round(Math.max(months, horizon)) - 1]?.[`residual_pct${end}`] ?? null;

/** Running cost an hour at a price of the hardware: maintenance follows the price. */
const runningAt = (inputs, capex, end = "") => inputs[`running_usd_per_accelerator_hour${end}`]
  + maintenance_usd_per_hour(capex - (inputs[`capex_usd_per_accelerator${end}`] ?? inputs.capex_usd_per_accelerator), inputs.maintenance_pct_of_capex_per_year);

/** First month after which owning has cost no more than renting; null if that is not within the longest horizon. */
function monthsToBreakEven(owned, rented) {
  const at = rowsOf("residual_values").find(({ months }) => !isNumber(owned(months)) || !isNumber(rented(months)) || owned(months) <= rented(months));
  return at && isNumber(owned(at.months)) && isNumber(rented(at.months)) ? at.months : null;
}

/**
 * Ways of having accelerators for some months: the SQL macro `rent_or_own`. What is given (not null) has no range.
 * question: accelerator, owner, gpus, months, utilisation, capex, running, residual, interest, rent.
 */
function rentOrOwn({ accelerator, owner, gpus, months, utilisation, capex, running, residual, interest, rent }) {
  const inputs = ownerInputs(accelerator, owner);
  const bought = accelerators_in_machines(gpus, rowBy("parts", "accelerator_id", accelerator)?.scale_up_domain_size || 1);
  const owned = (end, at) => {
    const price = capex ?? inputs[`capex_usd_per_accelerator${end}`];
    const hour = running ?? (capex === null ? inputs[`running_usd_per_accelerator_hour${end}`] : runningAt(inputs, capex, end));
    const cost = cost_of_owning(price, hour, at, interest ?? inputs.interest_pct, residualPct(residual, at, months, OTHER_END[end]));
    return isNumber(cost) ? bought * cost : null;
  };
  const rateOf = (pricing) => rowsOf("rent_rates").find((row) => row.accelerator_id === accelerator && row.pricing_model === pricing) ?? {};
  const hourOf = (pricing, term, given, end) => {
    const rate = rateOf(pricing);
    if (given !== null) return given;
    const today = rate[`usd${end}`];
    if (!end) return today ?? null;
    if (!term) return rent_along_its_path(rate.usd, today, months, rate.monthly_change);
    const terms = Array.from({ length: Math.ceil(months / term) }, (_, renewal) => rent_after(rate.usd, today, term * renewal, rate.monthly_change));
    return terms.every(isNumber) ? terms.reduce((sum, usd) => sum + usd, 0) / terms.length : null;
  };
  const rents = [["rent_by_the_hour", "on_demand", utilisation, rent], ["rent_always_on", "on_demand", 100, rent], ["rent_1y", "reserved_1y", 100, null], ["rent_3y", "reserved_3y", 100, null],
    ["rent_spot", "spot", utilisation, null], ["rent_capacity_block", "capacity_block", utilisation, null]]
    .filter(([option, pricing]) => !APART.includes(option) || isNumber(rateOf(pricing).usd))
    .map(([option, pricing, used, given]) => {
      const term = { reserved_1y: 12, reserved_3y: 36 }[pricing] ?? 0;
      const hour = (end) => hourOf(pricing, term, given, end);
      const cost = (end, at, share = used, rest = null) => {
        const usd = cost_of_renting(hour(end), at, share, term, rest, utilisation);
        return usd === null ? null : gpus * usd;
      };
      const restOf = (end) => (term ? hourOf("on_demand", 0, rent, end) : null);
      const withRest = cost("", months, used, restOf(""));
      const row = {
        option, rate: rateOf(pricing), given, term, usd_per_accelerator_hour: hour(""), accelerators: gpus,
        months_paid: withRest < cost("", months) ? months : months_to_pay(months, term),
      };
      for (const end of ENDS) {
        row[`usd${end}`] = cost(end, months, used, restOf(end));
        row[`months_to_break_even${end}`] = term ? null : monthsToBreakEven((at) => owned(end, at), (at) => cost(OTHER_END[end], at));
        row[`break_even_utilisation_pct${end}`] = term ? null : break_even_utilisation(owned(end, months), cost(OTHER_END[end], months, 100));
      }
      return row;
    });
  const own = { option: "own", accelerators: bought, months_paid: months, term: 0, ...Object.fromEntries(ENDS.map((end) => [`usd${end}`, owned(end, months)])) };
  const rows = [own, ...rents];
  const costed = rows.filter((row) => !APART.includes(row.option) && (isNumber(row.usd) || isNumber(row.usd_low))).sort(byCost);
  const standings = standingsOf(costed.map((row) => ({ usd: row.usd, low: row.usd_low, high: row.usd_high })));
  const open = (row, name, isOpen) => ({ [`${name}_low`]: isOpen ? row[`${name}_low`] : null, [`${name}_high`]: isOpen ? row[`${name}_high`] : null });
  return rows.map((row) => {
    const hasRange = row.break_even_utilisation_pct_low < row.break_even_utilisation_pct_high && isNumber(row.break_even_utilisation_pct_low);
    return {
      ...row, low: row.usd_low, high: row.usd_high, standing: standings[costed.indexOf(row)] ?? null, ...open(row, "usd", isNumber(row.usd_low) && row.usd_low < row.usd_high),
      ...open(row, "months_to_break_even", hasRange), ...open(row, "break_even_utilisation_pct", hasRange),
    };
  }).sort(byCost);
}
