"""The tasks of the shop, which `manage.py runworker` runs."""

from blueque_client import task


@task(queue="shop", max_failures=3)
def ship(order: int) -> str:
    from shop.models import Order  # models are ready when the function runs

    found = Order.objects.get(pk=order)
    found.shipped = True
    found.save()
    return f"shipped {found.what}"
