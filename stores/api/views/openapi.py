"""The API's own description, for everybody: it holds nothing that a key protects."""

from django.http import HttpRequest, HttpResponse

from stores.api.errors import ApiError
from stores.api.openapi import document_bytes


def openapi_document(request: HttpRequest) -> HttpResponse:
    if request.method != "GET":
        raise ApiError(405, "invalid_request_error", "This address takes GET.", {"allow": "GET"})
    return HttpResponse(document_bytes(), content_type="application/json")
