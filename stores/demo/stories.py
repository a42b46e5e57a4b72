"""The four stores of the demo."""

from stores.demo.play import Story

SUPPORT = Story(
    folder="support",
    name="Support knowledge",
    description="Policies, macros, known issues and escalations of the support team; shared by all "
    "support agents and read by people",
    metadata={"team": "support", "owner": "mira", "languages": "en, de"},
    created=(-50, "07:55"),
)
STATIONHUB = Story(
    folder="stationhub",
    name="stationhub project memory",
    description="What the coding agent knows about moving the station readings to a stream: "
    "progress, feature checklist, decisions, gotchas, runbooks and the start-up note",
    metadata={"repository": "stationhub", "owner": "jonas"},
    created=(-47, "08:50"),
)
NOOR = Story(
    folder="noor",
    name="Preferences of Noor",
    description="How Noor wants to be written to, planned for and reminded; kept by her assistant, "
    "corrected by herself",
    metadata={"user": "noor"},
    created=(-52, "17:00"),
)
FAIR = Story(
    folder="fair",
    name="Garden fair stand",
    description="Plan, stand and lessons of the garden fair; closed, kept for the next one",
    metadata={"project": "garden-fair", "state": "closed"},
    created=(-55, "09:00"),
    archived=(-43, "15:40"),
)
STORIES = (FAIR, NOOR, SUPPORT, STATIONHUB)
