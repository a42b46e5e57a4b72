"""The API's addresses and one that does nothing, to see what the way to a view costs."""

from django.urls import include, path

from stores.api.road import Call, Resource
from stores.domain.actors import Right

nothing = Resource()


@nothing.on("GET", right=Right.READ)
def answer(call: Call) -> dict[str, str]:
    return {"status": "ok"}


urlpatterns = [path("v1/nothing", nothing), path("", include("stores.api.urls"))]
