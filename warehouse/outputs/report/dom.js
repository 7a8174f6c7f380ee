// All elements are made here, and text is inserted as text, so that a string never becomes markup.

/** An element: `h("a", {class: "x", onclick: f}, "text", child)`. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  put(element, children);
  return element;
}

function put(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** A link if the address is a web address, else only its text. */
function link(address, words) {
  let url = null;
  try {
    url = new URL(address);
  } catch {
    return document.createTextNode(words ?? address ?? "");
  }
  if (!["http:", "https:"].includes(url.protocol)) return document.createTextNode(words ?? address);
  return h("a", { href: url.href, target: "_blank", rel: "noopener noreferrer" }, words ?? url.hostname);
}

/** Upstream text, isolated from the text direction around it. */
const foreign = (text) => h("bdi", null, text ?? "");
