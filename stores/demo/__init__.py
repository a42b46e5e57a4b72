"""The demo workspace: four stores that read like real agents' memories.

A support team's knowledge, a coding agent's project memory, a user's preferences and a retired
project (`stories.py`). `scripts/` holds one script of events for each, `texts/` the first texts of
the memories. `script.py` reads a script, `play.py` works out times and texts, `cast.py` says who
acts, `build.py` makes it all through the domain functions.
"""

from stores.demo.build import Summary, build_demo_workspace

__all__ = ["Summary", "build_demo_workspace"]
