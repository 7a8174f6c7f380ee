// The search palette: `/` or Ctrl+K finds pages, accelerators, models, sellers, places, claims, and "X vs Y".

const FOUND = 12;
const textWords = (text) => text.toLowerCase().split(/[^\p{L}\p{N}.]+/u).filter(Boolean);
const entry = (kind, text, page, chosen, also = "") => ({ kind, text, address: addressOf(page, new URLSearchParams(chosen)), names: [text, ...also.split("|")].map((name) => textWords(name).join(" ")) });

/** Accelerators by the number of their offers, so that "H100" is the one most sold. */
const partEntries = () => [...groupBy(rowsOf("offers"), (row) => row.accelerator_id)].sort(([, a], [, b]) => b.length - a.length)
  .map(([id]) => entry("Accelerator", acceleratorName(id), "prices", { accelerator: id }, `${id}|${partName(id)}`));

function allEntries(pages) {
  const models = distinct([...rowsOf("token_throughput"), ...rowsOf("throughput")].map((row) => row.benchmark_id));
  return [
    ...pages.map((page) => entry("Page", page.title, page.id, {}, [page.tab, page.place, page.find].join("|"))),
    ...distinct(rowsOf("alternatives").map((row) => row.asked)).map((asked) => entry("Page", `${asked} against other makers`, "alternatives", { asked }, asked)),
    ...distinct(rowsOf("price_levels").map((row) => row.pricing_model)).map((pricing) => entry("Page", `${words(pricing)}: prices of all accelerators`, "price-levels", { pricing }, words(pricing))),
    ...distinct(rowsOf("claims").map((row) => row.claimed_by)).map((by) => entry("Page", `Claims by ${by}`, "claims", { by }, `${by} claims`)),
    ...partEntries(),
    ...models.sort((a, b) => isCurrent(b) - isCurrent(a)).map((id) => entry("Model", benchmarkName(id), "accelerators", { benchmark: id }, id)),
    ...distinct(rowsOf("all_offers").map((row) => row.provider)).map((id) => entry("Seller", providerName(id), "offers", { seller: id, pricing: "all" }, id)),
    ...placeOptions(rowsOf("all_offers")).slice(1).map(([id, name]) => entry("Place", `Offers in ${name}`, "offers", { place: id }, name)),
    ...rowsOf("claims").map((row) => entry("Claim", row.statement_short, "claims", { find: row.claim_id }, row.claim_id)),
  ];
}

/** How well an entry fits: 3 is one of its names, 2 a name that begins so, 1 has all words; 0 does not fit. */
function fitOf({ names }, asked) {
  if (names.includes(asked)) return 3;
  if (names.some((name) => name.startsWith(asked))) return 2;
  const all = names.join(" ").split(" ");
  return Number(asked.split(" ").every((word) => all.some((each) => each.startsWith(word))));
}

const best = (entries, asked) => entries.map((each) => [fitOf(each, asked), each]).filter(([fit]) => fit).sort(([a], [b]) => b - a).map(([, each]) => each);

function search(entries, text) {
  const asked = textWords(text).join(" ");
  if (!asked) return entries.filter(({ kind }) => kind === "Page").slice(0, FOUND);
  const parts = entries.filter(({ kind }) => kind === "Accelerator");
  const [, ...sides] = /^(.+?) (?:vs\.?|versus|against|or|and) (.+)$/.exec(asked) ?? [];
  const [a, b] = sides.map((side) => best(parts, side)[0]);
  const matches = best(entries, asked);
  const nearest = !matches.some(({ kind }) => kind !== "Claim") && nearestModel(text);
  return [
    ...(a && b && a !== b ? [entry("Compare", `${a.text} against ${b.text}`, "side-by-side", { a: a.names[1].replaceAll(" ", "-"), b: b.names[1].replaceAll(" ", "-") })] : []),
    ...(nearest ? [entry("Model", `Not measured. Nearest measured size: ${modelName(nearest.benchmark_id)} (${number(nearest.model_parameters / 1e9)} billion parameters)`, "accelerators", { asked: text.trim() })] : []),
    ...matches,
  ].slice(0, FOUND);
}

/** The button of the head, and the palette that it and the keys open. */
function searchButton(pages) {
  const list = h("ul", { role: "listbox", id: "matches", "aria-label": "Matches" });
  const box = h("input", { type: "search", role: "combobox", "aria-expanded": "true", "aria-controls": "matches", "aria-label": "Search pages, accelerators, models, sellers and claims", placeholder: "H100, B200 vs H100, carbon, CoreWeave …", autocomplete: "off", spellcheck: "false" });
  const palette = h("dialog", { id: "palette", "aria-label": "Search" }, box, list);
  let entries = null;
  let matches = [];
  let at = 0;
  const open = () => {
    entries ??= allEntries(pages);
    box.value = "";
    show();
    palette.showModal();
  };
  const follow = (each) => {
    palette.close();
    if (each) go(each.address);
  };
  function mark(place) {
    at = Math.max(0, Math.min(place, matches.length - 1));
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === at)));
    list.children[at]?.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", matches.length ? `match-${at}` : "");
  }
  function show() {
    matches = search(entries, box.value);
    list.replaceChildren(...(matches.length ? matches.map((each, i) => h("li", { role: "option", id: `match-${i}`, onclick: () => follow(each) }, h("span", null, each.text), h("small", null, each.kind)))
      : [h("li", { role: "option", "aria-disabled": "true" }, "Nothing matches.")]));
    mark(0);
  }
  box.addEventListener("input", show);
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) mark(at + step);
    else if (event.key === "Enter") follow(matches[at]);
    else return;
    event.preventDefault();
  });
  palette.addEventListener("click", (event) => event.target === palette && palette.close());
  window.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select, textarea, dialog");
    if (palette.open || !((event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey)))) return;
    event.preventDefault();
    open();
  });
  document.body.append(palette);
  return h("button", { type: "button", id: "search", class: "quiet search", onclick: open }, "Search", h("kbd", null, "/ or Ctrl K"));
}
