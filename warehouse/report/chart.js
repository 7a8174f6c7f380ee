// A figure: a Vega-Lite chart with its downloads and its data as a table.
import { rowsOf } from "./data.js";
import { foreign, h } from "./dom.js";
import { isNumber } from "./formulas.js";
import { dataTable, download, toCsv } from "./table.js";

const SPECS = JSON.parse(document.getElementById("charts").textContent);

// colours of Okabe and Ito, which people with colour blindness can distinguish; lighter ones on a dark background
const THEMES = {
  light: {
    colours: ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#b58900", "#3a3a3a", "#56b4e9", "#882255"],
    ink: "#1b1f24", soft: "#59636e", line: "#d5dae0", ground: "#ffffff",
  },
  dark: {
    colours: ["#56b4e9", "#e69f00", "#2fc79a", "#e18fc4", "#f0e442", "#c9d1d9", "#4f9fe0", "#ff8c69"],
    ink: "#e6e9ed", soft: "#a3adb8", line: "#3a424c", ground: "#15191e",
  },
};

export const themeInForce = () => document.documentElement.dataset.theme;

function configOf(theme) {
  const { colours, ink, soft, line, ground } = THEMES[theme];
  const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  return {
    background: ground,
    font,
    padding: { left: 2, right: 14, top: 6, bottom: 4 },
    view: { stroke: null },
    range: { category: colours },
    axis: {
      labelColor: soft, titleColor: soft, domainColor: line, tickColor: line, gridColor: line, gridOpacity: 0.6,
      labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8, labelLimit: 140,
    },
    legend: { orient: "top", direction: "horizontal", columns: 2, labelColor: ink, labelFontSize: 12, labelLimit: 300, title: null, symbolType: "square" },
    title: { color: ink, subtitleColor: soft, fontSize: 14, subtitleFontSize: 12, anchor: "start", offset: 10 },
    text: { color: ink, fontSize: 12.5 },
    rule: { color: ink },
    tick: { color: ink },
    bar: { color: colours[0] },
    style: { halo: { stroke: ground, strokeWidth: 4, strokeJoin: "round" } },
  };
}

let pending = [];
let drawing = null;

/** Draw charts after the figures of the page are shown, and only if they are still on the page. */
function draw(job) {
  document.documentElement.dataset.charts = "drawing";
  pending.push(job);
  clearTimeout(drawing);
  drawing = setTimeout(async () => {
    const jobs = pending;
    pending = [];
    for (const { frame, render } of jobs) if (frame.isConnected) await render();
    if (!pending.length) document.documentElement.dataset.charts = "ready";
  }, 40);
}

// a range of no width would claim certainty
const withoutFlatRange = (row) => (row.low === row.high ? { ...row, low: null, high: null } : row);

/** Whether a layer has anything to draw: Vega warns of a field that is empty in every row. */
const hasFigures = ({ encoding }, rows) => !encoding?.x?.field || rows.some((row) => isNumber(row[encoding.x.field]));

/** A specification with its words and rows inserted, sized for a width. */
function specOf(kind, allRows, words, width, colours) {
  const rows = LISTS.has(kind) ? allRows.map(withoutFlatRange) : allRows;
  const spec = JSON.parse(JSON.stringify(SPECS[kind]), (_, value) =>
    typeof value === "string" ? value.replace(/%(\w+)%/g, (all, word) => words[word] ?? "") : value);
  // a name may use the width that the figure on its right leaves; a letter is about seven pixels wide
  const figureWidth = 24 + 7 * Math.max(0, ...rows.map((row) => String(row.text ?? "").length));
  for (const { mark } of (spec.layer ?? []).flatMap((layer) => layer.layer ?? [layer])) {
    if (mark?.type === "text" && mark.align === "left") mark.limit = width - figureWidth;
  }
  if (LISTS.has(kind)) spec.layer = spec.layer.filter((layer) => hasFigures(layer, rows));
  const groups = new Set(rows.map((row) => row.group ?? row.component));
  if (colours) fixColours(spec, Object.keys(colours).filter((group) => groups.has(group)), colours);
  return {
    ...spec,
    width,
    // the specification refers to its rows by this name
    datasets: { rows },
    // one group needs no legend
    config: { legend: groups.size < 2 ? { disable: true } : { columns: Math.max(1, Math.floor(width / 210)) } },
  };
}

const layersOf = (spec) => (spec.layer ?? []).flatMap((layer) => (layer.layer ? layersOf(layer) : [layer])).concat(spec.layer ? [] : [spec]);

/** Groups keep their colour (a place in the theme's list) whichever of them are drawn. */
function fixColours(spec, domain, colours) {
  const range = domain.map((group) => THEMES[themeInForce()].colours[colours[group]]);
  for (const { encoding } of layersOf(spec)) {
    if (encoding?.color?.field) encoding.color.scale = { domain, range };
    // with equal domains the legends merge, and a shape without a legend would hide that of the colours
    if (encoding?.shape?.field && encoding.shape.legend !== null) encoding.shape.scale = { domain };
  }
}

async function embed(place, spec, theme) {
  return window.vegaEmbed(place, spec, {
    actions: false,
    // expressions are interpreted, never evaluated as scripts: the page's policy forbids that
    ast: true,
    config: configOf(theme),
    defaultStyle: false,
    mode: "vega-lite",
    renderer: "svg",
    tooltip: showTooltip,
    // nothing is ever fetched
    loader: { load: refuse, sanitize: refuse, http: refuse, file: refuse },
  });
}

