"""The browser's addresses; those below /v1/ are in stores/api/urls.py (see middleware.ShortRoad)."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path

from stores.console.views.session import sign_in

handler400 = "stores.console.views.errors.bad_request"

urlpatterns = [
    path("", include("stores.console.urls")),
    path("login/", sign_in, name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("django-admin/", admin.site.urls),
]
