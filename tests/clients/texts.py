"""Texts that are legal in a memory and that careless handling changes."""

LARGEST = 102_400  # bytes of UTF-8 (C 4.3)

HOSTILE_TEXTS = {
    "empty": "",
    "no final newline": "one\ntwo",
    "only newlines": "\n\n\n",
    "CRLF": "one\r\ntwo\r\n",
    "old Mac line ends": "one\rtwo\r",
    "mixed line ends": "a\nb\r\nc\rd\u2028e\u0085f",
    "outer blanks": " \t kept \t \n",
    "byte order mark": "\ufefftext",
    "not normalized": "cafe\u0301 and café, Å and Å",
    "emoji": "👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪",
    "Persian with ZWNJ": "می‌خواهم کتاب‌ها را بخوانم",
    "Hebrew with marks": "שלום \u200fworld\u200e",
    "JSON and HTML": '{"a": "\\u0000"} <img src=x onerror=alert(1)> &amp; %00 %s {0}',
    "control characters": "bell \x07 escape \x1b[31m vertical \x0b delete \x7f",
    "astral and private": "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \U0010fffd \ue000",
    "largest": "x" * LARGEST,
    "largest of many bytes": "🧠" * (LARGEST // 4),
}

LEGAL_PATHS = [
    "/a",
    "/.hidden.md",
    "/CON.md",
    "/end. ",
    "/ leading blank",
    "/back\\slash.md",
    "/100%/a_b/*.md",
    "/a:b?c=d#e&f.md",
    "/<b>x</b>.md",
    "/..foo/...",
    "/Zoë/日本/🧠.md",
    "/" + "/".join("d" * 2 for _ in range(20)),
    "/" + "é" * 511 + "x",
]

ILLEGAL_PATHS = [
    "",
    "a.md",
    "/",
    "//a",
    "/a/",
    "/a//b",
    "/./a",
    "/a/..",
    "/a/../b.md",
    "/a\nb",
    "/a\tb",
    "/a\x00b",
    "/a\x7fb",
    "/zero\u200bwidth",
    "/می\u200cخواهم",
    "/bom\ufeff",
    "/soft\u00adhyphen",
    "/right\u202eto-left",
    "/line\u2028separator",
    "/cafe\u0301.md",
    "/" + "/".join("d" * 21),
    "/" + "é" * 512,
]
