// The address of this page follows the report inside it, so that it can be shared; the age of the prices is counted today.
const status = document.getElementById("status");
const days = Math.floor((Date.now() - Date.parse(status.dataset.day)) / 86400000);
status.firstElementChild.textContent += `, ${days} ${days === 1 ? "day" : "days"} old`;

const frame = document.getElementById("report");
if (frame) {
  const open = () => {
    if (location.hash.startsWith("#/")) frame.contentWindow.location.replace(`report.html${location.hash}`);
  };
  const follow = () => {
    const { hash } = frame.contentWindow.location;
    const name = /^#\/([\w-]+)/.exec(hash)?.[1];
    const isOwn = name === document.documentElement.dataset.page;
    if (name) history.replaceState(null, "", `${isOwn && location.pathname.endsWith("/") ? "./" : `${name}.html`}${hash.includes("?") ? hash : ""}`);
    document.title = `${frame.contentDocument.getElementById("title")?.textContent || "Accelmart"} | Accelmart`;
  };
  frame.addEventListener("load", () => frame.contentWindow.addEventListener("hashchange", () => setTimeout(follow)));
  window.addEventListener("hashchange", open);
  open();
}
