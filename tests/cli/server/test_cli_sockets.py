"""The socket that a server listens on."""

import asyncio
import socket

from benchmaker.cli.server.serving import listen_on

NO_DELAY = socket.IPPROTO_TCP, socket.TCP_NODELAY


async def option_of_accepted(bound: socket.socket) -> int:
    """The option at the server's end of a connection that a loop accepted on a socket."""
    accepted = asyncio.get_running_loop().create_future()

    def accept(_reader, writer):
        accepted.set_result(writer.get_extra_info("socket").getsockopt(*NO_DELAY))
        writer.close()

    server = await asyncio.start_server(accept, sock=bound)
    async with server:
        _, writer = await asyncio.open_connection(*bound.getsockname())
        writer.close()
        return await asyncio.wait_for(accepted, 60)


def test_no_part_of_an_answer_waits_for_the_client_to_confirm_an_earlier_one():
    with listen_on("127.0.0.1", 0) as bound:
        assert asyncio.run(option_of_accepted(bound)) == 1
