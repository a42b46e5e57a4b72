// Hidden characters as small named marks, so that they can neither reorder the text nor hide in it: the same
// ones, by the same rules, as stores/console/text.py draws on all other pages.

import { Decoration, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";

const TAG = "[\\u{e0000}-\\u{e007f}]";
const SELECTOR = "[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]";
const DIRECTION_MARK = /[\u200e\u200f\u061c]/;
const FLAG =
  "\\u{1f3f4}(?:\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}\\u{e0067}|\\u{e0073}\\u{e0063}\\u{e0074}" +
  "|\\u{e0077}\\u{e006c}\\u{e0073}))\\u{e007f}";
const JOINED =
  "(?![\\p{ASCII}\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}])[\\p{L}\\p{M}\\p{So}\\p{Sk}]";
// Ordinary writing: three flags, joiners inside words and emoji, a variation selector behind a symbol.
const ORDINARY = [
  FLAG,
  `(?<=${JOINED})[\\u200c\\u200d](?=${JOINED}|[ .,;:!?\\u060c\\u061b\\u061f\\n]|$)`,
  `(?<=[#*0-9]|(?!${SELECTOR})\\P{ASCII})${SELECTOR}`,
].join("|");
const HIDDEN =
  "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f" +
  "\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe" +
  "\\uffff\\u{13430}-\\u{1345f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]";
// A run of one kind is one mark.
const CANDIDATE = new RegExp(
  `(?<ordinary>${ORDINARY})|(?<tags>${TAG}+)|(?<selectors>${SELECTOR}+)|(?<same>${HIDDEN})\\k<same>*`,
  "gu",
);
const RIGHT_TO_LEFT =
  /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const CONTROLS =
  "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC " +
  "FS GS RS US";
const NAMES = new Map([
  ...CONTROLS.split(" ").entries(),
  [0x7f, "DEL"],
  [0x85, "NEL"],
  [0xad, "SHY"],
  [0x34f, "CGJ"],
  [0x61c, "ALM"],
  [0x180e, "MVS"],
  [0x200b, "ZWSP"],
  [0x200c, "ZWNJ"],
  [0x200d, "ZWJ"],
  [0x200e, "LRM"],
  [0x200f, "RLM"],
  [0x2028, "LSEP"],
  [0x2029, "PSEP"],
  [0x202a, "LRE"],
  [0x202b, "RLE"],
  [0x202c, "PDF"],
  [0x202d, "LRO"],
  [0x202e, "RLO"],
  [0x2060, "WJ"],
  [0x2066, "LRI"],
  [0x2067, "RLI"],
  [0x2068, "FSI"],
  [0x2069, "PDI"],
  [0x3164, "HF"],
  [0xfeff, "BOM"],
]);
// No browser is quick with many more while somebody types. No text but one that is made for it has so many in
// sight.
const MOST_MARKS = 500;

class Mark extends WidgetType {
  constructor(name, title) {
    super();
    this.name = name;
    this.title = title;
  }
  eq(other) {
    return other.name === this.name && other.title === this.title;
  }
  toDOM() {
    const mark = document.createElement("span");
    mark.className = "cm-hid";
    mark.title = this.title;
    mark.textContent = this.name;
    return mark;
  }
  ignoreEvent() {
    return false;
  }
}

function markOf(run, { tags, selectors }) {
  const characters = [...run];
  const numbers = characters.map((each) => each.codePointAt(0));
  const code = `U+${numbers[0].toString(16).toUpperCase().padStart(4, "0")}`;
  const name = (tags && "TAG") || (selectors && "VS") || NAMES.get(numbers[0]) || code;
  const times = numbers.length > 1 ? ` \u00d7${numbers.length.toLocaleString("en")}` : "";
  const letters = numbers.filter((each) => each >= 0xe0020 && each < 0xe007f);
  const spelled = letters.map((each) => String.fromCodePoint(each - 0xe0000)).join("");
  return new Mark(name + times, tags ? `Invisible tag characters that spell: ${spelled}` : `${code}${times}`);
}

// Where something is written from right to left, a direction mark beside a word is ordinary; a run of them
// writes nothing.
function isBesideWords(text, from, to) {
  const isAlone = ![text[from - 1], text[to]].some((each) => DIRECTION_MARK.test(each || ""));
  return isAlone && to - from === 1;
}

function marksIn(view) {
  const { from, to } = view.viewport;
  const marks = [];
  let begin = from;
  for (const text of view.state.doc.iterRange(from, to)) {
    if (text !== "\n") addMarks(marks, text, begin);
    begin += text.length;
  }
  return Decoration.set(marks);
}

function addMarks(marks, text, begin) {
  const hasRightToLeft = RIGHT_TO_LEFT.test(text);
  for (const { 0: run, index, groups } of text.matchAll(CANDIDATE)) {
    const end = index + run.length;
    const isWriting = DIRECTION_MARK.test(run) && hasRightToLeft && isBesideWords(text, index, end);
    if (groups.ordinary || isWriting) continue;
    if (marks.length >= MOST_MARKS) {
      const name = `${(text.length - index).toLocaleString("en")} MORE`;
      const widget = new Mark(name, "Too many hidden characters: the rest of this line is not shown.");
      marks.push(Decoration.replace({ widget }).range(begin + index, begin + text.length));
      return;
    }
    marks.push(Decoration.replace({ widget: markOf(run, groups) }).range(begin + index, begin + end));
  }
}

export const hiddenCharacters = ViewPlugin.define(
  (view) => ({
    marks: marksIn(view),
    update(update) {
      if (update.docChanged || update.viewportChanged) this.marks = marksIn(update.view);
    },
  }),
  {
    decorations: (plugin) => plugin.marks,
    provide: (plugin) =>
      EditorView.atomicRanges.of((view) => view.plugin(plugin)?.marks || Decoration.none),
  },
);
