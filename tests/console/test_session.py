"""Signing in and out, and the theme."""

from django.test import Client

from tests.console.cases import PASSWORD, ConsoleTestCase, Page

GOOD = {"username": "ada@example.com", "password": PASSWORD}


class SigningIn(ConsoleTestCase):
    def test_with_the_right_password_leads_to_the_overview(self):
        response = self.client.post("/login/", GOOD, follow=True)
        self.assertEqual(response.redirect_chain, [("/", 302)])
        self.assertContains(response, "Ada Lovett")

    def test_takes_the_address_in_any_case(self):
        self.assertRedirects(self.client.post("/login/", GOOD | {"username": "ADA@Example.com"}), "/")

    def test_leads_back_to_where_the_person_was(self):
        response = self.client.post("/login/", GOOD | {"next": f"{self.store_url}?folder=/policies/"})
        self.assertRedirects(response, f"{self.store_url}?folder=/policies/")

    def test_never_leads_to_another_site(self):
        for target in ("https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"):
            with self.subTest(target):
                response = Client().post("/login/", GOOD | {"next": target})
                self.assertRedirects(response, "/", fetch_redirect_response=False)

    def test_with_a_wrong_password_says_so_and_keeps_the_address(self):
        for data in (
            GOOD | {"password": "wrong"},
            GOOD | {"username": "nobody@example.com"},
        ):
            with self.subTest(data):
                response = self.client.post("/login/", data | {"next": "/connect/"})
                page = Page(response.content.decode())
                self.assertIn("This e-mail and password do not go together.", page.text)
                values = {field["name"]: field.get("value") for field in page.all("input")}
                self.assertEqual((values["username"], values["next"]), (data["username"], "/connect/"))
                self.assertIsNone(values["password"])
                self.assertNotIn("_auth_user_id", self.client.session)

    def test_asks_for_what_is_missing(self):
        response = self.client.post("/login/", {"username": "not an address", "password": ""})
        self.assertContains(response, "Enter a valid email address.")
        self.assertContains(response, "This field is required.")

    def test_takes_no_account_that_is_closed(self):
        self.owner.is_active = False
        self.owner.save()
        self.assertContains(self.client.post("/login/", GOOD), "do not go together")

    def test_lasts_until_the_browser_closes_unless_asked_to_last(self):
        self.client.post("/login/", GOOD)
        self.assertTrue(self.client.session.get_expire_at_browser_close())
        other = Client()
        other.post("/login/", GOOD | {"keep": "on"})
        self.assertFalse(other.session.get_expire_at_browser_close())

    def test_is_not_asked_of_somebody_who_is_signed_in(self):
        self.client.force_login(self.owner)
        self.assertRedirects(self.client.get("/login/"), "/")

    def test_without_the_token_says_what_to_do(self):
        strict = Client(enforce_csrf_checks=True)
        response = strict.post("/login/", GOOD)
        self.assertContains(response, "This form has expired", status_code=403)


class SigningOut(ConsoleTestCase):
    def test_by_post_ends_the_session(self):
        self.client.force_login(self.owner)
        self.assertRedirects(self.client.post("/logout/"), "/login/")
        self.assertEqual(self.client.get(self.store_url).status_code, 302)

    def test_does_not_happen_by_a_link(self):
        self.client.force_login(self.owner)
        response = self.client.get("/logout/")
        self.assertEqual(response.status_code, 405)
        self.assertContains(response, "Nothing to read here", status_code=405)
        self.assertEqual(self.client.get(self.store_url).status_code, 200)


class Theme(ConsoleTestCase):
    def choose(self, theme: str, then: str = "/stores/"):
        return self.client.post("/theme/", {"theme": theme, "next": then})

    def test_is_kept_in_a_cookie_and_on_the_page(self):
        self.assertRedirects(self.choose("dark"), "/stores/", fetch_redirect_response=False)
        self.assertEqual(self.page("/stores/").all("html")[0].get("data-theme"), "dark")
        self.choose("system")
        self.assertNotIn("data-theme", self.page("/stores/").all("html")[0])

    def test_is_one_of_two(self):
        self.choose('"><script>')
        self.assertNotIn("theme", {name for name, m in self.client.cookies.items() if m.value})
        self.client.cookies["theme"] = '"onload=x'
        self.assertNotIn("data-theme", self.page("/stores/").all("html")[0])

    def test_leads_back_to_this_site_only(self):
        for then in ("https://evil.example/", "//evil.example/", "stores", "logout", "é", "a\0b", ""):
            with self.subTest(then):
                response = self.choose("dark", then)
                self.assertRedirects(response, "/", fetch_redirect_response=False)


class Unreadable(ConsoleTestCase):
    def test_forms_get_an_honest_page(self):
        for charset in ("utf-16", "utf-7", "hex", "rot13"):
            for url in ("/login/", "/theme/", f"{self.store_url}memories/new/"):
                with self.subTest(url, charset=charset):
                    client = Client(enforce_csrf_checks=True)
                    client.get("/login/")  # for the cookie with the token
                    response = client.generic(
                        "POST",
                        url,
                        b"a=1",
                        content_type=f"application/x-www-form-urlencoded; charset={charset}",
                    )
                    self.assertContains(response, "This request cannot be read", status_code=400)

    def test_what_is_carried_over_the_sign_in_is_ours_or_nothing(self):
        for carried in (
            "[" * 5_000 + "]" * 5_000,
            '[["text","\\ud800"]]',
            '[["\\udfff","x"]]',
            "[1]",
            "{",
            "[[1]]",
        ):
            for user in (None, self.owner):
                with self.subTest(carried[:20], user=user):
                    client = Client()
                    if user:
                        client.force_login(user)
                    response = client.post("/login/", GOOD | {"password": "wrong", "carried": carried})
                    self.assertLess(response.status_code, 400)
                    self.assertNotIn(b"ud800", response.content)