const refuse = async (address) => {
  throw new Error(`the report loads nothing: ${address}`);
};

function showTooltip(_, event, __, value) {
  const box = document.getElementById("tooltip");
  if (!value) {
    box.hidden = true;
    return;
  }
  const lines = typeof value === "object" ? Object.entries(value) : [["", value]];
  box.replaceChildren(...lines.filter(([, words]) => words !== "undefined" && words !== "null" && words !== "")
    .map(([name, words]) => h("div", null, name && h("span", null, `${name}: `), foreign(words))));
  box.hidden = false;
  const { innerWidth, innerHeight } = window;
  box.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8))}px`;
  box.style.top = `${Math.max(4, Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8))}px`;
}

// a chart with more bars is cut; the table has all rows, and a button draws all bars
const BARS_SHOWN = 25;
const LISTS = new Set(["ranked", "ratios"]);

/**
 * A chart with its title, downloads and table.
 * kind: name of a specification; rows: the drawn rows; words: replacements for %words%; columns and tableRows: the table and CSV;
 * colours: group -> place in the list of colours, for groups with the same meaning on every page; open: show the table at once; onPick(row): called when a mark is clicked; empty: message without rows;
 * basis: what the figures derive from, for the source line of a picture.
 */
export function figure({
  name, kind, title, subtitle, rows, words = {}, columns, tableRows = rows, rowKey, rowsDrawn, open = false, onPick, empty, colours, basis,
}) {
  const id = `fig-${name}`;
  if (!rows.length) {
    return h("section", { class: "figure", id, "aria-labelledby": `${id}-title` },
      h("h2", { id: `${id}-title` }, title), h("p", { class: "none" }, empty ?? "Nothing to show for these choices."));
  }
  // screen readers get the name and the table; the marks would only repeat them
  const place = h("div", { "aria-hidden": "true" });
  const frame = h("div", { class: "chart", role: "img", "aria-label": `Chart: ${title}. The table below it has the same figures.` }, place);
  let shown = null;
  let isCut = LISTS.has(kind) && rows.length > BARS_SHOWN + 5;
  const drawn = () => (isCut ? rows.slice(0, BARS_SHOWN) : rows);
  const more = isCut && h("p", { class: "more" }, `The first ${BARS_SHOWN} of ${rows.length} are drawn; the table has all. `,
    h("button", { type: "button", class: "quiet", onclick: () => {
      isCut = false;
      more.remove();
      draw({ frame, render });
    } }, `Draw all ${rows.length}`));

  async function render() {
    shown?.finalize();
    const width = Math.max(240, frame.clientWidth - 18);
    shown = await embed(place, specOf(kind, drawn(), words, width, colours), themeInForce());
    if (onPick) {
      shown.view.addEventListener("click", (_, item) => item?.datum?.key !== undefined && onPick(item.datum));
    }
  }

  async function save(format) {
    if (format === "csv") {
      download(`accelmart-${name}.csv`, "text/csv;charset=utf-8", `\ufeff${toCsv(columns, tableRows)}`);
      return;
    }
    // a downloaded picture carries its title and source
    const spec = specOf(kind, drawn(), words, 760, colours);
    spec.title = { text: title, subtitle: [subtitle, sourceLine(basis)].filter(Boolean) };
    const { view, finalize } = await embed(h("div"), spec, themeInForce());
    if (format === "svg") download(`accelmart-${name}.svg`, "image/svg+xml", await view.toSVG());
    else {
      const canvas = await view.toCanvas(2);
      await new Promise((done) => canvas.toBlob((blob) => done(download(`accelmart-${name}.png`, "image/png", blob))));
    }
    finalize();
  }

  const saves = ["png", "svg", "csv"].map((format) =>
    h("button", { type: "button", class: "quiet", "data-save": format, onclick: () => save(format) },
      format.toUpperCase(), h("span", { class: "unseen" }, ` of ${title}`)));
  const section = h("section", { class: "figure", id, "aria-labelledby": `${id}-title` },
    h("div", { class: "figure-head" },
      h("div", null, h("h2", { id: `${id}-title` }, title), subtitle && h("p", { class: "subtitle" }, subtitle)),
      h("div", { class: "saves", role: "group", "aria-label": `Download: ${title}` }, saves)),
    frame,
    more,
    h("details", { class: "data", open }, h("summary", null, `Table, ${tableRows.length} ${tableRows.length === 1 ? "row" : "rows"}`),
      dataTable({ caption: title, columns, rows: tableRows, rowKey, rowsDrawn })));
  redraws.set(section, () => draw({ frame, render }));
  draw({ frame, render });
  return section;
}

const redraws = new WeakMap();

/** Draw the charts of the page again after a change of theme or width. */
export function redrawCharts() {
  for (const section of document.querySelectorAll(".figure")) redraws.get(section)?.();
}

/** Source line of a downloaded picture. */
export const sourceLine = (basis = "MLPerf results") => {
  const [generation] = rowsOf("generation");
  return `Accelmart ${generation.generation_id}. Derived from ${basis} and public prices; not verified by MLCommons Association.`;
};
