#!/usr/bin/env python
"""A shop with Django: an order and its task in one transaction. In this folder:

    python manage.py migrate --run-syncdb
    python manage.py runserver & python manage.py runworker

It needs `pip install django`, and uses the server in `BLUEQUE_URL`.
"""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "settings")
    execute_from_command_line(sys.argv)
