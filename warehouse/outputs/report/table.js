// Tables that sort, and their data as CSV.

const ROWS_PRINTED = 6;
const COLUMNS = 6;

/**
 * A column: {key, title, value(row), text(value, row), show(value, row)}; see `columns`. `value` is exact, `text` for people, `show` an element or a text.
 * The first six are the table's; the others are in the details of a row, which a button opens. On a phone a row is a card (report.css).
 * `ends`: columns of the low and high of the value, which stand under it; `onlyCsv` leaves a column out of the table. Of more rows than `rowsDrawn` a
 * button shows the next ones; `rowKey` names the columns that tell rows apart, by default key or accelerator_id; `groupBy(row)` gives the heading over rows, until the reader sorts; `width` is the number of columns where six are too few.
 * The reader's order is in the address, as `order=key` or, descending, `order=-key`; every table of the page with that column follows it.
 */
function dataTable({ caption, columns: asked, rows, rowKey = "key" in rows[0] ? "key" : "accelerator_id", rowsDrawn = Infinity, groupBy, width = COLUMNS }) {
  const columns = asked.map((column) => ({ ...column, isNumeric: rows.some((row) => isNumber(column.value?.(row))) }));
  const all = columns.filter((column) => !column.onlyCsv && !column.isEnd);
  const [shown, rest] = [all.slice(0, width), all.slice(width)];
  const body = h("tbody");
  const state = { column: null, descending: false };

  const heads = shown.map((column) => {
    const head = h("th", { scope: "col", class: classOf(column) });
    head.append(isSortable(column)
      ? h("button", { type: "button", class: "sort", onclick: () => {
        sortBy(column, state.column === column ? !state.descending : column.isNumeric);
        keepInAddress("order", `${state.descending ? "-" : ""}${column.key}`);
      } }, column.title)
      : document.createTextNode(column.title));
    return head;
  });

  function sortBy(column, descending) {
    Object.assign(state, { column, descending });
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    heads[shown.indexOf(column)]?.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    fill([...rows].sort((a, b) => compare(column.value(a), column.value(b)) * (state.descending ? -1 : 1)));
  }

  let limit = rowsDrawn;
  let order = rows;
  const more = rows.length > rowsDrawn && h("p", { class: "more" }, h("span"), " ", h("button", { type: "button", class: "quiet", onclick: () => {
    limit += rowsDrawn;
    fill(order);
  } }, `Show ${rowsDrawn} more`));

  function rowOf(row) {
    const key = rowKey.split("|").map((name) => row[name] ?? "").join("|");
    const cells = shown.map((column, i) => h(i === 0 ? "th" : "td", { ...cellOf(column), scope: i === 0 ? "row" : null }, contentOf(column, row)));
    if (!rest.length) return [h("tr", { "data-row": key }, cells)];
    const details = h("tr", { class: "details", hidden: true }, h("td", { colspan: shown.length + 1 }, h("dl", { "data-row": key }, rest.map((column) => {
      const value = column.value?.(row);
      return h("div", { hidden: Boolean(column.value) && (value === null || value === "") }, h("dt", null, column.title), h("dd", cellOf(column), contentOf(column, row)));
    }))));
    const button = h("button", { type: "button", class: "quiet open", "aria-expanded": "false", "aria-label": "Details of this row", onclick: () => {
      details.hidden = !details.hidden;
      button.setAttribute("aria-expanded", String(!details.hidden));
    } }, "⋯");
    return [h("tr", { "data-row": key }, cells, h("td", { class: "act" }, button)), details];
  }

  function fill(ordered) {
    order = ordered;
    let heading = null;
    body.replaceChildren(...ordered.slice(0, limit).flatMap((row) => {
      if (!groupBy || state.column || groupBy(row) === heading) return rowOf(row);
      heading = groupBy(row);
      return [h("tr", { class: "heading" }, h("th", { colspan: shown.length + (rest.length ? 1 : 0), scope: "colgroup" }, heading)), ...rowOf(row)];
    }));
    if (!more) return;
    more.hidden = ordered.length <= limit;
    more.firstChild.textContent = `Rows 1 to ${Math.min(limit, ordered.length)} of ${ordered.length}.`;
  }

  const [, minus, key] = /^(-?)(.*)$/.exec(readAddress().chosen.get("order") ?? "");
  const sorted = all.find((column) => isSortable(column) && column.key === key);
  if (sorted) sortBy(sorted, minus !== "");
  else fill(rows);
  // more rows than these are not printed: report.css
  const isCut = Math.min(rows.length, rowsDrawn) > ROWS_PRINTED;
  return h("div", null,
    h("div", { class: "scroll", "data-rows": isCut ? rows.length : null, tabindex: "0", role: "region", "aria-label": `Table: ${caption}` },
      h("table", null, h("caption", { class: "unseen" }, caption), h("thead", null, h("tr", null, heads, rest.length > 0 && h("td", { class: "act" }))), body)),
    more);
}

const isSortable = (column) => Boolean(column.value && !column.fixed);

const classOf = (column) => (column.isNumeric ? "num" : column.isDay ? "day" : null);

const cellOf = (column) => ({ class: classOf(column), "data-title": column.title });

function shownIn(column, row) {
  const value = column.value?.(row);
  return h("span", { "data-key": column.key, "data-value": isNumber(value) ? value : null }, column.show ? column.show(value, row) : column.text(value, row));
}

function contentOf(column, row) {
  const [low, high] = (column.ends ?? []).map((end) => [end.value(row), shownIn(end, row)]);
  return [shownIn(column, row), low && h("small", { hidden: !(isNumber(low[0]) && isNumber(high[0]) && low[0] < high[0]) }, low[1], " to ", high[1])];
}

// unknown values sort last in ascending order
function compare(a, b) {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  return isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

function toCsv(columns, rows) {
  const written = columns.filter((column) => column.value);
  return [written.map((column) => csvCell(column.key)), ...rows.map((row) =>
    written.map((column) => csvCell(column.value(row))))].map((cells) => `${cells.join(",")}\r\n`).join("");
}

/** Text that a spreadsheet would read as a formula gets a leading apostrophe. */
function csvCell(value) {
  if (value === null || value === undefined) return "";
  if (isNumber(value) || typeof value === "boolean") return String(value);
  const text = String(value);
  const harmless = /^[\s\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]*[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function download(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
