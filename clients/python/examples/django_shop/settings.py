"""The settings of the shop."""

import os

SECRET_KEY = "for this example only"
DEBUG = True
ALLOWED_HOSTS = ["*"]
ROOT_URLCONF = "urls"
INSTALLED_APPS = ["blueque_client.django", "shop"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.environ.get("SHOP", "shop.sqlite3")}}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
BLUEQUE = {"server": os.environ.get("BLUEQUE_URL", "redis://127.0.0.1"), "namespace": "shop"}
