"""The pages of the shop."""

from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from blueque_client.django import client, submit_on_commit
from shop.models import Order
from shop.tasks import ship


@csrf_exempt
@transaction.atomic
def buy(request: HttpRequest) -> JsonResponse:
    """Stores an order, and its task if the transaction is committed."""
    order = Order.objects.create(what=request.POST["what"])
    order.task = submit_on_commit(ship.call(order.pk)).id
    order.save()
    if order.what == "nothing":
        raise ValueError("nothing cannot be bought")  # a rollback: there is neither order nor task
    return JsonResponse({"id": order.pk}, status=201)


def order(_request: HttpRequest, id: int) -> JsonResponse:
    found = Order.objects.get(pk=id)
    return JsonResponse({"shipped": found.shipped, "state": client().task(found.task).state()})
