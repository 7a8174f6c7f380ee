// Tabs, choices, theme and the provenance of every page.
import { byRound, rowsOf } from "./data.js";
import { h, put } from "./dom.js";
import { redrawCharts } from "./chart.js";
import { addressOf, go, outside, readAddress, resolve } from "./state.js";
import { list } from "./format.js";
import { words } from "./common.js";
import { pageAccelerators } from "./pages/accelerators.js";
import { pageChoose } from "./pages/choose.js";
import { searchBox } from "./search.js";
import { pageNumbers } from "./pages/numbers.js";
import { pageProgress } from "./pages/progress.js";
import { pageTraining } from "./pages/training.js";
import { pageTrainedTokens } from "./pages/trained_tokens.js";
import { pageServing } from "./pages/serving.js";
import { pageCrossCheck } from "./pages/cross_check.js";
import { pagePrices } from "./pages/prices.js";
import { pageBuildOrRent } from "./pages/build_or_rent.js";
import { pageRentOrOwn } from "./pages/rent_or_own.js";
import { pageSideBySide } from "./pages/side_by_side.js";
import { pageOffers } from "./pages/offers.js";
import { pageClaims } from "./pages/claims.js";
import { pageFindings } from "./pages/findings.js";
import { pagePublished } from "./pages/published.js";
import { pageHealth } from "./pages/health.js";

const PAGES = [
  pageAccelerators, pageChoose, pageRentOrOwn, pageSideBySide, pageNumbers, pageProgress, pageTraining, pageTrainedTokens, pageServing, pageCrossCheck, pagePrices, pageOffers, pageBuildOrRent,
  pageClaims, pageFindings, pagePublished, pageHealth,
];

const element = (id) => document.getElementById(id);
let current = null;

function show() {
  const { page: name, chosen } = readAddress();
  const page = PAGES.find((each) => each.id === name) ?? PAGES[0];
  const isNew = current !== page;
  current = page;
  const { values, controls, notices } = resolve(page.controls ?? [], chosen);
  const change = (changes, options) => {
    const next = new URLSearchParams(readAddress().chosen);
    for (const [key, value] of Object.entries(changes)) {
      if (value === null) next.delete(key);
      else next.set(key, value);
    }
    go(addressOf(page.id, next), options);
  };
  if (isNew) {
    element("controls").replaceChildren();
    element("tabs").replaceChildren(...PAGES.map((each) => h("li", null,
      h("a", { href: `#/${each.id}`, "aria-current": each === page ? "page" : null }, each.tab))));
    element("title").textContent = page.title;
    element("lead").textContent = page.lead;
    document.title = `${page.title} – Accelmart`;
    // not scrollIntoView: it also makes the next Tab start here, past the link that skips the tabs
    const tabs = element("tabs"), current = tabs.querySelector("[aria-current]");
    tabs.scrollLeft = current.offsetLeft - (tabs.clientWidth - current.offsetWidth) / 2;
  }
  showControls(controls, change);
  element("notices").replaceChildren(...notices.map((text) => h("p", { class: "notice" }, text)));
  element("view").replaceChildren();
  put(element("view"), [page.view(values, { change, chosen })]);
  element("view").append(provenance(page));
  if (!document.querySelector(".figure .chart")) document.documentElement.dataset.charts = "ready";
  const asked = chosen.get("evidence");
  if (asked && asked !== evidenceShown) {
    element("evidence")?.scrollIntoView({ block: "start" });
    element("evidence")?.focus({ preventScroll: true });
  }
  evidenceShown = asked;
  if (isNew && shownOnce && !asked) {
    window.scrollTo(0, 0);
    element("main").focus({ preventScroll: true });
  }
  shownOnce = true;
  document.documentElement.dataset.shown = location.hash || "#/";
}
let shownOnce = false;
let evidenceShown = null;

