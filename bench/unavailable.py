"""Why a benchmark is left out. In a module of its own: it is needed before Django is set up."""


class Unavailable(Exception):
    """Something that a benchmark needs is not on this machine."""
