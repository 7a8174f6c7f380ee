// Which accelerator for my model? Cost, speed and energy of a token in one order, with the evidence of each.

const BEST = "best";

const tokenCells = (benchmark, scenario) =>
  rowsOf("token_throughput").filter((row) => row.benchmark_id === benchmark && row.scenario === scenario);
const otherCells = (benchmark, scenario) =>
  rowsOf("throughput").filter((row) => row.benchmark_id === benchmark && row.scenario === scenario);

/** Cells of a benchmark and scenario in one unit: in output tokens if there are any. */
function allCells({ benchmark, scenario, unit }) {
  const inTokens = tokenCells(benchmark, scenario).map((row) => ({
    ...row,
    unit: "output tokens/s",
    best: row.output_tokens_per_s_per_accelerator,
    middle: row.output_tokens_per_s_per_accelerator_median,
    lowest: Math.min(...resultsOf(row).map((result) => result.output_tokens_per_s_per_accelerator)),
    isTokens: true,
  }));
  return inTokens.length ? inTokens : otherCells(benchmark, scenario)
    .filter((row) => row.result_unit === unit)
    .map((row) => ({
      ...row,
      unit: row.result_unit,
      best: row.throughput_per_accelerator_max,
      middle: row.throughput_per_accelerator_median,
      lowest: row.throughput_per_accelerator_min,
      result_id: row.best_result_id,
      isTokens: false,
    }));
}

/** Cells that may be ranked together: of each accelerator the best available result of any round, or that of one round. */
const cellsOf = ({ round, ...asked }) => allCells(asked)
  .filter((row) => (round === BEST ? row.is_representative : row.release === round && !row.apart_reason));

/** Preview, research and reference results of accelerators that have no other: without rank, the best of each. */
function apartOf({ round, ...asked }) {
  const cells = allCells(asked).filter((row) => round === BEST || row.release === round);
  const ranked = new Set(cells.filter((row) => !row.apart_reason).map((row) => row.accelerator_id));
  return [...groupBy(cells.filter((row) => !ranked.has(row.accelerator_id)), (row) => row.accelerator_id).values()]
    .map((rows) => rows.sort((a, b) => b.best - a.best)[0]);
}

const resultsOf = (cell) => rowsOf("results").filter((row) =>
  row.accelerator_id === cell.accelerator_id && row.release === cell.release && row.benchmark_id === cell.benchmark_id
  && row.availability === cell.availability
  && row.scenario === cell.scenario
  && (cell.output_tokens_per_s_per_accelerator ? isNumber(row.output_tokens_per_s_per_accelerator)
    : row.result_id === cell.best_result_id));

/** Current offers of an accelerator: those that may be ranked, then the others; cheapest first. */
const offersOf = (accelerator, pricing) => rowsOf("offers")
  .filter((row) => row.accelerator_id === accelerator && row.pricing_model === pricing)
  .sort((a, b) => Boolean(a.rank_reason) - Boolean(b.rank_reason)
    || a.usd_per_accelerator_hour_min - b.usd_per_accelerator_hour_min || (a.offer_id < b.offer_id ? -1 : 1));

/** Row of a cost data set for a cell. */
const costOf = (name, cell, pricing) => rowsOf(name).find((row) => row.accelerator_id === cell.accelerator_id
  && row.release === cell.release && row.benchmark_id === cell.benchmark_id && row.scenario === cell.scenario
  && (pricing === undefined || row.pricing_model === pricing)) ?? null;

/** Cost of a million tokens of a cell: at the typical price, without one the median over sellers; null without either. */
function headlineOf(cell, pricing) {
  const row = cell && costOf("cost_headlines", cell, pricing);
  if (row && isNumber(row.usd_per_output_mtok_at_level)) {
    return { ...row, isLevel: true, usd: row.usd_per_output_mtok_at_level, low: row.usd_per_output_mtok_at_level_low, high: row.usd_per_output_mtok_at_level_high };
  }
  return row?.n_sellers ? { ...row, isLevel: false, usd: row.usd_per_output_mtok_median, low: row.usd_per_output_mtok_low, high: row.usd_per_output_mtok_high } : null;
}