/** Controls are updated, not replaced, so that a slider can be dragged. */
function showControls(controls, change) {
  const form = element("controls");
  form.hidden = !controls.length;
  const wanted = new Set(controls.map(({ name }) => `control-${name}`));
  for (const old of [...form.querySelectorAll(".control")]) if (!wanted.has(old.id)) old.remove();
  for (const control of controls) {
    let box = element(`control-${control.name}`);
    if (!box) {
      box = (control.isSlider ? stopsBox : control.options ? selectBox : control.isText ? textBox : numberBox)(control, change);
      box.id = `control-${control.name}`;
      const group = control.group ? groupOf(form, control.group) : form;
      group.append(box);
    }
    box.update(control);
  }
}

function groupOf(form, name) {
  const id = `group-${name.replaceAll(/\W+/g, "-")}`;
  let group = element(id);
  if (!group) {
    group = h("fieldset", { id }, h("legend", null, name));
    form.append(group);
  }
  return group;
}

function selectBox(control, change) {
  const select = h("select", { id: `choose-${control.name}` });
  const box = h("div", { class: "control" }, h("label", { for: select.id }, control.label), select);
  let latest = control;
  select.addEventListener("change", () => change({
    [latest.name]: select.value === latest.initial ? null : select.value,
    ...Object.fromEntries((latest.resets ?? []).map((name) => [name, null])),
  }));
  box.update = (next) => {
    latest = next;
    const offered = JSON.stringify(next.options);
    if (box.offered !== offered) {
      select.replaceChildren(...next.options.map(([value, text]) => h("option", { value }, text)));
      box.offered = offered;
    }
    select.value = next.value;
    select.disabled = next.options.length === 0;
    box.hidden = Boolean(next.isHiddenWhenAlone) && next.options.length < 2;
  };
  return box;
}

/** A slider over options. */
function stopsBox(control, change) {
  const id = `choose-${control.name}`;
  const slider = h("input", { type: "range", id, min: 0, step: 1 });
  const shown = h("output", { for: id });
  const box = h("div", { class: "control" }, h("label", { for: id }, control.label), h("div", { class: "pair" }, slider, shown));
  let latest = control;
  slider.addEventListener("input", () => {
    const [value] = latest.options[Number(slider.value)];
    change({ [latest.name]: value === latest.initial ? null : value }, { replace: true });
  });
  box.update = (next) => {
    latest = next;
    const place = Math.max(0, next.options.findIndex(([value]) => value === next.value));
    const text = next.options[place]?.[1] ?? "";
    slider.max = Math.max(0, next.options.length - 1);
    slider.value = place;
    slider.disabled = next.options.length < 2;
    slider.setAttribute("aria-valuetext", text);
    shown.textContent = text;
  };
  return box;
}

function textBox(control, change) {
  const field = h("input", { id: `choose-${control.name}`, type: "search", autocomplete: "off", spellcheck: "false" });
  const box = h("div", { class: "control" }, h("label", { for: field.id }, control.label), field);
  let waiting = null;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => change({ [control.name]: field.value.trim() || null }, { replace: true }), 150);
  });
  box.update = (next) => {
    if (document.activeElement !== field) field.value = next.value;
  };
  return box;
}

