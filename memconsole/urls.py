"""The browser's addresses; those below /v1/ are in stores/api/urls.py (see middleware.ApiRoad)."""

from django.contrib import admin
from django.urls import path

urlpatterns = [
    path("django-admin/", admin.site.urls),
]
