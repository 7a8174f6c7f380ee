// What the theme leaves out for people who use the keyboard or a screen reader.
const complete = () => {
  document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");
  document.querySelectorAll(".md-typeset__scrollwrap").forEach((table, i) => {
    table.tabIndex = 0;
    table.setAttribute("role", "region");
    table.setAttribute("aria-label", `Table ${i + 1}`);
  });
};
// the theme wraps tables when it starts
new MutationObserver(complete).observe(document.body, { childList: true, subtree: true });
complete();
