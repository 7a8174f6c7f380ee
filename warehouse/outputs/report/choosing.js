// Options for serving a model within a budget: the SQL macro `choose` for a reader's own numbers. Tests compare both.
import { distinct, groupBy, median, roundNumber, rowBy, rowsOf } from "./data.js";
import { accelerators_for_load, accelerators_in_machines, energy_kwh, hours_in_months, isNumber } from "./formulas.js";
import { levelOf } from "./common.js";

const BYTES_PER_WEIGHT = { fp4: 0.5, int4: 0.5, fp8: 1, int8: 1, fp16: 2, bf16: 2, tf32: 4, fp32: 4 };

/** The result that stands for each accelerator; without an available one the best other, which is not ranked. */
function chosenResults({ benchmark, maxTtft }) {
  const scenarios = isNumber(maxTtft) ? ["Server", "Interactive"] : ["Server"];
  const candidates = rowsOf("serving").map((row) => ({ ...rowBy("results", "result_id", row.result_id), ...row }))
    .filter((row) => row.benchmark_id === benchmark && scenarios.includes(row.scenario));
  const keys = (row) => [
    row.apart_reason ? 1 : 0,
    isNumber(maxTtft) && !isNumber(row.ttft_ms_p99) ? 1 : 0,
    isNumber(maxTtft) && !(row.ttft_ms_p99 <= maxTtft) ? 1 : 0,
    -row.output_tokens_per_s_per_accelerator, -roundNumber(row.release),
  ];
  return [...groupBy(candidates, (row) => row.accelerator_id).values()].map((rows) => {
    const [first] = [...rows].sort((a, b) => {
      const [left, right] = [keys(a), keys(b)];
      const at = left.findIndex((value, i) => value !== right[i]);
      return at < 0 ? (a.result_id < b.result_id ? 1 : -1) : left[at] - right[at];
    });
    return { ...first, lowestTtft: Math.min(...rows.map((row) => row.ttft_ms_p99).filter(isNumber)) };
  });
}

function loadOf(result, { tokensPerDay, utilisation, months }) {
  const part = rowBy("parts", "accelerator_id", result.accelerator_id);
  const parameters = rowBy("model_sizes", "benchmark_id", result.benchmark_id)?.model_parameters;
  const bytes = BYTES_PER_WEIGHT[result.number_format] ?? 2; // 16 bits where the format is not known
  return {
    ...result,
    hours: hours_in_months(months),
    memory_gb: part?.memory_gb ?? null,
    needed_bytes: isNumber(parameters) ? parameters * bytes * 1.2 : null,
    busy: accelerators_for_load(tokensPerDay, result.output_tokens_per_s_per_accelerator, utilisation),
    boughtTogether: Math.max(part?.scale_up_domain_size ?? 1, result.accelerators_per_node ?? 1),
  };
}

/** fits, too_small or unknown, as in the macro offer_fit. */
function fitOfMachine(load, accelerators, isSizeStated) {
  if (load.needed_bytes === null || load.memory_gb === null) return "unknown";
  if (load.needed_bytes <= accelerators * load.memory_gb * 1e9) return "fits";
  return isSizeStated && load.number_format in BYTES_PER_WEIGHT ? "too_small" : "unknown";
}

/** Words beside a cost whose prices are of fewer accelerators than were measured; null where none is. As the macro size_note. */
function sizeNote(sizes, measured, what = "price") {
  const smaller = sizes.filter((size) => isNumber(measured) && size < measured).sort((a, b) => a - b);
  if (!smaller.length) return null;
  const [low, high] = [smaller[0], smaller.at(-1)];
  return `${smaller.length < sizes.length ? `${smaller.length} of ${sizes.length} ${what}s are` : what} of ${low}`
    + `${low < high ? ` to ${high}` : ""} accelerator${high > 1 ? "s" : ""}; measured on ${measured}`;
}

