// What htmx leaves to the page: keys held while clicking, errors, forms on their way, Back and Forward, focus
// and a word for screen readers.
(() => {
  "use strict";

  // A link with hx-get must still open in a new tab or window when the person asks for that; and it loads
  // for real when it takes the place of a page that is on its way.
  document.addEventListener(
    "click",
    (event) => {
      const wantsElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if ((wantsElsewhere || isLeaving) && event.target.closest("a[hx-get]")) event.stopImmediatePropagation();
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
    const { requestConfig, pathInfo, xhr } = event.detail;
    if (requestConfig.verb === "get") location.assign(pathInfo.finalRequestPath);
    else toast(`That did not work (error ${xhr.status}). Nothing was lost: try again.`);
  });
  document.addEventListener("htmx:sendError", () => toast("The server cannot be reached. Try again."));
  document.addEventListener("htmx:timeout", () => toast("The server took too long. Try again."));

  // A form on its way: the bar on top and its button show it, and a second click sends nothing again. Not for
  // ever: an answer may be a file, or the person stops the browser, and the page stays.
  const SECOND_CLICK_MS = 5_000;
  const LONGEST_WAIT_MS = 60_000;
  let underWay = null;
  function arrive() {
    if (!underWay) return;
    clearTimeout(underWay.again);
    clearTimeout(underWay.wait);
    takesAgain(underWay);
    document.getElementById("busy")?.classList.remove("is-on");
    underWay.button?.removeAttribute("data-busy");
    underWay = null;
  }
  function takesAgain(sent) {
    sent.isHeld = false;
    sent.button?.removeAttribute("aria-disabled");
  }
  document.addEventListener(
    "submit",
    (event) => {
      if (!underWay || !underWay.isHeld || underWay.form !== event.target) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    },
    true,
  );
  // The last to hear of it: what a script sends by itself leaves no page.
  addEventListener("submit", (event) => {
    const { target: form, submitter: button } = event;
    const method = (button && button.getAttribute("formmethod")) || form.getAttribute("method") || "get";
    const window_ = (button && button.getAttribute("formtarget")) || form.getAttribute("target") || "_self";
    if (event.defaultPrevented || method === "dialog" || window_ !== "_self") return;
    arrive();
    const sent = { form, button, isHeld: method.toLowerCase() === "post" };
    sent.again = setTimeout(takesAgain, SECOND_CLICK_MS, sent);
    sent.wait = setTimeout(arrive, LONGEST_WAIT_MS);
    underWay = sent;
    document.getElementById("busy")?.classList.add("is-on");
    if (!button) return;
    button.dataset.busy = "";
    if (sent.isHeld) button.setAttribute("aria-disabled", "true");
  });
  addEventListener("pageshow", arrive);
  addEventListener("keydown", (event) => event.key === "Escape" && arrive());

  // Back and Forward load the page for real: then a sign-in page, a page that is gone and a network that is
  // down look as they do everywhere, and no late answer can land on another page's address. Of an entry only
  // how far it is scrolled is kept, a number in its state.
  const here = () => location.pathname + location.search;
  let shown = here();
  let isLeaving = false;
  let waiting = 0;
  history.scrollRestoration = "manual";

  function stopSwaps() {
    if (window.htmx) window.htmx.trigger("#main", "htmx:abort");
  }
  function remember() {
    clearTimeout(waiting);
    if (isLeaving || shown !== here()) return;
    const y = Math.round(scrollY);
    if (history.state && history.state.y === y) return;
    try {
      history.replaceState({ y }, "");
    } catch {
      // Too often for this browser: the place is a little off then.
    }
  }
  function scrollBack() {
    const y = history.state && history.state.y;
    if (typeof y === "number") scrollTo(0, y);
    else if (location.hash.length > 1) {
      const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (target) target.scrollIntoView();
    }
  }
  addEventListener(
    "scroll",
    () => {
      clearTimeout(waiting);
      waiting = setTimeout(remember, 200);
    },
    { passive: true },
  );
  // Before a link, a button or the arrow key of a menu leads away.
  document.addEventListener("click", remember, true);
  // htmx has just written the state of the entry that is left anew.
  document.addEventListener("htmx:beforeHistoryUpdate", remember);
  for (const name of ["htmx:pushedIntoHistory", "htmx:replacedInHistory"]) {
    document.addEventListener(name, () => {
      clearTimeout(waiting);
      shown = here();
    });
  }
  // A page on its way is the newest choice: no swap may overtake it.
  addEventListener("beforeunload", stopSwaps);
  addEventListener("popstate", (event) => {
    event.stopImmediatePropagation(); // htmx would fetch the page by script
    clearTimeout(waiting);
    stopSwaps();
    if (!isLeaving && shown === here()) {
      // Another line of the same page; the browser itself goes to a line that was clicked.
      if (event.state) requestAnimationFrame(scrollBack);
      return;
    }
    isLeaving = true;
    // Else the browser would put what is in these fields into those of the page that comes.
    for (const form of document.forms) form.autocomplete = "off";
    location.reload();
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!isLeaving) return;
    event.preventDefault();
    location.assign(event.detail.pathInfo.finalRequestPath);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (isLeaving) event.preventDefault();
  });
  document.addEventListener("DOMContentLoaded", () => {
    const [entry] = performance.getEntriesByType("navigation");
    if (!entry || entry.type === "navigate") return;
    scrollBack();
    const y = scrollY;
    // Once more when everything has its size, unless the person was quicker.
    addEventListener("load", () => scrollY === y && scrollBack(), { once: true });
  });

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
})();
