// Two or more parts side by side: prices, speed, energy, ownership and specifications.

const SPECS_SHOWN = [
  ["memory_gb", "Memory", "GB"], ["memory_bandwidth_gb_s", "Memory bandwidth", "GB/s"], ["tdp_w", "Thermal design power", "W"],
  ["scale_up_domain_size", "Scale-up domain", "accelerators"], ["bf16_dense_tflops", "BF16, dense", "TFLOP/s"], ["fp8_dense_tflops", "FP8, dense", "TFLOP/s"],
  ["fp4_dense_tflops", "FP4, dense", "TFLOP/s"], ["int8_dense_tops", "INT8, dense", "TOP/s"], ["fp64_tflops", "FP64", "TFLOP/s"],
];
const FIRST = ["nvidia-h100-sxm-80gb", "nvidia-b200-sxm-180gb"];

const comparableParts = () => distinct([...rowsOf("throughput"), ...rowsOf("tco")].map((row) => row.accelerator_id));
const partChoice = (name, label, first) => {
  const control = choice(name, label, comparableParts, acceleratorName, first);
  return first ? control : { ...control, options: (values) => [["none", "None"], ...control.options(values)] };
};

const partsOf = (chosen) => distinct([chosen.a, chosen.b, chosen.c, chosen.d].filter((id) => id !== "none"));

/** The newest round in which all parts have a row, with the best row of each; null without such a round. */
function newestCommon(rows, parts, figureOf) {
  const rounds = [...groupBy(rows.filter((row) => parts.includes(row.accelerator_id)), (row) => row.release).values()]
    .filter((ofRound) => parts.every((id) => ofRound.some((row) => row.accelerator_id === id)))
    .sort(([a], [b]) => roundNumber(b.release) - roundNumber(a.release));
  if (!rounds.length) return null;
  const [ofRound] = rounds;
  const [{ release }] = ofRound;
  return { release, best: parts.map((id) => ofRound.filter((row) => row.accelerator_id === id).sort((a, b) => figureOf(b) - figureOf(a))[0]) };
}

/** The round of all rows, or the round of each. */
const roundsWords = (rows) => distinct(rows.map((row) => row.release)).join(" / ");

const ofParts = (rows, parts, isWanted) => parts.map((id) => rows.find((row) => row.accelerator_id === id && isWanted(row)));
const line = (topic, what, unit, values, more = {}) => ({ topic, what, unit, values, notes: [], show: number, ...more, key: [topic, what, unit].join("|") });

function specLines(parts) {
  const specs = parts.map((id) => rowBy("parts", "accelerator_id", id));
  return SPECS_SHOWN.map(([name, what, unit]) => line("Specification", what, unit, specs.map((row) => row?.[name] ?? null)))
    .filter((row) => row.values.some(isNumber));
}

function speedLines(parts) {
  const cells = groupBy(rowsOf("throughput"), (row) => `${row.benchmark_id}|${row.scenario}|${row.result_unit}`);
  const inference = [...cells.values()].flatMap((rows) => {
    const best = ofParts(rows, parts, (row) => row.is_representative);
    if (!best.every(Boolean)) return [];
    const [{ benchmark_id, scenario, result_unit }] = rows;
    return [line("Inference", `${benchmark_id} ${scenario}`, `${result_unit} per accelerator`, best.map((row) => row.throughput_per_accelerator_max), {
      release: roundsWords(best),
      notes: best.map((row) => rowBy("results", "result_id", row.best_result_id)?.number_format ?? null)
    })];
  });
  // at the first size in the order of the rows that all have
  const training = [...groupBy(rowsOf("training_speeds_of_sizes"), (row) => `${row.benchmark_id}|${row.result_unit}`).values()].flatMap((ofTask) => {
    const best = [...groupBy(ofTask, (row) => `${row.benchmark_version}|${row.scale_class}`).values()]
      .map((ofSize) => ofParts(ofSize, parts, () => true)).find((ofAll) => ofAll.every(Boolean));
    if (!best) return [];
    const [{ benchmark_id, result_unit }] = best;
    return [line("Training", benchmark_id, `${result_unit} per accelerator`, best.map((row) => row.throughput_per_accelerator), {
      release: roundsWords(best), notes: best.map((row) => `${row.number_format ?? "format not known"}, ${integer(row.accelerator_count)} accelerators`),
    })];
  });
  const byName = (a, b) => a.what.localeCompare(b.what);
  return [...inference.sort(byName), ...training.sort(byName)];
}

const SAME_SELLERS = "At the same sellers, on demand";

