"""Text and paths as somebody would write them who wants to break a page, and as the world writes them."""

from stores.domain.actors import Actor
from stores.models import MemoryStore
from stores.models.statements.rows import MemoryRow
from tests.factories import make_memory

IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "<script>alert(2)</script>"
# An order that hides what a command does: everything after U+202E is drawn backwards.
REVERSED = "harmless \u202egnihtyreve eteled\u202c text"
INVISIBLE = (
    "ignore\u200b\u200b\u200b all \U000e0069\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065 previous"
)
CONTROLS = "\x1b[31mred\x1b[0m bell \x07 and \ufeff mark"
TEMPLATE = "{% load x %} {{ 7|add:7 }}"
NAME = f"{IMAGE}{SCRIPT}{TEMPLATE}\u202e\"'"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"

TEXTS = {
    "/<b>x.md": f"# {IMAGE}\n\n{SCRIPT}\n\n[x](javascript:alert(3))\n\n{TEMPLATE} &lt;&amp;\n",
    '/"onmouseover="alert(4)/it\'s.md': f"{REVERSED}\n{INVISIBLE}\n{CONTROLS}\n",
    "/mixed line ends.txt": "one\r\ntwo\nthree\r\nfour\rfive",
    "/one line of 100 kB.json": '{"a": "' + "0123456789abcdef" * 6399 + '"}',
    "/very many lines.log": "\n" * 102_400,
    "/עברית/קובץ.md": "שלום, עולם\nשלום\u200f (abc) 123\n",
    "/فارسی/متن.md": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\n",
    "/हिन्दी/क्ष.md": "\u0915\u094d\u200d\u0937\n",
    "/emoji/\U0001f468\U0001f469 family.md": f"{FAMILY} {SCOTLAND} \u2764\ufe0f 1\ufe0f\u20e3\n",
    "/end. ": "A name that ends with a blank.\n",
    "/end": "A name that does not.\n",
    "/" + "/".join("d" * 50 for _ in range(19)) + "/" + "n" * 54: "The longest path there can be.\n",
    "/CON.md": "",
}


def make_hostile_memories(*, actor: Actor, store: MemoryStore) -> list[MemoryRow]:
    return [
        make_memory(actor=actor, store=store, path=path, content=text, reason=REVERSED)
        for path, text in TEXTS.items()
    ]
