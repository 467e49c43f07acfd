# A client of fastmcp that logs in, and calls twice. Usage: fastmcp_client.py URL
import asyncio
import sys

from fastmcp import Client
from fastmcp.client.auth import OAuth
from key_value.aio.stores.memory import MemoryStore


async def main(url):
    store = MemoryStore()
    for _ in range(2):
        auth = OAuth(mcp_url=url, token_storage=store, callback_host="127.0.0.1")
        async with Client(url, auth=auth) as client:
            print((await client.call_tool("whoami", {})).content[0].text)


asyncio.run(main(sys.argv[1]))
