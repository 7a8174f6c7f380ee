// The forms of all charts, as Vega-Lite specifications: a list of values with their ranges, panels of such lists that share
// their names, and series over rounds, days or sizes. Names and figures stand outside of the plot, so that no line crosses them.

// widths in pixels of a letter, and of a bold one against it
const LETTER = 7.2;
const BOLD = 1.12;
const POINT = 70;
const textWidth = (texts) => LETTER * Math.max(0, ...texts.map((text) => String(text ?? "").length));
const tooltip = [["label", "what"], ["text", "value"], ["detail", "basis"]].map(([field, title]) => ({ field, type: "nominal", title }));

// a range of no width would claim certainty
const withoutFlatRange = (row) => (row.low === row.high ? { ...row, low: null, high: null } : row);

// One meaning a colour on every page; groups without a meaning take the colours of series in turn.
const COLOUR_MEANINGS = {
  agrees: ["Holds", "Reproduced", "Yes", "Within our range", "within 2 %"],
  contradicted: ["Does not hold", "Not reproduced", "No", "too high", "too low"],
  unknown: ["Not comparable", "Cannot be checked", "Not quantitative", "No range, no verdict", "About the same", "No verdict", "preview and research systems", "Apart: for other work"],
  better: ["faster", "more for the money", "Costs less", "Probably costs less"],
  worse: ["slower", "less for the money", "Costs more", "Probably costs more"],
  own: ["Own", "Keep", "Owning costs less", "Owning probably costs less"],
  rent: ["Rent", "Sell and rent", "Renting costs less", "Renting probably costs less"],
};
const COLOUR_MEANING = Object.fromEntries(Object.entries(COLOUR_MEANINGS).flatMap(([meaning, groups]) => groups.map((group) => [group, meaning])));

/** Colour by group: that of its meaning, else the place that `colours` gives, else the next one of the series. */
function colourOf(rows, { colours = {}, theme }) {
  const groups = [...new Set(rows.map((row) => row.group))];
  const others = groups.filter((group) => !COLOUR_MEANING[group]);
  const range = groups.map((group) => theme.meanings[COLOUR_MEANING[group]] ?? theme.colours[(colours[group] ?? others.indexOf(group)) % theme.colours.length]);
  const legend = groups.length < 2 ? null : { symbolOpacity: 1, symbolStrokeWidth: 2 };
  const channel = { field: "group", type: "nominal", title: null, sort: null, scale: { domain: groups, range }, legend };
  return groups.length ? channel : undefined;
}

/**
 * Rows from top to bottom: a point, the band of its range, a tick. Names are at the left of the plot and figures at its
 * right; on a narrow screen, or where names are long, both stand above the point.
 */
function listOf(rows, { unit, width, isRatio, names = true, above, numbers, data = "rows", title, colour }) {
  const figures = numbers ?? textWidth(rows.map((row) => row.text)) + 16;
  const natural = names ? BOLD * textWidth(rows.map((row) => row.label)) + 16 : 0;
  const isAbove = above ?? (names && natural > 0.42 * width);
  const plot = Math.max(60, isAbove ? width - 20 : width - natural - figures - 12);
  const yOffset = isAbove ? 11 : 0;
  const has = (name) => rows.some((row) => isNumber(row[name]));
  const scale = isRatio ? { type: "log", nice: false, padding: 14 } : { zero: true, nice: true };
  // long figures are written short: 5M
  const isLong = rows.some((row) => Math.max(row.value ?? 0, row.high ?? 0) >= 1e6);
  const format = isRatio ? { format: "~g" } : isLong ? { labelExpr: "replace(format(datum.value, '~s'), 'G', 'B')" } : {};
  const x = {
    field: "value", type: "quantitative", title: unit, scale,
    axis: { tickCount: Math.max(2, Math.round(plot / 80)), grid: !isAbove, labelOverlap: true, ...format },
  };
  const text = (align, at, mark, field) => ({
    mark: { type: "text", align, baseline: "middle", dy: isAbove ? -11 : 0, cursor: "pointer", ...mark },
    encoding: { x: { value: at }, text: { field, type: "nominal" }, color: { value: colour.ink } },
  });
  const fill = colour.channel ?? { condition: { test: "datum.isApart", value: colour.soft }, value: colour.first };
  return {
    width: plot,
    height: { step: isAbove ? 46 : 27 },
    title,
    data: { name: data },
    encoding: { y: { field: "key", type: "nominal", scale: { domain: rows.map((row) => row.key) }, axis: null }, tooltip },
    layer: [
      isRatio && (isAbove ? { mark: { type: "tick", thickness: 1, size: 15, yOffset }, encoding: { x: { datum: 1 } } }
        : { data: { values: [{}] }, mark: { type: "rule", strokeDash: [4, 3] }, encoding: { x: { datum: 1 }, y: null, tooltip: null } }),
      has("low") && { mark: { type: "rule", strokeWidth: 9, opacity: 0.3, yOffset }, encoding: { x: { ...x, field: "low" }, x2: { field: "high" }, color: fill } },
      isRatio && { mark: { type: "rule", strokeWidth: 2, yOffset }, encoding: { x, x2: { datum: 1 }, color: fill } },
      has("middle") && { mark: { type: "tick", thickness: 2, size: 15, yOffset }, encoding: { x: { ...x, field: "middle" } } },
      has("value") && { mark: { type: "point", filled: true, size: POINT, opacity: 1, cursor: "pointer", yOffset }, encoding: { x, color: fill } },
      names && text(isAbove ? "left" : "right", isAbove ? 0 : -10, { fontWeight: 600, limit: isAbove ? width - figures - 12 : natural }, "label"),
      text(isAbove ? "right" : "left", isAbove ? plot : plot + 12, {}, "text"),
    ].filter(Boolean),
  };
}

