// Loaded before the page is drawn, so that a chosen theme never flashes. The server writes the same cookie
// (POST /theme/); with script the choice takes effect without loading the page anew.
(() => {
  "use strict";
  const root = document.documentElement;
  const found = document.cookie.match(/(?:^|; )theme=(light|dark)(?:;|$)/);
  if (found) root.dataset.theme = found[1];

  function press() {
    for (const button of document.querySelectorAll("[data-theme-form] button")) {
      button.setAttribute("aria-pressed", String(button.value === (root.dataset.theme || "system")));
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-theme-form]");
    if (!form || !event.submitter) return;
    event.preventDefault();
    const theme = event.submitter.value;
    const secure = location.protocol === "https:" ? "; Secure" : "";
    if (theme === "system") {
      delete root.dataset.theme;
      document.cookie = `theme=; Path=/; Max-Age=0; SameSite=Lax${secure}`;
    } else {
      root.dataset.theme = theme;
      document.cookie = `theme=${theme}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
    }
    press();
  });
  document.addEventListener("DOMContentLoaded", press);
  document.addEventListener("htmx:historyRestore", press);
})();