/** What a cost is, with its range and number of sellers. */
const basisWords = (cost) => (cost.isLevel
  ? `typical price, ${rangeWords(cost.low, cost.high)}, ${sellersWords(cost.n_sellers_of_level)}${movedWords(cost.level_moved_since_oldest_pct)}`
  : `median over ${sellersWords(cost.n_sellers)}${cost.n_sellers > 1 ? `, ${rangeWords(cost.low, cost.high)}` : ""}; no typical price: ${cost.level_reason}`);

/** The cheapest offer and the median over sellers that stand beside a typical price. */
const besideWords = (cost) => (cost.n_sellers
  ? [`cheapest ${usd(cost.usd_per_output_mtok_cheapest)} at ${providerName(cost.cheapest_provider)}`,
    cost.isLevel && `median ${usd(cost.usd_per_output_mtok_median)} over ${sellersWords(cost.n_sellers)}`].filter(Boolean).join("; ")
  : `no offer that surely holds the model: ${cost.reason}`);

/** Everything about one accelerator for these choices. */
function answer(cell, values) {
  const energy = rowsOf("energy").filter((row) => row.suite_kind === "inference" && row.benchmark_id === cell.benchmark_id
    && Boolean(row.apart_reason) === Boolean(cell.apart_reason) && row.scenario === cell.scenario && row.release === cell.release && row.accelerator_id === cell.accelerator_id);
  const joules = (basis) => energy.filter((row) => row.power_basis === basis)
    .map((row) => (cell.isTokens ? row[`j_per_output_token_${basis}`] : row.j_per_unit_before_pue * row.pue)).filter(isNumber)
    .sort((a, b) => a - b);
  const modelled = joules("modelled");
  return {
    ...cell,
    key: cell.accelerator_id,
    name: `${shortName(cell.accelerator_id)} · ${roundName(cell.release)}`,
    offers: offersOf(cell.accelerator_id, values.pricing),
    cost: cell.isTokens && !cell.apart_reason ? headlineOf(cell, values.pricing) : null,
    owned: cell.isTokens ? costOf("owned_costs", cell) : null,
    reason: cell.isTokens ? costOf("cost_headlines", cell, values.pricing)?.reason ?? "no price of this accelerator under this pricing model" : null,
    unranked: cell.isTokens ? costOf("unranked_costs", cell, values.pricing) : null,
    energy,
    measured: joules("measured"),
    modelled,
    kg: cell.isTokens ? kg_co2e_per_mtok(modelled[0], rowBy("grids", "grid", "world")?.kg_co2e_per_kwh) : null,
  };
}

/** The order of all charts and of the table: by cost, those without a typical price after them, then by speed; preview last. */
function ordered(values) {
  const answers = cellsOf(values).map((cell) => answer(cell, values)).sort((a, b) =>
    Boolean(b.cost) - Boolean(a.cost) || (a.cost ? b.cost.isLevel - a.cost.isLevel || a.cost.usd - b.cost.usd : b.best - a.best));
  const [first] = answers;
  return answers.map((row) => {
    const ratio = first.cost && row.cost && sameSellers(row.key, first.key, values.pricing);
    return { ...row, same: ratio ? { ratio: (ratio.ratio_median * first.best) / row.best, n: ratio.n_sellers } : null };
  });
}