/** Lists beside each other with the same rows; the names stand once. On a narrow screen below each other. */
function panelsOf(panels, options) {
  const isWide = options.width >= 880;
  const rows = panels[0].rows;
  const named = BOLD * textWidth(rows.map((row) => row.label)) + 16;
  const each = Math.floor((options.width - named - 20 * panels.length) / panels.length);
  return {
    spacing: isWide ? 18 : 26,
    [isWide ? "hconcat" : "vconcat"]: panels.map((panel, i) => listOf(panel.rows, {
      ...options, unit: panel.unit, data: `panel_${i}`, title: { text: panel.title, fontSize: 13 },
      names: !isWide || i === 0, above: isWide ? false : undefined, width: isWide ? each + (i === 0 ? named : 0) : options.width,
    })),
  };
}

const X_SCALES = {
  order: { type: "ordinal", sort: null, axis: { labelAngle: 0, labelOverlap: true } },
  time: { type: "temporal", scale: { padding: 8 }, axis: { labelOverlap: true, format: "%b %Y" } },
  log: { type: "quantitative", scale: { type: "log", nice: false, padding: 12 }, axis: { format: ",~s", labelOverlap: true } },
  linear: { type: "quantitative", scale: { zero: false, padding: 14 }, axis: { format: ",~s", labelOverlap: true } },
};

/** Points over rounds, days or sizes (`x.scale`), joined within `series`, with a band from low to high, cut at `top`; `isPale` ones stand back. */
function seriesOf(rows, { unit, width, x, top, isLog, isJoined, hasFrontier, colour }) {
  const { axis, ...channel } = X_SCALES[x.scale];
  const base = {
    x: { ...channel, field: "x", title: x.title ?? null, axis: { ...axis, tickCount: Math.max(3, Math.round(width / 130)) } },
    color: colour.channel,
    detail: { field: "series", type: "nominal" },
  };
  const y = { field: "value", type: "quantitative", title: unit, scale: isLog ? { type: "log", nice: false, padding: 12 } : { zero: true, domainMax: top } };
  const shape = { field: "group", type: "nominal", title: null, sort: null, scale: { domain: colour.channel.scale.domain }, legend: colour.channel.legend };
  return {
    width: width - 70,
    height: 320,
    data: { name: "rows" },
    encoding: base,
    layer: [
      rows.some((row) => isNumber(row.low)) && { mark: { type: "area", opacity: 0.2, clip: true }, encoding: { y: { ...y, field: "low" }, y2: { field: "high" } } },
      hasFrontier && { transform: [{ filter: "datum.isFrontier" }], mark: { type: "line", strokeWidth: 1.5, strokeDash: [5, 4], color: colour.soft }, encoding: { y, color: null, detail: null } },
      isJoined && { mark: { type: "line", strokeWidth: 2, opacity: 0.8 }, encoding: { y } },
      { mark: { type: "point", filled: x.scale === "time" || hasFrontier, size: hasFrontier ? 110 : 50, strokeWidth: 1.8, cursor: "pointer" },
        encoding: { y, shape, tooltip, opacity: { condition: { test: "datum.isPale", value: 0.4 }, value: 1 } } },
    ].filter(Boolean),
  };
}

/**
 * A specification with its rows. kind: list, ratios, panels, series.
 * options: width, theme (ink, soft, colours), unit, colours (group -> place among the colours of series), x, top, isLog, isJoined.
 */
function specOf(kind, rows, options) {
  const { theme } = options;
  const { ink, soft } = theme;
  const flat = kind === "panels" ? [] : rows.map(withoutFlatRange);
  const colour = { ink, soft, first: theme.colours[0], channel: colourOf(flat, { colours: options.colours, theme }) };
  if (kind === "panels") {
    const panels = rows.map((panel) => ({ ...panel, rows: panel.rows.map(withoutFlatRange) }));
    return { ...panelsOf(panels, { ...options, colour }), datasets: Object.fromEntries(panels.map((panel, i) => [`panel_${i}`, panel.rows])) };
  }
  const form = kind === "series" ? seriesOf : listOf;
  return { ...form(flat, { ...options, colour, isRatio: kind === "ratios" }), datasets: { rows: flat } };
}
