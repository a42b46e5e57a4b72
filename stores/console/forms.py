"""The shape of what people send; the rules are the domain's."""

from django import forms
from django.contrib.auth.forms import AuthenticationForm


class SignInForm(AuthenticationForm):
    username = forms.EmailField(label="E-mail", max_length=254)
    keep = forms.BooleanField(label="Stay signed in on this machine", required=False)

    error_messages = {
        "invalid_login": "This e-mail and password do not go together.",
        "inactive": "This account is closed.",
    }
