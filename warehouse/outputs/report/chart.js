// A figure: a Vega-Lite chart with its downloads and its data as a table.

// colours that people with colour blindness can distinguish; lighter ones on a dark background
const THEMES = {
  light: {
    colours: ["#34478f", "#b58900", "#aa4499", "#3a3a3a", "#4aa3c7", "#8c564b", "#c77cb0", "#7f8c3a"],
    meanings: { agrees: "#009e73", contradicted: "#d55e00", unknown: "#6e7781", better: "#2b8cbe", worse: "#882255", own: "#aa4499", rent: "#34478f" },
    ink: "#1b1f24", soft: "#59636e", line: "#d5dae0", ground: "#ffffff",
  },
  dark: {
    colours: ["#9db2ff", "#f0e442", "#e18fc4", "#c9d1d9", "#7fd3ff", "#d0a08f", "#f3b6dd", "#c3cf7a"],
    meanings: { agrees: "#2fc79a", contradicted: "#ff9a3c", unknown: "#a3adb8", better: "#56b4e9", worse: "#ff8cb8", own: "#e18fc4", rent: "#9db2ff" },
    ink: "#e6e9ed", soft: "#a3adb8", line: "#3a424c", ground: "#15191e",
  },
};

const themeInForce = () => document.documentElement.dataset.theme;

function configOf(theme) {
  const { colours, ink, soft, line, ground } = THEMES[theme];
  const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  return {
    background: ground,
    font,
    padding: { left: 2, right: 4, top: 6, bottom: 4 },
    view: { stroke: null },
    range: { category: colours },
    axis: {
      labelColor: soft, titleColor: soft, domainColor: line, tickColor: line, gridColor: line, gridOpacity: 0.6,
      labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8, labelLimit: 140,
    },
    legend: { orient: "top", direction: "horizontal", columns: 2, labelColor: ink, labelFontSize: 12, labelLimit: 300, title: null },
    title: { color: ink, subtitleColor: soft, fontSize: 14, subtitleFontSize: 12, anchor: "start", offset: 10 },
    text: { color: ink, fontSize: 12.5 },
    rule: { color: ink },
    tick: { color: ink },
    point: { color: colours[0] },
    concat: { spacing: 18 },
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

/** Vega is unpacked once, when the first chart is drawn: the page answers before. */
let unpacking = null;
async function vegaEmbed() {
  if (!window.vegaEmbed) await (unpacking ??= unpack("vega").text().then((text) => document.head.append(h("script", null, text))));
  return window.vegaEmbed;
}

async function embed(place, spec, theme) {
  return (await vegaEmbed())(place, spec, {
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

// a list with more rows is cut; the table has all rows, and a button draws all
const ROWS_DRAWN = 25;
const LISTS = new Set(["list", "ratios"]);
const PICTURE_WIDTH = 860;

/** Lines of at most so many letters. */
const wrapped = (text, letters) => text.match(new RegExp(`.{1,${letters}}(\\s|$)`, "g")).map((line) => line.trim());

/**
 * A chart with its title, downloads and table; without `rows` a table alone.
 * kind, and the properties of its form (unit, x, isLog, isJoined): see specOf; rows: the drawn rows; columns and tableRows: the table and CSV;
 * colours: group -> place among the colours of series, for groups that several charts share; open: show the table at once;
 * under: what stands between chart and table; onPick(row): called when a mark is clicked; empty: message without rows; basis: what the figures derive from, for the source line of a picture.
 */
function figure({
  name, rows, kind = rows && "list", title, subtitle, columns, tableRows = rows, rowKey, rowsDrawn, groupBy, open = false, under, onPick, empty, basis, ...form
}) {
  const id = `fig-${name}`;
  const caption = `Table, ${tableRows.length} ${tableRows.length === 1 ? "row" : "rows"}`;
  const isDrawn = (kind === "panels" ? rows[0].rows : rows ?? []).length > 0;
  const table = tableRows.length > 0 && columns && dataTable({ caption: title, columns, rows: tableRows, rowKey, rowsDrawn, groupBy });
  const nothing = !isDrawn && (kind || !table) && h("p", { class: "none" }, empty ?? "Nothing to show for these choices.");
  // screen readers get the name and the table; the marks would only repeat them
  const place = h("div", { "aria-hidden": "true" });
  const frame = isDrawn && h("div", { class: "chart", role: "img", "aria-label": `Chart: ${title}. The table below it has the same figures.` }, place);
  let shown = null;
  let isCut = LISTS.has(kind) && rows.length > ROWS_DRAWN + 5;
  const specAt = (width) => specOf(kind, isCut ? rows.slice(0, ROWS_DRAWN) : rows, { ...form, width, theme: THEMES[themeInForce()] });
  const more = isCut && h("p", { class: "more" }, `The first ${ROWS_DRAWN} of ${rows.length} are drawn; the table has all. `,
    h("button", { type: "button", class: "quiet", onclick: () => {
      isCut = false;
      more.remove();
      draw({ frame, render });
    } }, `Draw all ${rows.length}`));

  async function render() {
    shown?.finalize();
    shown = await embed(place, specAt(Math.max(240, frame.clientWidth - 8)), themeInForce());
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
    const spec = specAt(PICTURE_WIDTH);
    spec.title = { text: wrapped(title, 100), subtitle: [subtitle, sourceLine(basis)].filter(Boolean).flatMap((text) => wrapped(text, 125)) };
    const { view, finalize } = await embed(h("div"), spec, themeInForce());
    if (format === "svg") download(`accelmart-${name}.svg`, "image/svg+xml", await view.toSVG());
    else {
      const canvas = await view.toCanvas(2);
      await new Promise((done) => canvas.toBlob((blob) => done(download(`accelmart-${name}.png`, "image/png", blob))));
    }
    finalize();
  }

  const saves = [...(isDrawn ? ["png", "svg"] : []), ...(table ? ["csv"] : [])].map((format) =>
    h("button", { type: "button", class: "quiet", "data-save": format, onclick: () => save(format) },
      format.toUpperCase(), h("span", { class: "unseen" }, ` of ${title}`)));
  const section = h("section", { class: "figure", id, "aria-labelledby": `${id}-title` },
    h("div", { class: "figure-head" },
      h("div", null, h("h2", { id: `${id}-title` }, title), subtitle && h("p", { class: "subtitle" }, subtitle)),
      h("div", { class: "saves", role: "group", "aria-label": `Download: ${title}` }, saves)),
    nothing, frame, more, under,
    table && (kind ? h("details", { class: "data", open: open || !isDrawn }, h("summary", null, caption), table) : table));
  if (isDrawn) {
    redraws.set(section, () => draw({ frame, render }));
    draw({ frame, render });
  }
  return section;
}

const redraws = new WeakMap();

/** Draw the charts of the page again after a change of theme or width. */
function redrawCharts() {
  for (const section of document.querySelectorAll(".figure")) redraws.get(section)?.();
}

/** Source line of a downloaded picture. */
const sourceLine = (basis = "MLPerf results") => {
  const [generation] = rowsOf("generation");
  return `Accelmart ${generation.generation_id}. Derived from ${basis} and public prices; not verified by MLCommons Association.`;
};
