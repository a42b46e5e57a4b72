// Puts an editor in the place of a textarea that names one (data-editor), also when a swap brings it. It is
// fetched by those pages only; where it cannot be had, the textarea does everything alone.
(() => {
  "use strict";
  const mounted = new Map();

  async function replace(area) {
    mounted.set(area, () => {});
    try {
      const { mount } = await import(area.dataset.editor);
      if (!area.isConnected) return;
      mounted.set(area, mount(area));
      for (const words of document.querySelectorAll("[data-without-editor]")) words.hidden = true;
      for (const words of document.querySelectorAll("[data-with-editor]")) words.hidden = false;
    } catch {
      // The network, or a browser too old for it.
    }
  }

  function prepare() {
    for (const [area, remove] of mounted) {
      if (area.isConnected) continue;
      remove();
      mounted.delete(area);
    }
    for (const area of document.querySelectorAll("textarea[data-editor]")) {
      if (!mounted.has(area)) replace(area);
    }
  }
  document.addEventListener("DOMContentLoaded", prepare);
  document.addEventListener("htmx:load", prepare);
})();