addPage({
  id: "accelerators",
  place: "Choose",
  tab: "For my model",
  title: "Which accelerator for my model?",
  lead: "What a million tokens costs on each accelerator, how fast it is and how much energy it takes.",
  find: "cost per token|cheapest accelerator|tokens per second|Pareto",
  command: ["rank", "rank"],
  controls: [
    { name: "asked", label: "Model not listed?", isText: true, placeholder: "name and size: Qwen 72B", resets: ["benchmark", "scenario", "round", "unit", "evidence"] },
    modelChoice(() => [...idsOf("token_throughput", "benchmark_id"), ...idsOf("throughput", "benchmark_id")], ["llama3.1-405b", "llama2-70b-99"], {
      resets: ["scenario", "round", "unit", "evidence", "asked"],
      initial: ({ asked }, options) => nearestModel(asked)?.benchmark_id ?? ["llama3.1-405b", "llama2-70b-99"].find((id) => options.some(([value]) => value === id)),
    }),
    scenarioChoice(({ benchmark }) => idsOf("throughput", "scenario", (row) => row.benchmark_id === benchmark), { resets: ["round", "unit", "evidence"] }),
    {
      name: "round", label: "MLPerf round",
      options: ({ benchmark, scenario }) => {
        const inTokens = tokenCells(benchmark, scenario);
        const rounds = distinct((inTokens.length ? inTokens : otherCells(benchmark, scenario)).map((row) => row.release));
        return [[BEST, "Best available result of any round"], ...rounds.sort(byRound).reverse().map((name) => [name, `${roundName(name)} only`])];
      },
      resets: ["evidence"],
    },
    {
      name: "unit", label: "Unit", isHiddenWhenAlone: true,
      options: ({ benchmark, scenario }) => (tokenCells(benchmark, scenario).length ? [["tokens/s", "output tokens/s"]]
        : distinct(otherCells(benchmark, scenario).map((row) => row.result_unit)).map((unit) => [unit, unit])),
    },
    pricingChoice(() => idsOf("offers", "pricing_model")),
  ],

  view(values, { change, chosen }) {
    const answers = ordered(values);
    const what = `${modelName(values.benchmark)}, ${values.scenario}`;
    const when = values.round === BEST ? "best available result of any round" : values.round;
    const apart = apartOf(values).map((cell) => answer(cell, values)).sort((a, b) => b.best - a.best);
    if (!answers.length && !apart.length) {
      return h("p", { class: "none" }, `No measured result of ${what} (${when}) in the closed division, datacenter suite.`);
    }
    const [{ unit, isTokens }] = [...answers, ...apart];
    const pick = (row) => change({ evidence: row.key });
    const per = isTokens ? "output token" : unit === "queries/s" ? "query" : "sample";
    const unpriced = answers.filter((row) => !row.cost);
    return [
      values.asked && h("p", { class: "notice", id: "nearest" }, nearestWords(values)),
      tiles(headlines(answers, values, isTokens, per, unit)),
      figure({
        name: "answer",
        kind: "panels",
        title: `${what}: ${isTokens ? "cost, speed and energy" : "speed and energy"} of one accelerator`,
        subtitle: isTokens ? `Cost of one million output tokens at full load, at typical ${lower(values.pricing)} neocloud prices (${dayWords(priceDay())}). ${sentence(when)}. Where ranges overlap, no order is claimed.`
          : `Speed: ${when}. This benchmark counts ${per === "query" ? "queries" : "samples"}, not tokens, so there is no cost of a token.`,
        under: note(`${isTokens ? "Cost: the point is the typical price, the band its range, the tick the cheapest recent offer of a machine that holds the model. " : ""}`
          + `Speed: the point is the best result, the band reaches down to the lowest. Energy: the point is the least modelled, with cooling (PUE), the tick the least measured; CO2e is on the world's average grid.${answers.some((row) => row.cost?.size_note) ? " * Prices are for fewer accelerators than were measured: see the table." : ""}${apart.length ? " Grey: preview, research or unknown availability, without rank." : ""}`),
        rows: answerPanels([...answers, ...apart], { isTokens, unit, per }),
        columns: tableColumns(isTokens, unit, per, pick),
        tableRows: answers, onPick: pick, open: true,
      }),
      isTokens && frontierFigure(answers, what),
      evidence(answers.find((row) => row.key === chosen.get("evidence")), values, change),
      note(h("a", { href: `#/progress?${new URLSearchParams({ benchmark: values.benchmark, scenario: values.scenario })}` }, "What each round brought for this model")),
      isTokens && unpriced.length > 0 && unrankedTable(unpriced),
      note(missingRounds(values)),
      note("Modelled energy: published all-in watts, or else TDP × factor, corrected by the median error against metered systems. Measured and modelled joules never share a column."),
    ];
  },
});

/** The model that stands for one that was not measured. */
function nearestWords({ asked, benchmark }) {
  const nearest = nearestModel(asked);
  return nearest ? `“${asked}” was not measured. These are the figures of ${modelName(benchmark)}, the nearest measured size (${number(nearest.model_parameters / 1e9)} billion parameters).`
    : `“${asked}” names no size, such as 72B, so no measured model can stand for it.`;
}

