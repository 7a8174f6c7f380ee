// The controls of a page: choices, sliders, texts and numbers. A choice is written into the address.

/** Controls are updated, not replaced, so that a slider can be dragged. */
function showControls(controls, change) {
  const form = document.getElementById("controls");
  document.getElementById("choices").hidden = !controls.length;
  const wanted = new Set(controls.map(({ name }) => `control-${name}`));
  for (const old of [...form.querySelectorAll(".control")]) if (!wanted.has(old.id)) old.remove();
  for (const control of controls) {
    let box = document.getElementById(`control-${control.name}`);
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
  let group = document.getElementById(id);
  if (!group) {
    // the last group may be long: it is folded
    group = h("fieldset", { id }, h("legend", null, name));
    form.append(name.startsWith("More") ? h("details", null, h("summary", null, name), group) : group);
  }
  return group;
}

const resetsOf = (control) => Object.fromEntries((control.resets ?? []).map((name) => [name, null]));

function selectBox(control, change) {
  const select = h("select", { id: `choose-${control.name}` });
  const box = h("div", { class: "control" }, h("label", { for: select.id }, control.label), select);
  let latest = control;
  select.addEventListener("change", () => change({
    [latest.name]: select.value === latest.initial ? null : select.value,
    ...resetsOf(latest),
  }));
  box.update = (next) => {
    latest = next;
    const offered = JSON.stringify(next.options);
    if (box.offered !== offered) {
      const groups = groupBy(next.options, ([, , group]) => group);
      select.replaceChildren(...[...groups].flatMap(([group, some]) => {
        const options = some.map(([value, text]) => h("option", { value }, text));
        return groups.size > 1 ? h("optgroup", { label: group }, options) : options;
      }));
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
  const field = h("input", { id: `choose-${control.name}`, type: "search", placeholder: control.placeholder, autocomplete: "off", spellcheck: "false" });
  const box = h("div", { class: "control" }, h("label", { for: field.id }, control.label), field);
  let waiting = null;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => change({ [control.name]: field.value.trim() || null, ...resetsOf(control) }, { replace: true }), 150);
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
