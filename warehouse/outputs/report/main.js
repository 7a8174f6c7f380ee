// Places and pages, theme and the provenance of every page.
import { byRound, rowsOf } from "./data.js";
import { h, put } from "./dom.js";
import { redrawCharts } from "./chart.js";
import { addressOf, go, readAddress, resolve } from "./state.js";
import { list } from "./format.js";
import { words } from "./common.js";
import { showControls } from "./controls.js";
import { searchBox } from "./search.js";
import { pageAccelerators } from "./pages/accelerators.js";
import { pageChoose } from "./pages/choose.js";
import { pagePower } from "./pages/power.js";
import { pageMachines } from "./pages/machines.js";
import { pageSideBySide } from "./pages/side_by_side.js";
import { pageAlternatives } from "./pages/alternatives.js";
import { pageNumbers } from "./pages/numbers.js";
import { pageTrain } from "./pages/train.js";
import { pagePrices } from "./pages/prices.js";
import { pageLevels } from "./pages/levels.js";
import { pageOffers } from "./pages/offers.js";
import { pageTokens } from "./pages/tokens.js";
import { pageElectricity } from "./pages/electricity.js";
import { pageOwning } from "./pages/owning.js";
import { pageProgress } from "./pages/progress.js";
import { pageTraining } from "./pages/training.js";
import { pageServing } from "./pages/serving.js";
import { pageClaims } from "./pages/claims.js";
import { pageFindings } from "./pages/findings.js";
import { pagePublished } from "./pages/published.js";
import { pageCalibration } from "./pages/calibration.js";
import { pageHealth } from "./pages/health.js";

const PAGES = [
  pageAccelerators, pageChoose, pagePower, pageMachines, pageSideBySide, pageAlternatives, pageNumbers, pageTrain,
  pagePrices, pageLevels, pageOffers, pageTokens, pageElectricity, pageOwning,
  pageProgress, pageTraining, pageServing,
  pageClaims, pageFindings, pagePublished, pageCalibration, pageHealth,
];
const PLACES = [...new Set(PAGES.map((page) => page.place))];

// addresses of pages that became part of others: the page, and new names of choices
const MOVED = {
  "rent-or-own": ["my-numbers", { owner: "scenario", utilisation: "utilisation_pct", capex: "capex_usd_per_accelerator", interest: "cost_of_capital_pct", residual: "residual_pct" }],
  "trained-tokens": ["training", {}],
  "cross-check": ["serving", {}],
};

const element = (id) => document.getElementById(id);
let current = null;
// as in report.css
const isPhone = () => window.innerWidth <= 640;

function show() {
  const { page: name, chosen } = readAddress();
  if (MOVED[name]) {
    const [moved, names] = MOVED[name];
    go(addressOf(moved, new URLSearchParams([...chosen].map(([key, value]) => [names[key] ?? key, value]))), { replace: true });
    return;
  }
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
    // on a phone the choices are folded: figures come first
    element("choices").open = !isPhone();
    const tabs = (pages, nameOf, isCurrent) => h("ul", null, pages.map((each) => h("li", null, h("a", { href: `#/${each.id}`, "aria-current": isCurrent(each) }, nameOf(each)))));
    element("places").replaceChildren(tabs(PLACES.map((place) => PAGES.find((each) => each.place === place)), (each) => each.place, (each) => (each.place === page.place ? "true" : null)));
    element("pages").replaceChildren(tabs(PAGES.filter((each) => each.place === page.place), (each) => each.tab, (each) => (each === page ? "page" : null)));
    element("title").textContent = page.title;
    element("lead").textContent = page.lead;
    document.title = `${page.title} – Accelmart`;
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
      if (!isPhone()) element("choices").open = true;
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
