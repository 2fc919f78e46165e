"""How a test steers a Python agent: control.mjs again, as ASGI middleware, and the loop that serves the agent."""

import asyncio
import collections
import json
import os
import socket
import urllib.parse

import uvicorn


class Control:
    """Sits in front of an agent's ASGI application."""

    def __init__(self, on_options=lambda options: None, on_task=None):
        self.app = None
        self.on_options = on_options
        self.on_task = on_task
        self.options = {'requireAuthorization': False, 'requireExtension': False}
        self.changed = asyncio.Condition()
        self.live = {}
        self.reset()

    def reset(self):
        self.requests = []
        self.counts = {'finished': 0, 'aborted': 0}
        self.permits = 0
        self.gates = collections.deque()

    @property
    def state(self):
        return {
            'requests': len(self.requests), 'open': len(self.live), 'streams': sum(self.live.values()), **self.counts,
            'waiting': len(self.gates),
        }

    async def notify(self):
        async with self.changed:
            self.changed.notify_all()

    async def gate(self):
        """What a behaviour waits for: the next release."""
        if self.permits > 0:
            self.permits -= 1
            return
        released = asyncio.get_running_loop().create_future()
        self.gates.append(released)
        await self.notify()
        await released

    async def die(self):
        """Breaks every A2A response that is under way, and the steps that come after."""
        for request in list(self.live):
            request.cancel()
        await asyncio.Event().wait()

    async def __call__(self, scope, receive, send):
        if scope['type'] != 'http':
            return await self.app(scope, receive, send)
        if scope['path'].startswith('/control/'):
            return await self.answer(scope, receive, send)
        if scope['path'].startswith('/.well-known/'):
            return await self.app(scope, receive, send)
        return await self.watched(scope, receive, send)

    async def watched(self, scope, receive, send):
        headers = {name.decode(): value.decode('latin-1') for name, value in scope['headers']}
        entry = {'method': scope['method'], 'url': (scope.get('raw_path') or scope['path'].encode()).decode(), 'headers': headers, 'body': b''}
        self.requests.append(entry)
        request = asyncio.current_task()
        self.live[request] = False
        complete = False

        async def heard():
            message = await receive()
            if message['type'] == 'http.request':
                entry['body'] += message.get('body', b'')
            return message

        async def said(message):
            nonlocal complete
            await send(message)
            if message['type'] == 'http.response.start':
                kinds = [value for name, value in message['headers'] if name.lower() == b'content-type']
                self.live[request] = any(kind.startswith(b'text/event-stream') for kind in kinds)
                await self.notify()
            elif message['type'] == 'http.response.body' and not message.get('more_body'):
                complete = True

        await self.notify()
        try:
            if self.options['requireAuthorization'] and 'authorization' not in headers:
                await respond(said, {'error': 'unauthorized'}, 401, [(b'www-authenticate', b'Bearer realm="agent"')])
            else:
                await self.app(scope, heard, said)
        finally:
            self.live.pop(request, None)
            self.counts['finished' if complete else 'aborted'] += 1
            await asyncio.shield(self.notify())

    async def answer(self, scope, receive, send):
        query = dict(urllib.parse.parse_qsl(scope['query_string'].decode()))
        match f'{scope["method"]} {scope["path"]}':
            case 'POST /control/release':
                for _ in range(int(query.get('n', 1))):
                    if self.gates:
                        self.gates.popleft().set_result(None)
                    else:
                        self.permits += 1
                await respond(send, self.state)
            case 'POST /control/options':
                body, more = b'', True
                while more:
                    message = await receive()
                    body, more = body + message.get('body', b''), message.get('more_body', False)
                self.options.update(json.loads(body))
                self.on_options(self.options)
                await respond(send, self.options)
            case 'POST /control/task':
                await self.on_task(query['id'])
                await respond(send, self.state)
            case 'POST /control/reset':
                self.reset()
                await respond(send, self.state)
            case 'GET /control/state':
                await respond(send, self.state)
            case 'GET /control/wait':
                async with self.changed:
                    await self.changed.wait_for(lambda: all(self.state[key] >= int(count) for key, count in query.items()))
                await respond(send, self.state)
            case 'GET /control/last' if self.requests:
                last = self.requests[-1]
                await respond(send, {**last, 'body': last['body'].decode()})
            case _:
                await respond(send, {'error': 'no such control'}, 404)


async def respond(send, value, status=200, headers=()):
    """Answers with JSON."""
    body = json.dumps(value).encode()
    kind = (b'content-type', b'application/json')
    await send({'type': 'http.response.start', 'status': status, 'headers': [kind, (b'connection', b'close'), *headers]})
    await send({'type': 'http.response.body', 'body': body})


class Announced(uvicorn.Server):
    """Prints the agent's URL when it is ready for it."""

    url = ''

    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(self.url, flush=True)


async def serve(create):
    """Serves ``create(url)``, a ``(control, app)`` pair, on PORT or on a free port."""
    listener = socket.create_server(('127.0.0.1', int(os.environ.get('PORT', '0'))))
    url = f'http://127.0.0.1:{listener.getsockname()[1]}'
    control, app = create(url)
    control.app = app
    server = Announced(uvicorn.Config(control, log_level='warning', lifespan='off', timeout_keep_alive=60))
    server.url = url
    await server.serve(sockets=[listener])
