// Forms that hold somebody's words: the size while typing, ctrl S, and a draft in this browser that is offered
// again when the words did not get through. Without script the forms work the same and only say less.
(() => {
  "use strict";
  const PREFIX = "draft ";
  const DAYS = 30;
  const FIELDS = ["text", "reason", "path", "base", "sha256"];
  const field = (form, name) => form.querySelector(`[name="${name}"]`);

  // The store may be full or forbidden: then there is no draft, and nothing else is lost.
  function read(key) {
    try {
      return JSON.parse(localStorage.getItem(PREFIX + key));
    } catch {
      return null;
    }
  }
  function write(key, draft) {
    try {
      if (draft) localStorage.setItem(PREFIX + key, JSON.stringify(draft));
      else localStorage.removeItem(PREFIX + key);
    } catch {
      // see above
    }
  }
  function dropOld() {
    const oldest = Date.now() - DAYS * 24 * 60 * 60 * 1000;
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
    for (const key of keys.map((k) => k.slice(PREFIX.length))) {
      const draft = read(key);
      if (!draft || draft.at < oldest) write(key, null);
    }
  }

  function keep(form) {
    const draft = { at: Date.now() };
    for (const name of FIELDS) if (field(form, name)) draft[name] = field(form, name).value;
    write(form.dataset.draft, draft);
  }

  function restore(form, draft) {
    for (const name of FIELDS) {
      if (field(form, name) && typeof draft[name] === "string") field(form, name).value = draft[name];
    }
    field(form, "text").dispatchEvent(new Event("input", { bubbles: true }));
    field(form, "text").focus();
  }

  function offer(form, draft) {
    const note = document.createElement("div");
    note.className = "note note--warn";
    note.setAttribute("role", "status");
    const words = document.createElement("p");
    words.textContent = `This browser holds a draft of yours from ${new Date(draft.at).toLocaleString()}.`;
    const button = (label, act) => {
      const made = document.createElement("button");
      made.type = "button";
      made.className = "btn btn--s";
      made.textContent = label;
      made.addEventListener("click", () => {
        act();
        note.remove();
      });
      return made;
    };
    note.append(
      words,
      button("Take it up again", () => restore(form, draft)),
      button("Discard it", () => write(form.dataset.draft, null)),
    );
    form.before(note);
  }

  let waiting = 0;
  document.addEventListener("input", (event) => {
    if (event.target.dataset.sizeOf) showSize(event.target);
    const form = event.target.closest("form[data-draft]");
    if (!form) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => keep(form), 300);
    form.dataset.touched = "";
  });
  addEventListener("pagehide", () => {
    for (const form of document.querySelectorAll("form[data-draft][data-touched]")) keep(form);
  });
  document.addEventListener("submit", (event) => {
    if (event.target.matches("form[data-draft]") && field(event.target, "text")) keep(event.target);
  });

  function showSize(area) {
    const place = document.getElementById(area.dataset.sizeOf);
    const breaks = area.dataset.break === "CRLF" ? area.value.split("\n").length - 1 : 0;
    const size = new TextEncoder().encode(area.value).length + breaks;
    place.textContent = `${size.toLocaleString("en")} B`;
    place.classList.toggle("is-over", size > Number(area.dataset.most));
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    const save = document.querySelector("#main form [data-save]");
    if (!save) return;
    event.preventDefault();
    save.form.requestSubmit(save);
  });

  // What is marked in a text becomes the piece to look for.
  document.addEventListener("select", (event) => {
    const area = event.target;
    const into = area.dataset && document.getElementById(area.dataset.pick);
    if (!into) return;
    const marked = area.value.slice(area.selectionStart, area.selectionEnd);
    if (marked && !marked.includes("\n")) into.value = marked;
  });

  // One tick for all rows of a table, and for what is not listed; it shows what those are, and the button says
  // how many. Without script the button says "what is ticked".
  const ticksOf = (form) => form.querySelectorAll("td input[type=checkbox], input[name=rest]");
  const numberOf = (tick) => Number((tick.dataset.number || "1").replace(/\D/g, ""));
  function showTicked(form) {
    const ticks = [...ticksOf(form)];
    const ticked = ticks.filter((tick) => tick.checked);
    const all = form.querySelector("[data-tick-all]");
    if (all) {
      all.checked = ticks.length > 0 && ticked.length === ticks.length;
      all.indeterminate = ticked.length > 0 && !all.checked;
    }
    const place = form.querySelector("[data-ticked]");
    if (!place) return;
    const counted = [...ticked, ...form.querySelectorAll("input[name=later]:checked")];
    const number = counted.reduce((sum, tick) => sum + numberOf(tick), 0);
    place.textContent = ` (${number.toLocaleString("en")})`;
  }
  function showAllTicked() {
    for (const part of document.querySelectorAll("[data-tick-all], [data-ticked]")) {
      showTicked(part.closest("form"));
    }
  }
  document.addEventListener("change", (event) => {
    const form = event.target.matches("input[type=checkbox]") && event.target.form;
    if (!form || !form.querySelector("[data-tick-all], [data-ticked]")) return;
    if (event.target.matches("[data-tick-all]")) {
      for (const tick of ticksOf(form)) tick.checked = event.target.checked;
    }
    showTicked(form);
  });
  // The browser may put back what was ticked when it comes back to a page.
  addEventListener("pageshow", showAllTicked);

  function prepare() {
    for (const saved of document.querySelectorAll("[data-saved]")) write(saved.dataset.saved, null);
    for (const part of document.querySelectorAll("[data-needs-script]")) part.hidden = false;
    showAllTicked();
    for (const form of document.querySelectorAll("form[data-draft]:not([data-ready])")) {
      form.dataset.ready = "";
      const draft = read(form.dataset.draft);
      const text = field(form, "text");
      if (draft && typeof draft.text === "string" && text.type !== "hidden" && draft.text !== text.value) {
        offer(form, draft);
      }
    }
    try {
      dropOld();
    } catch {
      // no store
    }
  }
  document.addEventListener("DOMContentLoaded", prepare);
  document.addEventListener("htmx:load", prepare);
})();
