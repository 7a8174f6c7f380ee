// The state is part of the address, after the #, so that links and the back button work: #/page?name=value&…
// Defaults are left out.

const PAGES = [];
/** A page: {id, place, tab, title, lead, find: names for the search, divided by |, controls, view(values, {change, chosen}), command: [of the command line, SQL function], provenance}. */
const addPage = (page) => PAGES.push(page);

function readAddress() {
  const [page, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { page, chosen: new URLSearchParams(query ?? "") };
}

function addressOf(page, chosen) {
  const query = new URLSearchParams([...chosen].filter(([, value]) => value !== null && value !== "")).toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}

/** Navigate; `replace` adds no step to the history (a slider would add hundreds). */
function go(address, { replace = false } = {}) {
  if (location.hash === address) return;
  if (replace) {
    history.replaceState(null, "", address);
    window.dispatchEvent(new Event("hashchange"));
  } else {
    location.hash = address;
  }
}

/** Put a choice into the address that the page has already followed. */
function keepInAddress(name, value) {
  const { page, chosen } = readAddress();
  chosen.set(name, value);
  history.replaceState(null, "", addressOf(page, chosen));
}

/**
 * Choices in force, from what was chosen and what there is.
 * A control: {name, label, options(values) → [[value, words]], initial(values), isSlider: drawn as a slider}, or for a number
 * {name, label, unit, min, max, step, initial(values)}, for words {name, label, isText: true}. Later ones see the values of those before.
 */
function resolve(controls, chosen) {
  const values = {};
  const notices = [];
  const resolved = controls.map((control) => {
    const asked = chosen.get(control.name);
    if (control.options) {
      const options = control.options(values);
      const initial = control.initial?.(values, options) ?? options[0]?.[0] ?? "";
      const isThere = options.some(([value]) => value === asked);
      if (asked !== null && !isThere) {
        notices.push(`${control.label}: there is no “${asked}” here; shown is “${wordsOf(options, initial)}”.`);
      }
      values[control.name] = isThere ? asked : initial;
      return { ...control, options, initial, value: values[control.name] };
    }
    if (control.isText) {
      values[control.name] = asked ?? "";
      return { ...control, initial: "", value: values[control.name] };
    }
    const initial = control.initial(values);
    const number = asked === null || asked.trim() === "" ? NaN : Number(asked);
    const isPossible = Number.isFinite(number) && number >= control.min && number <= control.max
      && !(control.above !== undefined && number <= control.above);
    if (asked !== null && !isPossible) notices.push(`${control.label}: ${outside(control, asked)}; the default counts.`);
    values[control.name] = isPossible ? number : initial;
    return { ...control, initial, origin: initial === null ? "" : control.origin?.(values), value: values[control.name] };
  });
  return { values, controls: resolved, notices };
}

const outside = (control, asked) =>
  `“${asked}” is not possible (${control.above !== undefined ? `above ${control.above}` : `from ${control.min}`} to ${control.max.toLocaleString("en-US")})`;

const wordsOf = (options, value) => options.find(([v]) => v === value)?.[1] ?? value;