/** Cost against speed, with the accelerators that no other beats in both. */
function frontierFigure(answers, what) {
  const rows = answers.filter((row) => row.cost).map((row) => ({ ...row, usd: row.cost.usd, usd_low: row.cost.low, usd_high: row.cost.high }));
  const isBeaten = (row) => rows.some((other) => other !== row && other.usd <= row.usd && other.best >= row.best && (other.usd < row.usd || other.best > row.best));
  const table = rows.map((row) => ({ ...row, is_frontier: !isBeaten(row) })).sort((a, b) => a.best - b.best);
  return figure({
    name: "frontier", kind: "series", title: `${what}: cost against speed`,
    subtitle: "Lower and further right is better. The line joins the Pareto frontier: accelerators that no other beats in both cost and speed. Pale ones are beaten in both.",
    unit: "US$ per million output tokens", x: { scale: "linear", title: "output tokens/s per accelerator" }, hasFrontier: true,
    rows: table.map((row) => ({
      key: row.key, series: row.key, group: partName(row.key), x: row.best, value: row.usd, isFrontier: row.is_frontier, isPale: !row.is_frontier,
      label: row.name, text: `${usd(row.usd)}, ${number(row.best)} tokens/s`, detail: basisWords(row.cost),
    })),
    tableRows: table, columns: columns("accelerator_id|best Tokens/s, best|usd± $ per M tokens|is_frontier:yes On the frontier|release"),
    empty: "No accelerator has both a price and a result.",
  });
}

const capexWords = (row) => `capital: ${lower(row.capex_basis)}, prices of ${row.price_level}, n = ${row.n_capex_figures}`;

function headlines(answers, { scenario }, isTokens, per, unit) {
  const fastest = [...answers].sort((a, b) => b.best - a.best)[0];
  const rents = answers.filter((row) => row.cost?.isLevel).map((row) => ({ ...row, ...row.cost }));
  const owns = answers.filter((row) => row.owned).map((row) => ({
    ...row, ...row.owned, usd: row.owned.usd_per_output_mtok, low: row.owned.usd_per_output_mtok_low, high: row.owned.usd_per_output_mtok_high,
  })).sort((a, b) => a.usd - b.usd);
  const nameOf = (row) => partName(row.key);
  const least = answers.filter((row) => row.modelled.length).sort((a, b) => a.modelled[0] - b.modelled[0])[0];
  const [rent] = rents;
  const [own] = owns;
  return [
    isTokens && ["Lowest rent, per million output tokens", rent ? usd(rent.usd) : "no typical price",
      rent && `${rent.name}; ${rangeWords(rent.low, rent.high)}, ${sellersWords(rent.n_sellers_of_level)}. ${separationWords(rents, nameOf)}`, rent?.cost.size_note],
    isTokens && [`Lowest cost of owning (${lower(DEFAULT_OWNER)})`, own ? usd(own.usd) : "not known",
      own && `${own.name}; ${rangeWords(own.low, own.high)}; ${capexWords(own)}. ${separationWords(owns, nameOf)}`],
    fastest && ["Fastest", `${number(fastest.best)} ${unit}`, `${fastest.name}, per accelerator, ${scenario}`],
    [`Least energy per ${per}, modelled`, least ? `${number(least.modelled[0])} J` : "not known",
      least ? `${least.name}${isNumber(least.kg) ? `; ${number(least.kg)} kg CO2e per million tokens` : ""}; ${least.measured.length ? `measured ${number(least.measured[0])} J` : "not measured"}` : "no power was measured or can be modelled"],
  ].filter(Boolean);
}

