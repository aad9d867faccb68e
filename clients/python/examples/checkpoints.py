"""An interrupted task continues from its last checkpoint, not from the beginning.

It needs only an installed redis-server or valkey-server, and starts its own server.
"""

from blueque_client import Again, Client, context, task
from blueque_client.testing import Server, run_until_idle


@task(queue="pages")
def read_pages(pages: int) -> int:
    for page in range(context.last_checkpoint(0), pages):
        print(f"attempt {context.attempt} reads page {page}")
        context.checkpoint(page + 1)
        context.progress(page + 1, pages, "pages")
        if page == 1:
            raise Again(0)  # as if the host went down here
    return pages


if __name__ == "__main__":
    with Server() as server, Client(server.url) as client:
        book = client.submit(read_pages.call(4))
        run_until_idle(client, read_pages)
        print(book.result(), "pages:", [event.to for event in client.queue("pages").events()])