/** Renting at the price level; within a country, and where there is no level, at the median over sellers. */
function rentedOption(load, { country }) {
  const offers = rowsOf("rent_offers").filter((row) => row.accelerator_id === load.accelerator_id
    && (country === "any" || row.country === country)).map((offer) => {
    const accelerators = accelerators_in_machines(load.busy, offer.machine_accelerators);
    return {
      ...offer, accelerators, cost: accelerators * load.hours * offer.usd_per_accelerator_hour,
      isOld: !["current", "recent"].includes(offer.price_standing),
      fit: fitOfMachine(load, offer.machine_accelerators, offer.size_basis === "stated"),
    };
  });
  const place = (offer) => (offer.isOld || offer.fit === "too_small" ? 2 : 0) + (offer.fit === "fits" ? 0 : 1);
  const sellers = [...groupBy(offers, (offer) => offer.vote).values()].map((own) =>
    [...own].sort((a, b) => place(a) - place(b) || a.cost - b.cost || (a.offer_id < b.offer_id ? -1 : 1))[0])
    .sort((a, b) => a.cost - b.cost || (a.offer_id < b.offer_id ? -1 : 1));
  const counted = sellers.filter((offer) => !offer.isOld && offer.fit === "fits");
  const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? null;
  const costs = counted.map((offer) => offer.cost);
  const accelerators = middle(counted.map((offer) => offer.accelerators));
  const level = country === "any" && counted.length ? levelOf(load.accelerator_id) : null;
  const atLevel = (usd) => (isNumber(usd) ? usd * accelerators * load.hours : null);
  const ofSellers = (cost) => (costs.length > 1 ? cost : null);
  const cost = level ? atLevel(level.usd_per_accelerator_hour) : median(costs);
  return {
    ...load, how: "rent", offers: counted, n_sellers: counted.length, n_sellers_of_level: level?.n_sellers ?? null,
    accelerators, machine: middle(counted.map((offer) => offer.machine_accelerators)),
    cost_usd: cost, paid_usd: cost, cost_usd_cheapest: costs[0] ?? null, cost_usd_median: median(costs),
    cost_usd_low: level ? atLevel(level.usd_per_accelerator_hour_low) : ofSellers(costs[0]),
    cost_usd_high: level ? atLevel(level.usd_per_accelerator_hour_high) : ofSellers(costs.at(-1)),
    usd_per_accelerator_hour: level?.usd_per_accelerator_hour ?? median(counted.map((offer) => offer.usd_per_accelerator_hour)),
    fit: counted.length ? "fits" : "unknown",
    size_note: sizeNote(counted.map((offer) => offer.machine_accelerators), load.accelerator_count),
    unstated: counted.filter((offer) => offer.size_basis !== "stated").length,
    noCost: counted.length ? null : whyNoPrice(sellers, country),
  };
}

function whyNoPrice(sellers, country) {
  if (!sellers.length) return country === "any" ? "no on-demand price of this accelerator" : `no on-demand price of this accelerator stated for ${country}`;
  if (sellers.every((offer) => !["current", "recent"].includes(offer.price_standing))) return "every price is undated or old";
  if (!sellers.some((offer) => !offer.isOld && offer.fit !== "too_small")) return "the model fits into none of the machines with a recent price";
  return "the size of the machine or the number format is not stated";
}

function machineOption(load, how, { owner, haveCount }) {
  const machine = how === "have" ? Math.min(load.boughtTogether, haveCount) : load.boughtTogether;
  const accelerators = accelerators_in_machines(load.busy, machine);
  const tco = rowsOf("tco").find((row) => row.accelerator_id === load.accelerator_id && row.scenario_id === owner);
  const hours = accelerators * load.hours;
  // the capital of owned hardware is already spent
  const cost = (side) => {
    const usd = tco[`${how === "own" ? "" : "running_"}usd_per_accelerator_hour${side}`];
    return isNumber(usd) ? usd * hours : null;
  };
  const running = tco && tco.running_usd_per_accelerator_hour * hours;
  const purchase = tco && how === "own" ? tco.capex_usd_per_accelerator * accelerators : 0;
  return {
    ...load, how, machine, accelerators, haveCount, fit: fitOfMachine(load, machine, true),
    size_note: sizeNote([machine], load.accelerator_count, "machine"),
    ...(tco ? {
      cost_usd: cost(""), cost_usd_low: cost("_low"), cost_usd_high: cost("_high"), paid_usd: purchase + running,
      purchase_usd: how === "own" ? purchase : null,
      pue: tco.pue, running_usd: running, price_level: tco.price_level, capex_basis: tco.capex_basis, noCost: null,
    } : { cost_usd: null, paid_usd: null, noCost: "no capital price, or no all-in power, of this accelerator is published" }),
  };
}

