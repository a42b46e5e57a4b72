"""Who asks: a signed-in person, in one of the workspaces that person belongs to.

Checked in the view, for the partial as well as for the page, before anything else is looked up.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, cast
from urllib.parse import urlencode

from django.conf import settings
from django.core import exceptions
from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.cache import add_never_cache_headers
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from stores.console import carried, formats
from stores.domain import errors
from stores.domain.actors import Actor, Right, member_actor
from stores.models import Membership, MemoryStore, User

CHOSEN_WORKSPACE = "workspace_id"
# What is swapped into these has an address of its own, a page.
PAGE_TARGETS = {"main", "stores"}


@dataclass(frozen=True, slots=True)
class Member:
    """A person in the chosen workspace, with all the workspaces there are to choose from."""

    actor: Actor
    membership: Membership
    memberships: Sequence[Membership]

    @property
    def can_write(self) -> bool:
        return Right.WRITE in self.actor.rights

    @property
    def can_redact(self) -> bool:
        return Right.REDACT in self.actor.rights

    @property
    def can_manage(self) -> bool:
        return Right.MANAGE in self.actor.rights

    @property
    def initials(self) -> str:
        return formats.initials(str(self.membership.user))


class ConsoleRequest(HttpRequest):
    """What a console view is handed."""

    htmx: HtmxDetails
    member: Member


View = Callable[..., HttpResponseBase]


def for_members(view: Callable[..., HttpResponseBase]) -> View:
    """Lets only members of a workspace in, and turns the domain's refusals into pages."""

    @wraps(view)
    def guarded(request: ConsoleRequest, **arguments: Any) -> HttpResponseBase:
        response = _answer(request, view, arguments)
        # Memory text must not stay in a browser's cache when the person signs out or the text is redacted.
        add_never_cache_headers(response)
        return response

    return guarded


def _answer(request: ConsoleRequest, view: View, arguments: dict[str, Any]) -> HttpResponseBase:
    if not request.user.is_authenticated:
        return ask_to_sign_in(request)
    member = find_member(request)
    if member is None:
        return render(request, "workspaces/none.html", {"title": "No workspace"}, status=403)
    request.member = member
    try:
        try:
            return view(request, **arguments)
        except (errors.StoreNotFound, errors.PermissionDenied):
            elsewhere = find_elsewhere(member, arguments.get("store_id"))
            if elsewhere is None:
                raise
            # A link into another workspace of the same person: that one is chosen from here on.
            request.session[CHOSEN_WORKSPACE] = elsewhere.membership.workspace_id
            request.member = elsewhere
            return view(request, **arguments)
    except (errors.NotFound, errors.InvalidInput) as error:
        raise Http404(error.message) from error
    except errors.PermissionDenied as error:
        raise exceptions.PermissionDenied(error.message) from error


def find_member(request: HttpRequest) -> Member | None:
    """The membership chosen in this browser, else the first by name in whose workspace there is something
    to see; None for a person without any.

    Read anew at every request, so that a role taken away is gone at once.
    """
    user = cast(User, request.user)
    stores = MemoryStore.objects.filter(workspace_id=OuterRef("workspace_id"), deleted_at__isnull=True)
    memberships = list(
        Membership.objects.filter(user=user)
        .select_related("workspace")
        .annotate(has_stores=Exists(stores))
        .order_by("workspace__name", "workspace_id")
    )
    if not memberships:
        return None
    chosen = request.session.get(CHOSEN_WORKSPACE)
    # Sorting is stable: by name among those alike.
    likeliest = sorted(memberships, key=lambda m: (m.workspace_id != chosen, not m.has_stores))
    membership = likeliest[0]
    membership.user = user
    return Member(member_actor(membership=membership), membership, memberships)


def find_elsewhere(member: Member, store_id: str | None) -> Member | None:
    """The same person in the workspace that the store is in, where that is another one of theirs."""
    others = {m.workspace_id: m for m in member.memberships if m is not member.membership}
    if not others or store_id is None:
        return None
    stores = MemoryStore.objects.filter(id=store_id, workspace_id__in=others, deleted_at__isnull=True)
    workspace_id = stores.values_list("workspace_id", flat=True).first()
    if workspace_id is None:
        return None
    membership = others[workspace_id]
    membership.user = member.membership.user
    return Member(member_actor(membership=membership), membership, member.memberships)


def ask_to_sign_in(request: ConsoleRequest) -> HttpResponse:
    """To the sign-in page, and from there to what was asked for, else back to where the person was."""
    if request.htmx:
        # Followed as a redirect, the sign-in page would land inside the page.
        if request.method == "GET" and request.htmx.target in PAGE_TARGETS:
            here = request.get_full_path()
        else:
            here = request.htmx.current_url_abs_path or "/"
        return HttpResponseClientRedirect(f"{settings.LOGIN_URL}?{urlencode({'next': here})}")
    here = request.get_full_path()
    if here == "/":
        return redirect(settings.LOGIN_URL)
    if request.method == "POST":
        return carried.ask_to_sign_in(request)
    return redirect(f"{settings.LOGIN_URL}?{urlencode({'next': here})}")