/** What the sellers of both ask, as a ratio to the first part: of an hour, and of a token of each benchmark. */
function sameSellerLines(parts, speeds) {
  const ratios = parts.slice(1).map((id) => sameSellers(id, parts[0]));
  const ratioLine = (what, release, ofWork) => {
    const scaled = (i, name) => (isNumber(ratios[i]?.[name]) ? ratios[i][name] * ofWork[i] : null);
    return line(SAME_SELLERS, what, `times ${partName(parts[0])}`, [1, ...ratios.map((_, i) => scaled(i, "ratio_median"))], {
      release, show: times,
      notes: ["the base", ...ratios.map((row, i) => (row
        ? [row.n_sellers > 1 && rangeWords(scaled(i, "ratio_low"), scaled(i, "ratio_high"), times), `${sellersWords(row.n_sellers)} of both`].filter(Boolean).join("; ")
        : "no seller has both"))],
    });
  };
  if (!ratios.some(Boolean)) return [];
  const tokens = speeds.filter((row) => row.topic === "Inference" && row.unit.startsWith("tokens/s")).map((row) =>
    ratioLine(`A token of ${row.what}`, row.release, row.values.slice(1).map((speed) => row.values[0] / speed)));
  return [ratioLine("An hour", null, ratios.map(() => 1)), ...tokens];
}

const machineWords = (offer) => `machine of ${offer.machine_accelerators}${{ assumed: " (assumed)", unknown: " (size not stated)" }[offer.size_basis] ?? ""}`;

function rentLines(parts) {
  const rows = ofParts(rowsOf("price_levels"), parts, (row) => row.pricing_model === "on_demand");
  const cheapest = rows.map((row) => row && rowBy("cheapest_offers", "offer_id", row.cheapest_offer_id));
  const rent = (what, name, notes) => line("Rent, on demand", what, "US$ per accelerator-hour", rows.map((row) => row?.[name] ?? null), { notes, show: usd });
  return [
    rent("Typical price", "usd_per_accelerator_hour", rows.map((row) => (row
      ? row.reason ?? `${rangeWords(row.usd_per_accelerator_hour_low, row.usd_per_accelerator_hour_high)}; ${sellersWords(row.n_sellers)}` : "no price"))),
    rent("One more seller would charge at most", "seller_price_high", rows.map((row) => isNumber(row?.seller_price_low) && `${rangeWords(row.seller_price_low, row.seller_price_high)}`)),
    rent("Cheapest offer", "usd_cheapest", cheapest.map((offer) => offer && `${providerName(offer.provider)}, ${machineWords(offer)}, seen ${day(offer.seen_on)}`)),
    rent("Median over sellers", "usd_median_plain", rows.map((row) => row && sellersWords(row.n_sellers_plain))),
  ];
}

function tokenCostLines(parts) {
  const priced = rowsOf("cost_headlines").filter((row) => row.is_representative && row.pricing_model === "on_demand" && isNumber(row.usd_per_output_mtok_at_level));
  return [...groupBy(priced, (row) => `${row.benchmark_id} ${row.scenario}`)].flatMap(([what, rows]) => {
    const best = ofParts(rows, parts, () => true);
    return best.every(Boolean) ? [line("Rented tokens, at the typical price", what, "US$ per million output tokens", best.map((row) => row.usd_per_output_mtok_at_level), {
      release: roundsWords(best), show: usd,
      notes: best.map((row) => [rangeWords(row.usd_per_output_mtok_at_level_low, row.usd_per_output_mtok_at_level_high), sellersWords(row.n_sellers_of_level), row.size_note].filter(Boolean).join("; ")),
    })] : [];
  }).sort((a, b) => a.what.localeCompare(b.what));
}

/** Ownership on one basis of capital, at a typical price that all parts have. */
function ownershipLines(parts, owner) {
  const rows = rowsOf("tco_levels").filter((row) => row.scenario_id === owner && parts.includes(row.accelerator_id));
  const inCommon = distinct(rows.map((row) => row.price_level).filter(Boolean)).sort().reverse()
    .filter((each) => parts.every((id) => rows.some((row) => row.accelerator_id === id && row.price_level === each)));
  // the default of each where all share one, else the newest in common that is implied or published
  const level = inCommon.find((each) => parts.every((id) => rows.some((row) => row.accelerator_id === id && row.price_level === each && row.is_default)))
    ?? inCommon.find((each) => rows.some((row) => row.price_level === each && row.capex_basis !== "observed_purchase")) ?? inCommon[0];
  const atLevel = rows.filter((row) => row.price_level === level);
  const bases = distinct(atLevel.map((row) => row.capex_basis))
    .filter((each) => parts.every((id) => atLevel.some((row) => row.accelerator_id === id && row.capex_basis === each)));
  const capital = bases.find((each) => atLevel.some((row) => row.capex_basis === each && row.is_default)) ?? bases[0];
  const owned = level ? ofParts(atLevel, parts, (row) => row.capex_basis === (capital ?? row.capex_basis)) : ofParts(rows, parts, (row) => row.is_default);
  const basis = level ? `prices of ${level}` : "no common basis of capital: each on its default";
  const topic = `Ownership, ${lower(owner)}`;
  const row = (name, what, unit, show) => line(topic, what, unit, owned.map((each) => each?.[name] ?? null), {
    release: basis, show,
    notes: owned.map((each) => (each ? [isNumber(each[`${name}_low`]) && rangeWords(each[`${name}_low`], each[`${name}_high`]), !level && each.price_level, lower(each.capex_basis)].filter(Boolean).join("; ") : "not known")),
  });
  return [
    row("usd_per_accelerator_hour", "Cost of an hour", "US$ per accelerator-hour", usd), row("capex_usd_per_accelerator", "Purchase, all-in", "US$ per accelerator", usd), row("it_power_w", "Power, all-in, before PUE", "W per accelerator", number),
  ];
}

