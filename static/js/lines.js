// Line numbers are links. With script only one of them is a stop of the tab key, and the arrow keys move
// among them; else thousands would stand between the text and what follows it.
(() => {
  "use strict";

  function prepare() {
    for (const code of document.querySelectorAll("[data-lines]:not([data-lines-ready])")) {
      code.dataset.linesReady = "";
      const wanted = /^#L\d+$/.test(location.hash) && code.querySelector(`${location.hash} .code__n`);
      for (const link of code.querySelectorAll(".code__n")) link.tabIndex = -1;
      const stop = wanted || code.querySelector(".code__n");
      if (stop) stop.tabIndex = 0;
    }
  }

  // #L2500 in an address that names no page of the text: to the page on which the line is.
  function turnToLine() {
    const [, line] = /^#L(\d{1,7})$/.exec(location.hash) || [];
    const code = document.querySelector("[data-lines]:not([data-lines=''])");
    if (!line || !code || document.getElementById(`L${line}`) || line < 1 || line > Number(code.dataset.lines)) return;
    const query = new URLSearchParams(location.search);
    query.set("from", Math.floor((line - 1) / code.dataset.page) * code.dataset.page + 1);
    location.replace(`?${query}${location.hash}`);
  }

  function move(from, to) {
    if (!to) return;
    from.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  document.addEventListener("keydown", (event) => {
    const link = event.target.closest("[data-lines-ready] .code__n");
    if (!link || event.ctrlKey || event.metaKey || event.altKey) return;
    const line = link.closest("tr, .code__l");
    const to = {
      ArrowDown: line.nextElementSibling,
      ArrowUp: line.previousElementSibling,
      Home: line.parentElement.firstElementChild,
      End: line.parentElement.lastElementChild,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(link, to && to.querySelector(".code__n"));
  });
  document.addEventListener("DOMContentLoaded", turnToLine);
  addEventListener("hashchange", turnToLine);
  document.addEventListener("DOMContentLoaded", prepare);
  document.addEventListener("htmx:load", prepare);
})();
