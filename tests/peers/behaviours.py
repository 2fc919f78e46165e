"""The behaviours of the test agents for the Python ones: what behaviours.mjs says, in the same words.

A behaviour is an async generator over a turn, ``{"text", "parts", "resumed"}``, that yields steps:

    ("message", {"parts"})                        the whole answer, no task
    ("task", {"state", "parts"?})                 a task begins (or goes on, in a follow-up)
    ("status", {"state", "parts"?})               the task's status changes
    ("artifact", {"id", "name", "parts", "append", "last"})

A part is ``{"text"}``, ``{"bytes"}``, ``{"uri"}`` or ``{"data"}``, the middle two with ``name`` and ``mediaType``, each with
``metadata`` if it has any. States are v0.3's words. ``pause`` is what an agent waits for between two steps, ``canceled`` an
event that is set when somebody cancels the task.
"""

import base64

EXTENSION = 'https://example.com/extensions/politeness/v1'
PIXEL = base64.b64decode(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
)
PIXEL_URI = 'https://example.com/pixel.png'
DATA_VALUES = [{'answer': 42, 'nested': {'ok': True}}, ['a', 1, None], 3.5, 'text', False, None]
TERMINAL = ('completed', 'failed', 'canceled', 'rejected')


def text(value):
    return [{'text': value}]


async def echo(turn, pause, canceled):
    yield 'message', {'parts': turn['parts'] or text('(nothing)')}


async def task(turn, pause, canceled):
    yield 'task', {'state': 'working'}
    yield 'artifact', {'id': 'echo', 'name': 'echo', 'parts': turn['parts'], 'append': False, 'last': True}
    yield 'status', {'state': 'completed', 'parts': text('Done.')}


async def slow(turn, pause, canceled):
    yield 'task', {'state': 'submitted'}
    yield 'status', {'state': 'working', 'parts': text('Writing a poem.')}
    lines = ['Two dialects met at a gate,\n', 'one said “kind”, one said “case”;\n', 'the gate let both in.\n']
    for index, line in enumerate(lines):
        await pause()
        last = index == len(lines) - 1
        yield 'artifact', {'id': 'poem', 'name': 'poem.txt', 'parts': text(line), 'append': index > 0, 'last': last}
    await pause()
    yield 'status', {'state': 'completed'}


async def ask(turn, pause, canceled):
    if not turn['resumed']:
        yield 'task', {'state': 'working'}
        yield 'status', {'state': 'input-required', 'parts': text('What is your name?')}
        return
    yield 'task', {'state': 'working'}
    greeting = text(f'Hello, {turn["text"]}!')
    yield 'artifact', {'id': 'greeting', 'name': 'greeting', 'parts': greeting, 'append': False, 'last': True}
    yield 'status', {'state': 'completed'}


async def wait(turn, pause, canceled):
    yield 'task', {'state': 'submitted'}
    yield 'status', {'state': 'working', 'parts': text('Waiting until somebody cancels this task.')}
    await canceled.wait()


async def fail(turn, pause, canceled):
    yield 'task', {'state': 'working'}
    yield 'status', {'state': 'failed', 'parts': text('This one always fails.')}


async def file(turn, pause, canceled):
    sent = [part for part in turn['parts'] if 'bytes' in part or 'uri' in part]
    known = {'name': 'pixel.png', 'mediaType': 'image/png'}
    yield 'message', {'parts': sent or [{'bytes': PIXEL, **known}, {'uri': PIXEL_URI, **known}]}


async def data(turn, pause, canceled):
    sent = [part for part in turn['parts'] if 'data' in part]
    yield 'message', {'parts': sent or [{'data': value} for value in DATA_VALUES]}


async def hold(turn, pause, canceled):
    words = turn['text'].split()
    count = int(words[1]) if len(words) > 1 else 1
    yield 'task', {'state': 'working'}
    for index in range(count):
        await pause()
        chunk, last = text(f'chunk {index}'), index == count - 1
        yield 'artifact', {'id': 'held', 'name': 'held', 'parts': chunk, 'append': index > 0, 'last': last}
    await pause()
    yield 'status', {'state': 'completed'}


async def auth(turn, pause, canceled):
    yield 'task', {'state': 'working'}
    yield 'status', {'state': 'auth-required', 'parts': text('Sign in at the bank.')}
    await pause()
    yield 'status', {'state': 'completed', 'parts': text('Signed in.')}


async def die(turn, pause, canceled):
    yield 'task', {'state': 'working'}
    yield 'status', {'state': 'working', 'parts': text('About to die.')}
    await pause()


BEHAVIOURS = {each.__name__: each for each in (echo, task, slow, ask, wait, fail, file, data, hold, auth, die)}
HELD = ('hold', 'auth', 'die')


def choose(words):
    first = words.split(maxsplit=1)[0].lower() if words else ''
    return first if first in BEHAVIOURS else 'echo'


def tidy(**members):
    """Leaves out what is None or empty."""
    return {key: value for key, value in members.items() if value not in (None, '', {})}
