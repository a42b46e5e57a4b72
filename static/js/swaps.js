// What htmx leaves to the page: keys held while clicking, errors, focus and a word for screen readers.
(() => {
  "use strict";

  // A link with hx-get must still open in a new tab or window when the person asks for that.
  document.addEventListener(
    "click",
    (event) => {
      const wantsElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (wantsElsewhere && event.target.closest("a[hx-get]")) event.stopImmediatePropagation();
    },
    true,
  );

  function toast(words) {
    const box = document.createElement("div");
    box.className = "toast";
    const text = document.createElement("span");
    text.textContent = words;
    box.append(text);
    document.getElementById("toasts").append(box);
    setTimeout(() => box.remove(), 6000);
  }
  document.addEventListener("console:toast", (event) => toast(event.detail));

  // Of an error the person sees the server's own page, at its address.
  document.addEventListener("htmx:responseError", (event) => {
    const { requestConfig, xhr } = event.detail;
    if (requestConfig.verb === "get") location.assign(requestConfig.path);
    else toast(`That did not work (error ${xhr.status}). Nothing was lost: try again.`);
  });
  document.addEventListener("htmx:sendError", () => toast("The server cannot be reached. Try again."));
  document.addEventListener("htmx:timeout", () => toast("The server took too long. Try again."));

  document.addEventListener("htmx:afterSettle", (event) => {
    const main = document.getElementById("main");
    const target = event.detail.target;
    if (!target || !main.contains(target)) return;
    const news = target.querySelector("[data-announce]");
    document.getElementById("announce").textContent = news ? news.textContent : document.title;
    // htmx gives the focus back to what has the same id; where that is gone, begin at the new text.
    if (!document.activeElement || document.activeElement === document.body) {
      main.focus({ preventScroll: true });
    }
    showCurrent();
  });

  // The tree scrolls by itself; the chosen line must be in sight.
  function showCurrent() {
    const box = document.querySelector(".tree__box");
    const current = box && box.querySelector("[aria-current]");
    if (!current || box.scrollHeight <= box.clientHeight) return;
    const top = current.offsetTop - box.offsetTop;
    if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 48) {
      box.scrollTop = top - box.clientHeight / 2;
    }
  }
  document.addEventListener("DOMContentLoaded", showCurrent);
  document.addEventListener("htmx:historyRestore", showCurrent);
})();