/** The rows of each chart: the same accelerators in the same order. */
function answerPanels(rows, { isTokens, unit, per }) {
  const panel = (title, axis, figureOf) => ({
    title, unit: axis,
    rows: rows.map((row) => ({ key: row.key, label: `${partName(row.key)} · ${roundName(row.release)}${row.apart_reason ? ` (${row.availability})` : ""}`, isApart: Boolean(row.apart_reason), ...figureOf(row) })),
  });
  return [
    isTokens && panel("Cost", "US$ per million output tokens", ({ cost, apart_reason: apart }) => (cost ? {
      value: cost.usd, low: cost.low, high: cost.high, middle: cost.usd_per_output_mtok_cheapest, text: costText(cost),
      detail: `${cost.size_note ? `${cost.size_note}; ` : ""}${basisWords(cost)}; ${besideWords(cost)}`,
    } : { value: null, text: apart ? "no rank" : "no price" })),
    panel("Speed", `${unit} per accelerator`, (row) => ({
      value: row.best, low: row.lowest, high: row.best, text: number(row.best),
      detail: `median ${number(row.middle)}, lowest ${number(row.lowest)}; n = ${row.n_results}, round ${roundName(row.release)}; median of ${row.newest_release} ${number(row.newest_release_median)} (n = ${row.newest_release_n_results})`,
    })),
    panel(isTokens ? "Energy and carbon" : "Energy", `J per ${per}, with PUE`, (row) => ({
      value: row.modelled[0] ?? null, low: row.modelled[0] ?? null, high: row.modelled.at(-1) ?? null, middle: row.measured[0] ?? null,
      text: row.modelled.length ? [`${number(row.modelled[0])} J`, isNumber(row.kg) && `${number(row.kg)} kg`].filter(Boolean).join(", ") : row.measured.length ? `${number(row.measured[0])} measured` : "not known",
      detail: `modelled: ${row.modelled.length ? `${number(row.modelled[0])} to ${number(row.modelled.at(-1))} J, n = ${row.modelled.length}` : "none"}; measured: ${row.measured.length ? `${number(row.measured[0])} J, n = ${row.measured.length}` : "none"}`,
    })),
  ].filter((each) => each && each.rows.some((row) => isNumber(row.value) || isNumber(row.middle)));
}

/** Columns of the answer: of cells in tokens those of cost and carbon too. */
function tableColumns(isTokens, unit, per, pick) {
  const joules = (basis) => ({ show: (value, row) => (isNumber(value) ? `${number(value)}${row[basis].length > 1 ? ` (n = ${row[basis].length})` : ""}` : "–"), value: (row) => row[basis][0] ?? null });
  const of = (names, part, prefix = "") => Object.fromEntries(names.map((name) => [prefix + name, { value: (row) => row[part]?.[name] ?? null }]));
  const special = {
    ...of(["usd_per_output_mtok_at_level", "usd_per_output_mtok_at_level_low", "usd_per_output_mtok_at_level_high", "n_sellers_of_level", "usd_per_output_mtok_cheapest", "cheapest_provider", "usd_per_output_mtok_median", "oldest_price_on", "level_reason", "cheapest_offer_id"], "cost"),
    ...of(["usd_per_output_mtok", "usd_per_output_mtok_low", "usd_per_output_mtok_high"], "owned", "owned_"),
    evidence: { value: null, fixed: true, show: (_, row) => h("button", { type: "button", class: "quiet", onclick: () => pick(row) }, "Submissions and offers", h("span", { class: "unseen" }, ` behind ${row.name}`)) },
    j_modelled_min: joules("modelled"), j_measured_min: joules("measured"), size_note: sizeColumn((row) => row.cost), capex: { value: (row) => row.owned && capexWords(row.owned) },
    n_sellers: { value: (row) => row.cost?.n_sellers ?? 0 }, same_seller_ratio: { value: (row) => row.same?.ratio ?? null }, n_same_sellers: { value: (row) => row.same?.n ?? null },
    ...Object.fromEntries([["throughput_max", "best"], ["throughput_median", "middle"], ["throughput_min", "lowest"], ["kg_co2e_per_output_mtok", "kg"]].map(([key, name]) => [key, { value: (row) => row[name] }])),
  };
  const speed = `throughput_max ${sentence(unit)}, best|j_modelled_min J per ${per}, modelled`;
  const rest = `throughput_median Median speed|throughput_min Lowest speed|n_results|j_measured_min J per ${per}, measured|release|result_id Best result`;
  return columns(isTokens
    ? `accelerator_id|usd_per_output_mtok_at_level± Rent, $ per M tokens|owned_usd_per_output_mtok± Own, $ per M tokens|${speed}|kg_co2e_per_output_mtok kg CO2e per M tokens|evidence|n_sellers_of_level Sellers|${rest}
      |capex Own: basis of capital|size_note|usd_per_output_mtok_cheapest Cheapest offer, $ per M tokens|cheapest_provider Cheapest seller|same_seller_ratio Against the first, at the sellers of both|n_same_sellers Sellers of both
      |usd_per_output_mtok_median Median over sellers|n_sellers Sellers of the median|oldest_price_on Oldest price of|level_reason Why no typical price|cheapest_offer_id Cheapest offer`
    : `accelerator_id|${speed}|${rest}|evidence`, special);
}

