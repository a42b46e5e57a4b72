"""Signing in and out, and what is chosen for this browser: workspace and theme."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import LoginView
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from stores.console import text
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

    def form_valid(self, form: Any) -> HttpResponse:
        if not form.cleaned_data["keep"]:
            self.request.session.set_expiry(0)  # until the browser closes
        return super().form_valid(form)


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
    if not url_has_allowed_host_and_scheme(here, {request.get_host()}, request.is_secure()):
        here = settings.LOGIN_REDIRECT_URL
    response = redirect(here)
    theme = request.POST.get("theme")
    if theme in THEMES:
        response.set_cookie(THEME_COOKIE, theme, YEAR_SECONDS, samesite="Lax", secure=settings.SECURE_COOKIES)
    else:
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    return response
