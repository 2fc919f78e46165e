"""A driver over the client of a2a-sdk 1.x. Its own v0.3 compatibility cannot be turned off, but it prefers v1.0."""

import asyncio
import base64
import uuid

import httpx

from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.types import (
    CancelTaskRequest,
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.errors import JSON_RPC_ERROR_CODE_MAP
from behaviours import tidy
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.struct_pb2 import Struct, Value
from py_client import PeerError, main, text_of


def to_error(error):
    return PeerError(type(error).__name__, JSON_RPC_ERROR_CODE_MAP.get(type(error)), str(error))


def to_part(part):
    metadata = ParseDict(part['metadata'], Struct()) if 'metadata' in part else None
    known = {'filename': part.get('name', ''), 'media_type': part.get('mediaType', ''), 'metadata': metadata}
    if 'text' in part:
        return Part(text=part['text'], **known)
    if 'bytes' in part:
        return Part(raw=base64.b64decode(part['bytes']), **known)
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
            return {'bytes': base64.b64encode(part.raw).decode(), **known}
        case 'url':
            return {'uri': part.url, **known}
        case 'data':
            return {'data': MessageToDict(part.data), **known}
        case _:
            raise PeerError('empty part', None, 'the SDK read a part without content')


def metadata_of(message):
    return MessageToDict(message.metadata) if message.HasField('metadata') else None


def word(state):
    return TaskState.Name(state).removeprefix('TASK_STATE_').lower().replace('_', '-')


def from_message(message):
    role = 'user' if message.role == Role.ROLE_USER else 'agent'
    parts = [from_part(part) for part in message.parts]
    return {'kind': 'message', 'role': role, 'parts': parts, **tidy(contextId=message.context_id, metadata=metadata_of(message))}


def said(status):
    return text_of([from_part(part) for part in status.message.parts]) if status.HasField('message') else None


def from_task(task):
    artifacts = [
        {'id': each.artifact_id, **tidy(name=each.name), 'parts': [from_part(part) for part in each.parts]} for each in task.artifacts
    ]
    return {
        'kind': 'task', 'id': task.id, 'contextId': task.context_id, 'state': word(task.status.state),
        'history': [from_message(message) for message in task.history], 'artifacts': artifacts,
        **tidy(text=said(task.status), metadata=metadata_of(task)),
    }


def from_event(event):
    match event.WhichOneof('payload'):
        case 'task':
            return from_task(event.task)
        case 'message':
            return from_message(event.message)
        case 'status_update':
            update = event.status_update
            ids = {'taskId': update.task_id, 'contextId': update.context_id}
            return {'kind': 'status', **ids, 'state': word(update.status.state), **tidy(text=said(update.status))}
        case 'artifact_update':
            update = event.artifact_update
            ids = {'taskId': update.task_id, 'contextId': update.context_id}
            return {
                'kind': 'artifact', **ids, 'id': update.artifact.artifact_id, **tidy(name=update.artifact.name),
                'parts': [from_part(part) for part in update.artifact.parts], 'append': update.append, 'last': update.last_chunk,
            }
        case other:
            raise PeerError('unknown event', None, str(other))


def from_card(card):
    interfaces = [MessageToDict(each) for each in card.supported_interfaces]
    return {
        'name': card.name, 'description': card.description, 'skills': [skill.id for skill in card.skills], 'interfaces': interfaces,
        'streaming': card.capabilities.streaming, 'extended': card.capabilities.extended_agent_card,
    }


class Driver:
    STREAMS = ('stream', 'resubscribe')

    async def connect(self, url, authorization=None, transport='JSONRPC'):
        headers = {'Authorization': authorization} if authorization else {}
        http = httpx.AsyncClient(headers=headers, timeout=30)
        card = await A2ACardResolver(http, url).get_agent_card()
        self.waiting, self.streaming = (
            ClientFactory(ClientConfig(httpx_client=http, streaming=streaming, supported_protocol_bindings=[transport])).create(card)
            for streaming in (False, True)
        )
        return from_card(card)

    def request(self, message, config):
        parts = message.get('parts') or [{'text': message['text']}]
        sent = Message(
            role=Role.ROLE_USER, message_id=str(uuid.uuid4()), parts=[to_part(part) for part in parts],
            task_id=message.get('taskId', ''), context_id=message.get('contextId', ''),
            metadata=ParseDict(message['metadata'], Struct()) if 'metadata' in message else None,
        )
        configuration = SendMessageConfiguration(return_immediately=config.get('blocking') is False)
        if 'historyLength' in config:
            configuration.history_length = config['historyLength']
        parameters = ServiceParametersFactory.create([with_a2a_extensions(config.get('extensions', []))])
        return SendMessageRequest(message=sent, configuration=configuration), ClientCallContext(service_parameters=parameters)

    async def send(self, message, config):
        request, context = self.request(message, config)
        async for event in self.waiting.send_message(request, context=context):
            return from_event(event)

    async def stream(self, message, config):
        request, context = self.request(message, config)
        async for event in self.streaming.send_message(request, context=context):
            yield from_event(event)

    async def get(self, id, historyLength=None):
        return from_task(await self.waiting.get_task(GetTaskRequest(id=id, history_length=historyLength)))

    async def list(self, contextId='', pageSize=None, pageToken=''):
        page = await self.waiting.list_tasks(ListTasksRequest(context_id=contextId, page_size=pageSize, page_token=pageToken))
        return {
            'tasks': [from_task(task) for task in page.tasks], 'nextPageToken': page.next_page_token,
            'pageSize': page.page_size, 'totalSize': page.total_size,
        }

    async def cancel(self, id):
        return from_task(await self.waiting.cancel_task(CancelTaskRequest(id=id)))

    async def resubscribe(self, id):
        async for event in self.streaming.subscribe(SubscribeToTaskRequest(id=id)):
            yield from_event(event)

    async def extendedCard(self):
        return from_card(await self.waiting.get_extended_agent_card(GetExtendedAgentCardRequest()))


if __name__ == '__main__':
    asyncio.run(main(Driver(), to_error))
