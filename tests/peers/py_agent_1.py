"""A test agent on a2a-sdk 1.x: v1.0 only (its v0.3 compatibility off)."""

import asyncio
import os
import uuid

from a2a.server.agent_execution import AgentExecutor
from a2a.server.context import ServerCallContext
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes, create_rest_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentExtension,
    AgentInterface,
    AgentProvider,
    AgentSkill,
    Artifact,
    ExtensionSupportRequiredError,
    Message,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
)
from behaviours import BEHAVIOURS, EXTENSION, HELD, choose, tidy
from control import Control, serve
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct, Value
from starlette.applications import Starlette


def struct(value):
    return ParseDict(value, Struct()) if value is not None else None


def to_part(part):
    known = {'filename': part.get('name', ''), 'media_type': part.get('mediaType', ''), 'metadata': struct(part.get('metadata'))}
    if 'text' in part:
        return Part(text=part['text'], **known)
    if 'bytes' in part:
        return Part(raw=part['bytes'], **known)
    if 'uri' in part:
        return Part(url=part['uri'], **known)
    return Part(data=ParseDict(part['data'], Value()), **known)


def from_part(part):
    metadata = MessageToDict(part.metadata) if part.HasField('metadata') else None
    known = tidy(name=part.filename, mediaType=part.media_type, metadata=metadata)
    match part.WhichOneof('content'):
        case 'text':
            return {'text': part.text, **known}
        case 'raw':
            return {'bytes': part.raw, **known}
        case 'url':
            return {'uri': part.url, **known}
        case _:
            return {'data': MessageToDict(part.data), **known}


class Executor(AgentExecutor):
    """Runs a behaviour and says its steps in v1.0."""

    def __init__(self, control):
        self.control = control
        self.tasks = {}

    async def execute(self, context, event_queue):
        task_id, context_id, sent = context.task_id, context.context_id, context.message
        if self.control.options['requireExtension'] and EXTENSION not in context.requested_extensions:
            raise ExtensionSupportRequiredError(f'Client must declare support for required extensions: {EXTENSION}')
        parts = [from_part(part) for part in sent.parts]
        words = ' '.join(part.get('text', '') for part in parts).strip()
        name = self.tasks[task_id]['name'] if task_id in self.tasks else choose(words)
        canceled = asyncio.Event()
        self.tasks[task_id] = {'name': name, 'canceled': canceled}

        async def pause():
            if name in HELD:
                await self.control.gate()
            if name == 'die':
                await self.control.die()

        def message(answer, **ids):
            return Message(role=Role.ROLE_AGENT, message_id=str(uuid.uuid4()), parts=[to_part(part) for part in answer], **ids)

        def status(step):
            said = message(step['parts'], task_id=task_id, context_id=context_id) if 'parts' in step else None
            result = TaskStatus(state=TaskState.Value(f'TASK_STATE_{step["state"].upper().replace("-", "_")}'), message=said)
            result.timestamp.GetCurrentTime()
            return result

        metadata = sent.metadata if sent.HasField('metadata') else None
        turn = {'text': words, 'parts': parts, 'resumed': context.current_task is not None}
        async for kind, step in BEHAVIOURS[name](turn, pause, canceled):
            if canceled.is_set():
                return
            if kind == 'message':
                answer = message(step['parts'], context_id=context_id)
                if metadata is not None:
                    answer.metadata.CopyFrom(metadata)
                await event_queue.enqueue_event(answer)
            elif kind == 'task' and context.current_task is None:
                await event_queue.enqueue_event(Task(id=task_id, context_id=context_id, status=status(step), history=[sent], metadata=metadata))
            elif kind == 'artifact':
                artifact = Artifact(artifact_id=step['id'], name=step['name'], parts=[to_part(part) for part in step['parts']])
                await event_queue.enqueue_event(TaskArtifactUpdateEvent(task_id=task_id, context_id=context_id, artifact=artifact, append=step['append'], last_chunk=step['last']))
            else:
                await event_queue.enqueue_event(TaskStatusUpdateEvent(task_id=task_id, context_id=context_id, status=status(step)))

    async def cancel(self, context, event_queue):
        running = self.tasks.get(context.task_id)
        if running:
            running['canceled'].set()
        status = TaskStatus(state=TaskState.TASK_STATE_CANCELED)
        status.timestamp.GetCurrentTime()
        await event_queue.enqueue_event(TaskStatusUpdateEvent(task_id=context.task_id, context_id=context.context_id, status=status))


def create(url):
    def skill(name, description):
        return AgentSkill(id=name, name=name, description=description, tags=['test'])

    interfaces = [
        AgentInterface(url=f'{url}/a2a/jsonrpc', protocol_binding='JSONRPC', protocol_version='1.0'),
        AgentInterface(url=f'{url}/a2a/rest', protocol_binding='HTTP+JSON', protocol_version='1.0'),
    ]
    card = AgentCard(
        name='Python agent 1.x',
        description='A v1.0 test agent.',
        version='1.3.0',
        supported_interfaces=[each for each in interfaces if os.environ.get('BINDING') in ('', None, each.protocol_binding)],
        provider=AgentProvider(organization='a2a-compat', url='https://example.com'),
        capabilities=AgentCapabilities(
            streaming=True,
            push_notifications=False,
            extended_agent_card=True,
            extensions=[AgentExtension(uri=EXTENSION, description='Says please and thank you.')],
        ),
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        skills=[skill(name, f'For tests: {name}.') for name in BEHAVIOURS],
    )
    extended = AgentCard()
    extended.CopyFrom(card)
    extended.name = f'{card.name} (extended)'
    extended.skills.append(skill('secret', 'Only in the extended card.'))

    def on_options(options):
        card.capabilities.extensions[0].required = options['requireExtension']

    store = InMemoryTaskStore()

    async def on_task(task_id):
        status = TaskStatus(state=TaskState.TASK_STATE_WORKING)
        status.timestamp.GetCurrentTime()
        await store.save(Task(id=task_id, context_id='planted', status=status), ServerCallContext())

    control = Control(on_options, on_task)
    handler = DefaultRequestHandler(
        agent_executor=Executor(control), task_store=store, agent_card=card, extended_agent_card=extended
    )
    app = Starlette(
        routes=[
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, '/a2a/jsonrpc'),
            *create_rest_routes(handler, path_prefix='/a2a/rest'),
        ]
    )
    return control, app


if __name__ == '__main__':
    asyncio.run(serve(create))
