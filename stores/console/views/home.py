"""The start page; the overview of the workspace will be here."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from stores.console.access import ConsoleRequest, for_members


@require_safe
@for_members
def overview(request: ConsoleRequest) -> HttpResponse:
    return redirect("console:store_list")
