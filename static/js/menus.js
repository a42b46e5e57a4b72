// Menus are <details>: they work alone; this closes them by a click elsewhere and by Escape. Toasts can be
// dismissed.
(() => {
  "use strict";
  const open = () => document.querySelectorAll("details.menu[open]");

  document.addEventListener("click", (event) => {
    for (const menu of open()) if (!menu.contains(event.target)) menu.open = false;
    const dismiss = event.target.closest("[data-dismiss]");
    if (dismiss) dismiss.closest(".toast").remove();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of open()) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  const reveal = () => document.querySelectorAll("[data-dismiss][hidden]").forEach((b) => (b.hidden = false));
  document.addEventListener("DOMContentLoaded", reveal);
  document.addEventListener("htmx:load", reveal);
})();
