"""One settings file; every knob from the environment; runs with no services at all."""

from pathlib import Path

from csp.constants import NONE, SELF

from memconsole import environment

BASE_DIR = Path(__file__).resolve().parent.parent

DATA_DIR = environment.data_dir("MEMCONSOLE_DATA_DIR", BASE_DIR / "var")
SECRET_KEY = environment.secret_key("SECRET_KEY", DATA_DIR)
DEBUG = environment.boolean("DEBUG", default=False)

ALLOWED_HOSTS = environment.names("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
CSRF_TRUSTED_ORIGINS = environment.names("CSRF_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "simple_history",
    "csp",
    "stores",
]

# The first one answers /v1/ and the health checks by itself, without sessions, CSRF or messages.
MIDDLEWARE = [
    "memconsole.middleware.ShortRoad",
    "memconsole.middleware.ErrorsAreNotKept",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # A folder page shrinks from 303 kB to some 15; Django pads answers against BREACH.
    "django.middleware.gzip.GZipMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "stores.console.views.errors.MethodsHaveAPage",
]

ROOT_URLCONF = "memconsole.urls"
API_URLCONF = "stores.api.urls"
WSGI_APPLICATION = "memconsole.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": environment.database("DATABASE_URL", DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "stores.User"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
# Display only; storage and API are UTC.
TIME_ZONE = environment.time_zone("TIME_ZONE", "UTC")

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(mode=0o700, exist_ok=True)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # `serve` collects them under names with a hash; without that they are served from where they lie.
    "staticfiles": {"BACKEND": "memconsole.staticfiles.Storage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
WHITENOISE_AUTOREFRESH = DEBUG

# An API body holds one memory text: 102,400 bytes, each at most six characters once JSON-escaped,
# and a frame (contract/memory_stores_api.md, 1.5).
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "stores.console.views.session.form_expired"
SECURE_COOKIES = environment.boolean("MEMCONSOLE_SECURE_COOKIES", default=False)
SESSION_COOKIE_SECURE = SECURE_COOKIES
CSRF_COOKIE_SECURE = SECURE_COOKIES
# A proxy that ends TLS says so in this header; set it only behind one that overwrites the header.
if environment.boolean("MEMCONSOLE_BEHIND_TLS_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

# Jobs: without Redis the queue is a folder in the data folder (memconsole/celery.py).
REDIS_URL = environment.redis_url("REDIS_URL")
# Whether a worker for jobs is expected to run; `serve --no-jobs` says no.
JOBS = environment.boolean("MEMCONSOLE_JOBS", default=True)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "filters": {"warning": {"()": "memconsole.logs.OnlyAWarning"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
        "warnings": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["warning"]},
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "INFO", "propagate": False},
        # A 404 or a refused form is an answer, not an event for the log.
        "django.request": {"level": "ERROR"},
        # A bad Host and the like are the caller's faults, and anybody can send as many as they like.
        "django.security": {"handlers": ["warnings"], "level": "WARNING", "propagate": False},
        # The web server's own words; its access log is off (see memconsole/server.py).
        "_granian": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        # Every job that was received and done; what goes wrong is an error.
        "celery": {"level": "WARNING"},
        "kombu": {"level": "WARNING"},
    },
}
