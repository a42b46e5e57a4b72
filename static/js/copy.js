// Ids and snippets copy on click. Without script they are text to be marked by hand.
(() => {
  "use strict";
  const say = (words) => document.dispatchEvent(new CustomEvent("console:toast", { detail: words }));

  async function copy(text, element) {
    try {
      await navigator.clipboard.writeText(text);
      say("Copied");
    } catch {
      // No clipboard over plain HTTP from another machine: mark it, so that one key copies it.
      getSelection().selectAllChildren(element);
      say("Marked: press ctrl C to copy");
    }
  }

  function upgrade() {
    for (const id of document.querySelectorAll("code[data-copy]")) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = id.className;
      button.title = "Copy";
      button.dataset.copied = "";
      button.textContent = id.textContent;
      id.replaceWith(button);
    }
    for (const block of document.querySelectorAll("pre[data-copy-block]:not([data-copy-ready])")) {
      block.dataset.copyReady = "";
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn btn--s copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", `Copy ${block.getAttribute("aria-label")}`);
      block.after(button);
    }
  }

  document.addEventListener("click", (event) => {
    const id = event.target.closest("[data-copied]");
    if (id) copy(id.textContent, id);
    const button = event.target.closest("button.copy");
    if (button) copy(button.previousElementSibling.textContent, button.previousElementSibling);
  });
  document.addEventListener("DOMContentLoaded", upgrade);
  document.addEventListener("htmx:load", upgrade);
})();
