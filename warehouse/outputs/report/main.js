// Places and pages, theme and the provenance of every page.

const PLACES = [...new Set(PAGES.map((page) => page.place))];

const element = (id) => document.getElementById(id);
let current = null;
// as in report.css
const isPhone = () => window.innerWidth <= 640;

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
    // on a phone the choices are folded: figures come first
    element("choices").open = !isPhone();
    const tabs = (pages, nameOf, isCurrent) => h("ul", null, pages.map((each) => h("li", null, h("a", { href: `#/${each.id}`, "aria-current": isCurrent(each) }, nameOf(each)))));
    element("places").replaceChildren(tabs(PLACES.map((place) => PAGES.find((each) => each.place === place)), (each) => each.place, (each) => (each.place === page.place ? "true" : null)));
    element("pages").replaceChildren(tabs(PAGES.filter((each) => each.place === page.place), (each) => each.tab, (each) => (each === page ? "page" : null)));
    // on a phone the tabs scroll sideways
    element("pages").firstChild.scrollLeft = element("pages").querySelector("[aria-current]").offsetLeft - 40;
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
    page.command && h("p", null, h("strong", null, "Other inputs. "), `The command “accelmart ${page.command[0]}” and the SQL function “${page.command[1]}” give the same figures, and take any input.`),
    page.provenance && h("p", null, h("strong", null, "This page. "), page.provenance),
    h("p", null, h("strong", null, "Data. "), `Ages are counted from the day of the prices. “accelmart refresh” fetches new ones. Generation ${generation.generation_id}, built ${generation.built_at.slice(0, 16).replace("T", " ")} UTC by accelmart ${generation.code_version}. `,
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

element("theme").before(searchButton(PAGES));
const [clockWords, isOld] = clock();
element("clock").textContent = clockWords;
element("clock").classList.toggle("old", isOld);
element("foot").textContent = "Accelmart, Apache-2.0. This file is self-contained: it loads nothing and sends nothing.";
show();
