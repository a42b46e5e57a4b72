"""Signing in and out, and what is chosen for this browser: workspace and theme."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.csrf import csrf_failure
from django.views.decorators.http import require_POST

from stores.console import carried, text
from stores.console.access import CHOSEN_WORKSPACE, ConsoleRequest, for_members
from stores.console.forms import SignInForm

THEME_COOKIE = "theme"
THEMES = ("light", "dark")
YEAR_SECONDS = 365 * 24 * 60 * 60


class SignIn(LoginView):
    """By e-mail and password; back to where the person wanted to go, if that is here."""

    authentication_form = SignInForm
    redirect_authenticated_user = True
    extra_context = {"title": "Sign in"}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "POST" and request.user.is_authenticated:
            # Signed in meanwhile in another tab: what is carried must not be lost over it.
            response = carried.offer(request, self.get_success_url())
            if response is not None:
                return response
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        if not form.cleaned_data["keep"]:
            self.request.session.set_expiry(0)  # until the browser closes
        response = super().form_valid(form)
        # What was being sent when the sign-in had expired: the person sends it again, knowingly.
        return carried.offer(self.request, self.get_success_url()) or response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return {**super().get_context_data(**kwargs), "carried": carried.posted(self.request)}


sign_in = SignIn.as_view()


@require_POST
@for_members
def choose_workspace(request: ConsoleRequest) -> HttpResponse:
    chosen = request.POST.get("workspace_id")
    membership = next((m for m in request.member.memberships if m.workspace_id == chosen), None)
    if membership is None:
        raise Http404("There is no such workspace.")
    request.session[CHOSEN_WORKSPACE] = membership.workspace_id
    messages.info(request, f"You are now in {text.plain(membership.workspace.name)}.")
    return redirect("console:store_list")


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Kept in a cookie that scripts may write too: with script the page need not be loaded anew."""
    here = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(here, {request.get_host()}, request.is_secure())
    # A bare word would be taken for the name of a page.
    response = redirect(here if is_ours and here.startswith("/") else settings.LOGIN_REDIRECT_URL)
    theme = request.POST.get("theme")
    if theme in THEMES:
        response.set_cookie(THEME_COOKIE, theme, YEAR_SECONDS, samesite="Lax", secure=settings.SECURE_COOKIES)
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response


def address_of(request: HttpRequest) -> str:
    """Where the form was going; of a sign-in that carries something, where that was going."""
    if request.path != settings.LOGIN_URL:
        return request.get_full_path()
    here = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(here, {request.get_host()}, request.is_secure())
    return here if is_ours else settings.LOGIN_REDIRECT_URL


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The token of a form is that of an earlier sign-in: what was typed is kept, and sent by one more click.

    Only of a form that this very site sent, as the browser itself says: nobody else's words are shown here.
    """
    is_ours = request.headers.get("origin") == f"{request.scheme}://{request.get_host()}"
    if is_ours and request.user.is_authenticated:
        response = carried.offer(request, address_of(request), carried.fields_of(request))
        if response is not None:
            response.status_code = 403
            return response
    return csrf_failure(request, reason)