// PUE of the owner, or the default of the energy table for rented machines; measured joules of any round before modelled ones
function withEnergy(option) {
  const rows = rowsOf("energy").filter((row) => row.suite_kind === "inference" && row.accelerator_id === option.accelerator_id
    && row.scenario === option.scenario && row.benchmark_id === option.benchmark_id);
  const withPue = (row, value) => (isNumber(value) ? (value / row.pue) * (option.pue ?? row.pue) : null);
  const modelled = rows.find((row) => row.result_id === option.result_id && row.power_basis === "modelled");
  const measured = rows.map((row) => withPue(row, row.j_per_output_token_measured)).filter(isNumber);
  return {
    ...option, j_modelled: modelled ? withPue(modelled, modelled.j_per_output_token_modelled) : null, j_measured: measured.length ? Math.min(...measured) : null,
    energy_kwh: modelled ? energy_kwh(modelled.watts_per_accelerator, option.pue ?? modelled.pue, option.accelerators, option.hours) : null,
  };
}

/** Reasons why an option cannot be recommended; empty if it can. */
function whyNotRanked(option, { budget, maxTtft, maxJ }) {
  const joules = option.j_measured ?? option.j_modelled;
  return [
    option.apart_reason,
    option.noCost,
    !option.noCost && option.fit === "too_small"
      && `the model does not fit: it needs ${(option.needed_bytes / 1e9).toFixed(1)} GB, a machine of ${option.machine} holds ${(option.machine * option.memory_gb).toFixed(1)} GB`,
    !option.noCost && option.fit === "unknown" && "whether the model fits is not known: the number format is not stated",
    option.how === "have" && option.accelerators > option.haveCount && `${option.accelerators} are needed, ${option.haveCount} are there`,
    isNumber(maxTtft) && !isNumber(option.ttft_ms_p99) && "no time to first token was measured",
    isNumber(maxTtft) && option.ttft_ms_p99 > maxTtft && `the lowest measured time to first token (p99) is ${option.lowestTtft.toFixed(0)} ms`,
    isNumber(maxJ) && joules === null && "the energy of a token is not known",
    isNumber(maxJ) && joules > maxJ && `a token takes ${Number(joules.toPrecision(3))} J, ${isNumber(option.j_measured) ? "measured" : "modelled"}`,
    option.paid_usd > budget && (option.how === "own" ? "purchase and running cost exceed the budget" : "exceeds the budget"),
  ].filter(Boolean);
}

/**
 * Options: those that can be recommended first, by cost, with `rank`; the others with `reason`.
 * question: benchmark, tokensPerDay, budget, months, utilisation, owner, country, maxTtft, maxJ, have, haveCount.
 */
export function chooseOptions(question) {
  const loads = chosenResults(question).map((result) => loadOf(result, question));
  const had = question.have === "none" ? [] : loads.filter((load) => load.accelerator_id === question.have);
  const unmeasured = question.have === "none" || had.length ? []
    : [{ accelerator_id: question.have, how: "have", fit: "unknown", noCost: "no result of this accelerator and model", cost_usd: null, paid_usd: null }];
  const options = [
    ...loads.map((load) => rentedOption(load, question)),
    ...loads.map((load) => machineOption(load, "own", question)),
    ...had.map((load) => machineOption(load, "have", question)),
    ...unmeasured,
  ].map(withEnergy).map((option) => ({ ...option, key: `${option.accelerator_id}|${option.how}`, reason: whyNotRanked(option, question).join("; ") }));
  const byCost = (a, b) => (a.cost_usd ?? Infinity) - (b.cost_usd ?? Infinity) || (a.key < b.key ? -1 : 1);
  const ranked = options.filter((option) => !option.reason).sort(byCost).map((option, i) => ({ ...option, rank: i + 1 }));
  return { ranked, others: options.filter((option) => option.reason).sort(byCost) };
}

export const servedModels = () => distinct(rowsOf("serving").map((row) => rowBy("results", "result_id", row.result_id))
  .filter((row) => row?.scenario === "Server").map((row) => row.benchmark_id));