function energyLines(parts) {
  return ["measured", "modelled"].flatMap((basis) => {
    const joules = (row) => row[`j_per_output_token_${basis}`];
    const cells = groupBy(rowsOf("energy").filter((row) => row.suite_kind === "inference" && !row.apart_reason && row.power_basis === basis && isNumber(joules(row))), (row) => `${row.benchmark_id} ${row.scenario}`);
    return [...cells].flatMap(([what, rows]) => {
      const common = newestCommon(rows, parts, (row) => -joules(row));
      return common ? [line(`Energy, ${basis}`, what, "J per output token, with PUE", common.best.map(joules), { release: common.release })] : [];
    }).sort((a, b) => a.what.localeCompare(b.what));
  });
}

const ratioOf = (row, i) => (isNumber(row.values[0]) && isNumber(row.values[i]) && row.values[0] ? row.values[i] / row.values[0] : null);

/** What is compared, then one column a part: its figure, how many times the first part's, and the condition of the figure. */
const comparisonColumns = (parts) => [
  { key: "what", title: "What", value: (row) => row.what, show: (_, row) => h("span", null, row.what, h("small", null, [row.unit, row.release].filter(Boolean).join("; "))) },
  ...["topic", "unit", "release"].map((key) => ({ key, title: key, onlyCsv: true, value: (row) => row[key] ?? null })),
  ...parts.map((id, i) => ({
    key: id, title: acceleratorName(id), value: (row) => row.values[i],
    show: (_, row) => h("span", null, h("strong", null, row.show(row.values[i])),
      i > 0 && row.topic !== SAME_SELLERS && isNumber(ratioOf(row, i)) && h("span", { class: "ratio" }, ` ${times(ratioOf(row, i))}`),
      row.notes[i] && h("small", null, row.notes[i])),
  })),
  ...parts.slice(1).map((id, i) => ({ key: `ratio_${id}`, title: id, onlyCsv: true, value: (row) => ratioOf(row, i + 1) })),
];

addPage({
  id: "side-by-side",
  place: "Choose",
  tab: "Side by side",
  title: "How do accelerators compare?",
  lead: "Two to four accelerators in one table: prices, speed, energy, cost of owning and specifications.",
  find: "compare|vs|versus",
  command: ["compare", "compare"],
  controls: [
    partChoice("a", "First", FIRST[0]), partChoice("b", "Second", FIRST[1]), partChoice("c", "Third"), partChoice("d", "Fourth"),
    ownerChoice("owner", () => idsOf("tco", "scenario_id")),
  ],

  view(chosen) {
    const parts = partsOf(chosen);
    if (parts.length < 2) return h("p", { class: "none" }, "Choose two different accelerators.");
    const speeds = speedLines(parts);
    const rows = [...sameSellerLines(parts, speeds), ...rentLines(parts), ...tokenCostLines(parts), ...ownershipLines(parts, chosen.owner), ...energyLines(parts), ...speeds, ...specLines(parts)];
    const unlike = rows.filter((row) => ["Inference", "Training"].includes(row.topic) && distinct(row.notes.map((text) => text?.split(",")[0] ?? null)).length > 1).length;
    return [
      figure({
        name: "side-by-side",
        title: parts.map(partName).join(" against "),
        subtitle: `Grey multiples compare each value with the ${partName(parts[0])}. Ranges and conditions are under the values. The first lines compare prices at sellers that have both, so that only the accelerators differ.`,
        tableRows: rows, columns: comparisonColumns(parts), groupBy: (row) => row.topic,
      }),
      note("Speeds are the best available results of any round, of training at the smallest size of system that all have; energy is of the newest round that has all accelerators. ", unlike > 0 && `${plural(unlike, "line")} of speed compare results of different number formats. `,
        "A dash marks a missing figure; a line that not all parts have in common is left out. Evidence of each result: ", h("a", { href: "#/accelerators" }, "For my model"), "."),
    ];
  },
});
