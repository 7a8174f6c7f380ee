// Tables that sort, and their data as CSV.
import { h } from "./dom.js";
import { isNumber } from "./formulas.js";
import { keepInAddress, readAddress } from "./state.js";

const ROWS_PRINTED = 6;

/**
 * A column: {key, title, value(row), text(value, row), node(row), numeric}. `value` is exact, `text` for people,
 * `node` replaces the text of the cell; `screenOnly` leaves the column out when printed, `onlyCsv` out of the table. Of more
 * rows than `rowsDrawn` a button shows the next ones; `groupBy(row)` gives the heading over rows, until the reader sorts.
 * The reader's order is in the address, as `order=key` or, descending, `order=-key`; every table of the page with that column follows it.
 */
export function dataTable({ caption, columns, rows, rowKey, rowsDrawn = Infinity, groupBy }) {
  const body = h("tbody");
  const state = { column: null, descending: false };
  const shownColumns = columns.filter((column) => !column.onlyCsv);

  const heads = shownColumns.map((column) => {
    const head = h("th", { scope: "col", class: classOf(column) });
    head.append(isSortable(column)
      ? h("button", { type: "button", class: "sort", onclick: () => {
        sortBy(column, state.column === column ? !state.descending : Boolean(column.numeric));
        keepInAddress("order", `${state.descending ? "-" : ""}${column.key}`);
      } }, column.title)
      : document.createTextNode(column.title));
    return head;
  });

  function sortBy(column, descending) {
    Object.assign(state, { column, descending });
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    heads[shownColumns.indexOf(column)].setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    fill([...rows].sort((a, b) => compare(column.value(a), column.value(b)) * (state.descending ? -1 : 1)));
  }

  let limit = rowsDrawn;
  let order = rows;
  const more = rows.length > rowsDrawn && h("p", { class: "more" }, h("span"), " ", h("button", { type: "button", class: "quiet", onclick: () => {
    limit += rowsDrawn;
    fill(order);
  } }, `Show ${rowsDrawn} more`));

  function fill(ordered) {
    order = ordered;
    let heading = null;
    body.replaceChildren(...ordered.slice(0, limit).flatMap((row) => {
      const drawn = h("tr", { "data-row": rowKey?.(row) }, shownColumns.map((column, i) => cell(column, row, i)));
      if (!groupBy || state.column || groupBy(row) === heading) return [drawn];
      heading = groupBy(row);
      return [h("tr", { class: "heading" }, h("th", { colspan: shownColumns.length, scope: "colgroup" }, heading)), drawn];
    }));
    if (!more) return;
    more.hidden = ordered.length <= limit;
    more.firstChild.textContent = `Rows 1 to ${Math.min(limit, ordered.length)} of ${ordered.length}.`;
  }

  const [, minus, key] = /^(-?)(.*)$/.exec(readAddress().chosen.get("order") ?? "");
  const asked = shownColumns.find((column) => isSortable(column) && column.key === key);
  if (asked) sortBy(asked, minus !== "");
  else fill(rows);
  // more rows than these are not printed: report.css
  const isCut = Math.min(rows.length, rowsDrawn) > ROWS_PRINTED;
  return h("div", null,
    h("div", { class: "scroll", "data-rows": isCut ? rows.length : null, tabindex: "0", role: "region", "aria-label": `Table: ${caption}` },
      h("table", null, h("caption", { class: "unseen" }, caption), h("thead", null, h("tr", null, heads)), body)),
    more);
}

const isSortable = (column) => Boolean(column.value && !column.fixed);

const classOf = (column) =>
  [column.numeric ? "num" : column.isDay ? "day" : column.wide && "wide", column.screenOnly && "screen-only"].filter(Boolean).join(" ") || null;

function cell(column, row, place) {
  const value = column.value?.(row);
  const attributes = {
    class: classOf(column),
    "data-key": column.key,
    "data-value": isNumber(value) ? value : null,
  };
  const content = column.node ? column.node(row) : column.text ? column.text(value, row) : value ?? "–";
  return h(place === 0 ? "th" : "td", place === 0 ? { ...attributes, scope: "row" } : attributes, content);
}

// unknown values sort last in ascending order
function compare(a, b) {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1;
  if (b === null || b === undefined) return -1;
  return isNumber(a) && isNumber(b) ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
}

export function toCsv(columns, rows) {
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

export function download(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