/** Column beside a cost: for how many accelerators its prices are, where that is fewer than were measured. */
const sizeColumn = (costOfRow) => ({ title: "Prices for fewer accelerators than measured", value: (row) => costOfRow(row)?.size_note ?? (costOfRow(row) ? "none" : null) });

// an asterisk: prices for fewer accelerators than were measured; tooltip and table have both numbers
const costText = (cost) => `${usd(cost.usd)}${cost.isLevel ? "" : " median"}${cost.size_note ? " *" : ""}`;

const FITS = { fits: "fits", too_small: "does not fit", unknown: "fits or not: unknown" };

/** Accelerators without a figure above, with the reason; their prices are greyed. */
const unrankedTable = (rows) => figure({
  name: "unranked", title: "Measured, but not ranked by cost",
  subtitle: "Their prices are old, undated, or of machines that are too small or of unknown size.",
  tableRows: rows.map((row) => ({ ...row.unranked, ...row, fit: FITS[row.unranked?.fit], price: row.unranked && standingWords(row.unranked) })),
  columns: columns("accelerator_id|usd_per_output_mtok|usd_per_accelerator_hour|provider|price The price is|reason Why|release|fit The model|size_note", { size_note: sizeColumn((row) => row.unranked) }),
});

/** Rounds of this benchmark in another unit, which cannot be compared. */
function missingRounds({ benchmark, scenario }) {
  const inTokens = tokenCells(benchmark, scenario);
  if (!inTokens.length) return "";
  const shown = new Set(inTokens.map((row) => row.release));
  const others = groupBy(otherCells(benchmark, scenario).filter((row) => !shown.has(row.release)), (row) => row.release);
  return [...others].map(([release, rows]) =>
    `${release} published ${list(distinct(rows.map((row) => row.result_unit)))} without tokens per sample: it cannot be compared with tokens and is excluded.`).join(" ");
}

const energyColumns = columns(`submitter|system_name|power_basis Basis|watts_per_accelerator W per accelerator|j_per_output_token_modelled± J per output token with PUE, modelled|j_per_output_token_measured J per output token with PUE, measured
  |j_per_output_token_before_pue J per output token before PUE|pue|power_scope What was metered|submission_id|source_url`);

/** The submissions, offers and power behind the figures of an accelerator. */
function evidence(row, values, change) {
  if (!row) return note("Choose a point, or “⋯” in the table, to see the submissions and offers behind a figure.");
  const results = resultsOf(row).sort((a, b) => b.throughput_per_accelerator - a.throughput_per_accelerator);
  return h("section", { class: "evidence", id: "evidence", "aria-labelledby": "evidence-title", tabindex: "-1" },
    h("div", { class: "figure-head" },
      h("h2", { id: "evidence-title" }, `Evidence: ${row.name}`),
      h("button", { type: "button", class: "quiet", onclick: () => change({ evidence: null }) }, "Close")),
    row.cost && h("p", { class: "sum" },
      `${usd(row.cost.isLevel ? levelOf(row.key, values.pricing).usd_per_accelerator_hour : row.cost.usd_per_accelerator_hour_median)} per accelerator-hour (${row.cost.isLevel ? "typical price" : "median over sellers"}) ÷ (${number(row.best)} output tokens/s × 3600) × 10⁶ = ${usd(row.cost.usd)} per million output tokens, at full use: ${basisWords(row.cost)}; ${besideWords(row.cost)}.`,
      row.cost.size_note && ` (${row.cost.size_note}.)`),
    [
      [row.isTokens ? `Measured: ${plural(results.length, "result")}` : "Measured: the best result", results, resultColumns, "result_id"],
      [`Current prices: ${plural(row.offers.length, "seller")}`, row.offers, offerColumns, "offer_id"],
      ["Energy: power measured or modelled", row.energy, energyColumns, "result_id|power_basis"],
    ].map(([title, rows, of, rowKey]) => [h("h3", null, title), rows.length ? dataTable({ caption: title, columns: of, rows, rowKey }) : h("p", { class: "none" }, "None for these choices.")]));
}
