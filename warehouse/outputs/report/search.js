// A box in the head that finds a part or a model, and opens the page that answers what it costs.
import { distinct, rowsOf } from "./data.js";
import { h } from "./dom.js";
import { go } from "./state.js";
import { acceleratorName, benchmarkName } from "./common.js";

/** [words, address] of every model with a result and every accelerator with a price. */
function places() {
  const models = distinct([...rowsOf("token_throughput"), ...rowsOf("throughput")].map((row) => row.benchmark_id))
    .map((id) => [benchmarkName(id), `#/accelerators?${new URLSearchParams({ benchmark: id })}`]);
  const parts = distinct(rowsOf("offers").map((row) => row.accelerator_id))
    .map((id) => [acceleratorName(id), `#/prices?${new URLSearchParams({ accelerator: id })}`]);
  return [...models, ...parts].sort((a, b) => a[0].localeCompare(b[0]));
}

/** The box; Enter, or a choice from its list, opens the first place that has all words. */
export function searchBox() {
  const all = places();
  const list = h("datalist", { id: "find-places" }, all.map(([words]) => h("option", { value: words })));
  const box = h("input", { type: "search", id: "find-anything", list: "find-places", placeholder: "Find a part or model", "aria-label": "Find a part or model", autocomplete: "off", spellcheck: "false" });
  const none = h("span", { class: "note", role: "status" });
  const open = (isWhole) => {
    const asked = box.value.trim().toLowerCase();
    const wanted = asked.split(/\s+/);
    const found = all.find(([words]) => words.toLowerCase() === asked)
      ?? (isWhole || !asked ? null : all.find(([words, address]) => wanted.every((word) => `${words} ${address}`.toLowerCase().includes(word))));
    none.textContent = !found && !isWhole && asked ? "nothing found" : "";
    if (!found) return;
    box.value = "";
    go(found[1]);
  };
  box.addEventListener("input", () => open(true));
  return h("form", { class: "find", role: "search", onsubmit: (event) => { event.preventDefault(); open(false); } }, box, list, none);
}
