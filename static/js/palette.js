// The command palette: a field, and below it what the server finds for it and what can be done on this page.
// The focus stays in the field; which option is meant is told by aria-activedescendant.
(() => {
  "use strict";
  const TYPING_MS = 120;
  const SLOW_MS = 300;
  // Tabs and action bars of the page, and what is marked elsewhere with what it does.
  const ACTS = "#main :is(.tabs, .head__acts, .memhead .acts, .panel .acts) :is(a, button), [data-act]";
  const dialog = document.getElementById("palette");
  const field = document.getElementById("palette-words");
  const list = document.getElementById("palette-list");
  const status = document.getElementById("palette-say");

  let active = null;
  let found = document.createDocumentFragment();
  let asked = null; // the request whose answer is waited for
  let typing = 0;
  let opensWhenThere = false;

  const options = () => [...list.querySelectorAll("[role=option]")];
  const wantsElsewhere = (event) => event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;

  function open() {
    field.value = "";
    found = document.createDocumentFragment();
    say("");
    dialog.showModal();
    show();
    ask();
  }
  function stop() {
    clearTimeout(typing);
    typing = 0;
    asked?.abort();
    asked = null;
    opensWhenThere = false;
    list.removeAttribute("aria-busy");
  }

  async function ask() {
    const opens = opensWhenThere; // pressed before the question was on its way
    stop();
    opensWhenThere = opens;
    const request = (asked = new AbortController());
    const slow = setTimeout(() => {
      list.setAttribute("aria-busy", "true");
      say("Looking …");
    }, SLOW_MS);
    const [, store = ""] = /^\/stores\/(memstore_[0-9A-Za-z]+)\//.exec(location.pathname) || [];
    const query = new URLSearchParams({ q: field.value, store });
    let words = "";
    try {
      const response = await fetch(`${dialog.dataset.from}?${query}`, {
        headers: { "HX-Request": "true", "HX-Current-URL": location.href },
        signal: request.signal,
      });
      const away = response.headers.get("HX-Redirect");
      if (away) {
        location.assign(away); // the sign-in has expired
        return;
      }
      if (!response.ok) throw new Error(`error ${response.status}`);
      const holder = document.createElement("template");
      holder.innerHTML = await response.text();
      const answer = holder.content;
      if (request.signal.aborted) return;
      const note = answer.querySelector("[data-note]");
      note?.remove();
      words = note ? note.textContent : "";
      found = answer;
    } catch (error) {
      if (request.signal.aborted) return;
      found = document.createDocumentFragment();
      const isAnswer = error.message.startsWith("error ");
      words = isAnswer ? `That did not work (${error.message}). Type on to try again.` : "";
      words ||= "The server cannot be reached. Type on to try again.";
    } finally {
      clearTimeout(slow);
    }
    const isMeant = opensWhenThere;
    stop();
    show();
    say(words || counted());
    if (isMeant && active) active.click();
  }
  function counted() {
    const number = options().length;
    // One is left, whatever was typed: the search.
    if (field.value.trim() && number === 1) return "Nothing is called that.";
    return `${number} ${number === 1 ? "choice" : "choices"}`;
  }
  function say(words) {
    status.textContent = words;
  }

  // What can be done on this page, by the words on its own buttons: what has a key, other buttons, the ways on.
  function acts() {
    const terms = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const begins = (label, term) => label.toLowerCase().split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(term));
    return [...document.querySelectorAll(ACTS)]
      .filter((each) => !each.matches(":disabled, [aria-current=page]"))
      // Those of menus are many, and rarely meant: only when they are asked for.
      .filter((each) => (each.closest("#main") ? each.checkVisibility() : terms.length))
      .map((element) => ({ element, label: labelOf(element) }))
      .filter(({ label }) => label && terms.every((term) => begins(label, term)))
      .sort((one, other) => rank(one.element) - rank(other.element));
  }
  function rank(element) {
    if (!element.closest("#main")) return 3;
    return element.dataset.key ? 0 : element.closest("nav") ? 2 : 1;
  }
  function labelOf(element) {
    if (element.dataset.act) return element.dataset.act;
    const copy = element.cloneNode(true);
    for (const each of copy.querySelectorAll(".dim, .key")) each.remove();
    return copy.textContent.replace(/\s+/g, " ").replace(/ ?…$/, "").trim();
  }
  function made(name, className, ...inside) {
    const element = document.createElement(name);
    element.className = className;
    element.append(...inside);
    return element;
  }
  function optionOf({ element, label }) {
    const icon = element.querySelector(".icon") || dialog.querySelector("template").content.firstElementChild;
    const copy = icon.cloneNode(true);
    copy.setAttribute("class", "icon");
    const option = made(element.href ? "a" : "div", "pal__o", copy, made("span", "pal__name", label));
    option.setAttribute("role", "option");
    if (element.href) {
      option.href = element.href;
      option.tabIndex = -1;
    }
    // Of two with the same word: of the store, or of the memory?
    const where = element.closest("nav[aria-label]")?.getAttribute("aria-label");
    if (where) option.append(" ", made("span", "pal__where", where));
    if (element.dataset.key) {
      const caps = element.dataset.key.split(" ").map((stroke) => made("kbd", "key", stroke));
      const keys = made("span", "pal__keys", ...caps);
      keys.setAttribute("aria-hidden", "true");
      option.append(keys);
    }
    option.addEventListener("click", (event) => {
      if (element.href && wantsElsewhere(event)) return;
      event.preventDefault();
      dialog.close();
      element.click();
    });
    return option;
  }
  function groupOfActs(mine) {
    const heading = made("p", "pal__h", "On this page");
    heading.id = "pal-here";
    heading.setAttribute("role", "presentation");
    const group = made("div", "", heading, ...mine.map(optionOf));
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", heading.id);
    group.dataset.here = "";
    return group;
  }

  // The page's own actions at once, and below them the newest answer of the server.
  function show() {
    const mine = acts();
    list.replaceChildren(...(mine.length ? [groupOfActs(mine)] : []), found.cloneNode(true));
    // What the page has a button for is not offered twice. (Only in the page do addresses have a path.)
    const paths = new Set(mine.map(({ element }) => element.pathname).filter(Boolean));
    for (const option of list.querySelectorAll("[data-acts] a")) if (paths.has(option.pathname)) option.remove();
    for (const group of list.querySelectorAll("[role=group]")) {
      if (!group.querySelector("[role=option]")) group.remove();
    }
    const all = options();
    all.forEach((option, number) => {
      option.id = `pal-${number}`;
    });
    list.hidden = !all.length;
    list.scrollTop = 0;
    field.setAttribute("aria-expanded", String(all.length > 0));
    choose(all[0]);
  }
  function choose(option) {
    if (active) {
      active.classList.remove("is-on");
      active.setAttribute("aria-selected", "false");
    }
    active = option || null;
    if (!active) {
      field.removeAttribute("aria-activedescendant");
      return;
    }
    active.classList.add("is-on");
    active.setAttribute("aria-selected", "true");
    field.setAttribute("aria-activedescendant", active.id);
  }
  function step(by) {
    const all = options();
    if (!all.length) return;
    choose(all[(all.indexOf(active) + by + all.length) % all.length]);
    // Of the first one the heading too.
    if (active === all[0]) list.scrollTop = 0;
    else active.scrollIntoView({ block: "nearest" });
  }
  function enter(event) {
    const isNewest = !typing && !asked;
    if (!isNewest && !active?.closest("[data-here]")) {
      // What is listed belongs to an older text: what comes first for this one is meant.
      if (!wantsElsewhere(event)) opensWhenThere = true;
      return;
    }
    if (!active) return;
    if (active.href && (event.ctrlKey || event.metaKey)) window.open(active.href, "_blank", "noopener");
    else active.click();
  }

  field.addEventListener("input", () => {
    stop();
    typing = setTimeout(ask, TYPING_MS);
    show();
  });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const does = { ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: () => enter(event) }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
  list.addEventListener("mousemove", (event) => {
    const option = event.target.closest("[role=option]");
    if (option && option !== active) choose(option);
  });
  // The focus must not leave the field.
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    if (event.target.closest("a") && !wantsElsewhere(event)) dialog.close();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("close", stop);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-open-palette]")) return;
    if (dialog.open) dialog.close();
    else open();
  });
  // Kept whole by the browser, a page that is come back to would show it open.
  addEventListener("pageshow", () => dialog.close());
})();