function numberBox(control, change) {
  const id = `choose-${control.name}`;
  const field = h("input", { id, type: "number", step: "any", inputmode: "decimal", "aria-describedby": `${id}-help` });
  const slider = h("input", { type: "range", id: `${id}-slider`, "aria-label": `${control.label}, slider` });
  const back = h("button", { type: "button", class: "quiet back", hidden: true }, "default");
  const help = h("div", { class: "help", id: `${id}-help` });
  const box = h("div", { class: "control number" },
    h("label", { for: id }, control.label, control.unit && h("span", { class: "unit" }, ` ${control.unit}`)),
    h("div", { class: "pair" }, slider, field), h("div", { class: "under" }, help, back));
  let latest = control;
  function take(text) {
    const value = Number(text);
    const isPossible = text.trim() !== "" && Number.isFinite(value) && value >= latest.min && value <= latest.max
      && !(latest.above !== undefined && value <= latest.above);
    field.toggleAttribute("aria-invalid", !isPossible);
    if (!isPossible && text.trim() !== "") {
      help.textContent = outside(latest, text);
      return;
    }
    change({ [latest.name]: text.trim() === "" || value === latest.initial ? null : String(value) }, { replace: true });
  }
  field.addEventListener("input", () => take(field.value));
  slider.addEventListener("input", () => take(slider.value));
  back.addEventListener("click", () => {
    change({ [latest.name]: null }, { replace: true });
    field.focus();
  });
  box.update = (next) => {
    latest = next;
    const [low, high] = next.slider ?? [next.min, next.max];
    for (const [name, value] of [["min", low], ["max", Math.max(high, next.value ?? high)], ["step", next.step]]) {
      slider.setAttribute(name, value);
    }
    if (document.activeElement !== field) {
      field.value = next.value === null ? "" : String(Number(next.value.toPrecision(6)));
    }
    slider.value = next.value ?? low;
    const isChanged = next.value !== next.initial;
    box.classList.toggle("changed", isChanged);
    back.hidden = !isChanged;
    field.removeAttribute("aria-invalid");
    help.textContent = next.initial === null ? next.missing ?? "not known: enter one"
      : isChanged ? `default ${Number(next.initial.toPrecision(5))}` : next.origin ?? "";
  };
  return box;
}

/** What the page states about itself, the generation shown, and the citation rules of MLCommons. */
function provenance(page) {
  const [generation] = rowsOf("generation");
  return h("aside", { class: "provenance", "aria-label": "Data and citation" },
    page.provenance && h("p", null, h("strong", null, "This page. "), page.provenance),
    h("p", null, h("strong", null, "Data. "), `Generation ${generation.generation_id}, built ${generation.built_at.slice(0, 16).replace("T", " ")} UTC by accelmart ${generation.code_version}. `,
      ["inference", "training"].map((suite) => `MLPerf ${words(suite)}: ${list(rowsOf("coverage").filter((row) => row.suite_kind === suite).map((row) => row.release).sort(byRound)) || "no round"}. `),
      "Closed division; inference in the datacenter suite, standard systems, no derived results, unless stated otherwise."),
    h("p", null, h("strong", null, "Derived; not verified by MLCommons Association. "),
      "Figures per accelerator, per dollar, per joule and per token are computed by Accelmart from MLPerf results and public prices; ",
      "they are not official MLPerf results. Cite a result with its submitter, benchmark, system, division, scenario, round and submission id, ",
      "and name derived figures as derived. The MLPerf name and logo are trademarks of MLCommons Association."));
}

function applyTheme(theme) {
  document.documentElement.dataset.theme = theme;
  element("theme").textContent = theme === "dark" ? "Light" : "Dark";
  element("theme").setAttribute("aria-label", `Switch to ${theme === "dark" ? "light" : "dark"} colours`);
}

const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = null;
const themeNow = () => chosenTheme ?? (prefersDark.matches ? "dark" : "light");
element("theme").addEventListener("click", () => {
  chosenTheme = themeNow() === "dark" ? "light" : "dark";
  applyTheme(chosenTheme);
  redrawCharts();
});
prefersDark.addEventListener("change", () => {
  applyTheme(themeNow());
  redrawCharts();
});
applyTheme(themeNow());

let width = window.innerWidth;
let resized = null;
window.addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(() => {
    if (window.innerWidth !== width) {
      width = window.innerWidth;
      redrawCharts();
    }
  }, 150);
});
window.addEventListener("hashchange", show);
window.addEventListener("keydown", (event) => {
  if (event.key === "Escape") element("tooltip").hidden = true;
});
// tables are opened for printing
window.addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details.data")) {
    details.dataset.was = details.open ? "open" : "";
    details.open = true;
  }
});
window.addEventListener("afterprint", () => {
  for (const details of document.querySelectorAll("details.data")) details.open = details.dataset.was === "open";
});

const [made] = rowsOf("generation");
element("generation").before(searchBox());
element("generation").textContent = `Data of ${made.built_at.slice(0, 10)} · generation ${made.generation_id}`;
element("foot").textContent = "Accelmart, Apache-2.0. This file is self-contained: it loads nothing and sends nothing.";
show();
