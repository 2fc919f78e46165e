"""The loop of the Python client drivers: JSON lines in, JSON lines out (py-client.mjs says which)."""

import asyncio
import json
import sys


class PeerError(Exception):
    """An error as the SDK typed it."""

    def __init__(self, kind, code, message):
        super().__init__(message)
        self.wire = {'type': kind, 'code': code, 'message': message}


async def main(driver, to_error):
    """Serves ``driver``'s async methods; those in ``driver.STREAMS`` are async generators."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    running = {}

    def say(**answer):
        print(json.dumps(answer), flush=True)

    async def work(number, op, args):
        try:
            if op in driver.STREAMS:
                events = getattr(driver, op)(**args)
                try:
                    async for event in events:
                        say(id=number, event=event)
                finally:
                    await events.aclose()
                say(id=number, end=True)
            else:
                say(id=number, result=await getattr(driver, op)(**args))
        except asyncio.CancelledError:
            raise
        except Exception as error:  # whatever the SDK raises is the result
            known = error if isinstance(error, PeerError) else to_error(error)
            say(id=number, error=known.wire)
        finally:
            running.pop(number, None)

    while line := await reader.readline():
        request = json.loads(line)
        if request['op'] == 'leave':
            stream = running.get(request['args']['stream'])
            if stream:
                stream.cancel()
                await asyncio.gather(stream, return_exceptions=True)
            say(id=request['id'], result=None)
        else:
            running[request['id']] = asyncio.create_task(work(request['id'], request['op'], request['args']))
    for task in list(running.values()):
        task.cancel()


def text_of(parts):
    return ''.join(part.get('text', '') for part in parts)
