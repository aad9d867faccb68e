"""The addresses of the shop."""

from django.urls import path
from shop.views import buy, order

urlpatterns = [path("orders", buy), path("orders/<int:id>", order)]
