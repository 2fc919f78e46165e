"""A test agent on a2a-sdk 0.3: v0.3 only."""

import asyncio
import base64
import os
import uuid

from datetime import datetime, timezone

from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2ARESTFastAPIApplication, A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentExtension,
    AgentInterface,
    AgentProvider,
    AgentSkill,
    Artifact,
    DataPart,
    FilePart,
    FileWithBytes,
    FileWithUri,
    Message,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatus,
    TaskStatusUpdateEvent,
    TextPart,
)
from behaviours import BEHAVIOURS, EXTENSION, HELD, TERMINAL, choose, tidy
from control import Control, serve
from starlette.routing import Mount


def to_part(part):
    metadata = part.get('metadata')
    known = {'name': part.get('name'), 'mime_type': part.get('mediaType')}
    if 'text' in part:
        return Part(root=TextPart(text=part['text'], metadata=metadata))
    if 'bytes' in part:
        content = base64.b64encode(part['bytes']).decode()
        return Part(root=FilePart(file=FileWithBytes(bytes=content, **known), metadata=metadata))
    if 'uri' in part:
        return Part(root=FilePart(file=FileWithUri(uri=part['uri'], **known), metadata=metadata))
    if isinstance(part['data'], dict):
        return Part(root=DataPart(data=part['data'], metadata=metadata))
    # v0.3 has only objects: what agents that know both versions write for any other value.
    return Part(root=DataPart(data={'value': part['data']}, metadata={**(metadata or {}), 'data_part_compat': True}))


def from_part(part):
    root = part.root
    metadata = tidy(metadata=root.metadata)
    if isinstance(root, TextPart):
        return {'text': root.text, **metadata}
    if isinstance(root, DataPart):
        return {'data': root.data, **metadata}
    known = {**tidy(name=root.file.name, mediaType=root.file.mime_type), **metadata}
    if isinstance(root.file, FileWithBytes):
        return {'bytes': base64.b64decode(root.file.bytes), **known}
    return {'uri': root.file.uri, **known}


class Executor(AgentExecutor):
    """Runs a behaviour and says its steps in v0.3."""

    def __init__(self, control):
        self.control = control
        self.tasks = {}

    async def execute(self, context, event_queue):
        task_id, context_id, sent = context.task_id, context.context_id, context.message
        if EXTENSION in context.requested_extensions:
            context.add_activated_extension(EXTENSION)
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
            return Message(role=Role.agent, message_id=str(uuid.uuid4()), parts=[to_part(part) for part in answer], **ids)

        def status(step):
            said = message(step['parts'], task_id=task_id, context_id=context_id) if 'parts' in step else None
            return TaskStatus(state=TaskState(step['state']), message=said, timestamp=datetime.now(timezone.utc).isoformat())

        turn = {'text': words, 'parts': parts, 'resumed': context.current_task is not None}
        async for kind, step in BEHAVIOURS[name](turn, pause, canceled):
            if canceled.is_set():
                return
            if kind == 'message':
                answer = message(step['parts'], context_id=context_id)
                answer.metadata = sent.metadata
                await event_queue.enqueue_event(answer)
            elif kind == 'task' and context.current_task is None:
                await event_queue.enqueue_event(Task(id=task_id, context_id=context_id, status=status(step), history=[sent], metadata=sent.metadata))
            elif kind == 'artifact':
                artifact = Artifact(artifact_id=step['id'], name=step['name'], parts=[to_part(part) for part in step['parts']])
                await event_queue.enqueue_event(TaskArtifactUpdateEvent(task_id=task_id, context_id=context_id, artifact=artifact, append=step['append'], last_chunk=step['last']))
            else:
                final = step['state'] == 'input-required' or step['state'] in TERMINAL
                await event_queue.enqueue_event(TaskStatusUpdateEvent(task_id=task_id, context_id=context_id, status=status(step), final=final))

    async def cancel(self, context, event_queue):
        running = self.tasks.get(context.task_id)
        if running:
            running['canceled'].set()
        status = TaskStatus(state=TaskState.canceled, timestamp=datetime.now(timezone.utc).isoformat())
        await event_queue.enqueue_event(TaskStatusUpdateEvent(task_id=context.task_id, context_id=context.context_id, status=status, final=True))


def create(url):
    def skill(name, description):
        return AgentSkill(id=name, name=name, description=description, tags=['test'])

    extension = AgentExtension(uri=EXTENSION, description='Says please and thank you.', required=False)
    interfaces = [
        AgentInterface(url=f'{url}/a2a/jsonrpc', transport='JSONRPC'),
        AgentInterface(url=f'{url}/a2a/rest', transport='HTTP+JSON'),
    ]
    interfaces = [each for each in interfaces if os.environ.get('BINDING') in ('', None, each.transport)]
    card = AgentCard(
        name='Python agent 0.3',
        description='A v0.3 test agent.',
        version='0.3.26',
        protocol_version='0.3.0',
        url=interfaces[0].url,
        preferred_transport=interfaces[0].transport,
        additional_interfaces=interfaces,
        provider=AgentProvider(organization='a2a-compat', url='https://example.com'),
        capabilities=AgentCapabilities(streaming=True, push_notifications=False, extensions=[extension]),
        supports_authenticated_extended_card=True,
        default_input_modes=['text/plain'],
        default_output_modes=['text/plain'],
        skills=[skill(name, f'For tests: {name}.') for name in BEHAVIOURS],
    )
    extended = card.model_copy(
        update={'name': f'{card.name} (extended)', 'skills': [*card.skills, skill('secret', 'Only in the extended card.')]}
    )

    def on_options(options):
        extension.required = options['requireExtension']

    store = InMemoryTaskStore()

    async def on_task(task_id):
        status = TaskStatus(state=TaskState.working, timestamp=datetime.now(timezone.utc).isoformat())
        await store.save(Task(id=task_id, context_id='planted', status=status))

    control = Control(on_options, on_task)
    handler = DefaultRequestHandler(agent_executor=Executor(control), task_store=store)
    app = A2AStarletteApplication(agent_card=card, http_handler=handler, extended_agent_card=extended).build(rpc_url='/a2a/jsonrpc')
    rest = A2ARESTFastAPIApplication(agent_card=card, http_handler=handler, extended_agent_card=extended).build()
    app.routes.append(Mount('/a2a/rest', rest))
    return control, app


if __name__ == '__main__':
    asyncio.run(serve(create))
