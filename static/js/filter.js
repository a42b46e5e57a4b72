// Escape empties a filter, and what it filters is whole again. Some browsers do that by themselves.
(() => {
  "use strict";
  document.addEventListener("keydown", (event) => {
    const field = event.target.closest?.("[data-escape-clears]");
    if (!field || event.key !== "Escape" || !field.value) return;
    event.preventDefault();
    field.value = "";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
})();
