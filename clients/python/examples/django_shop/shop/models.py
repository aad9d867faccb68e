"""The data of the shop."""

from django.db import models


class Order(models.Model):
    what = models.TextField()
    shipped = models.BooleanField(default=False)
    task = models.TextField()
