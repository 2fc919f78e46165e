"""A driver over the client of a2a-sdk 0.3."""

import asyncio
import uuid

import httpx

from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.errors import A2AClientHTTPError, A2AClientJSONRPCError
from a2a.types import (
    DataPart,
    FilePart,
    FileWithBytes,
    FileWithUri,
    Message,
    MessageSendConfiguration,
    Part,
    Role,
    Task,
    TaskArtifactUpdateEvent,
    TaskIdParams,
    TaskQueryParams,
    TextPart,
)
from behaviours import tidy
from py_client import PeerError, main, text_of


# This SDK's only typed error is A2AClientJSONRPCError with a code; these are the codes' names.
NAMES = {
    -32001: 'TaskNotFoundError',
    -32002: 'TaskNotCancelableError',
    -32003: 'PushNotificationNotSupportedError',
    -32004: 'UnsupportedOperationError',
    -32005: 'ContentTypeNotSupportedError',
    -32006: 'InvalidAgentResponseError',
}


# Over HTTP+JSON it has A2AClientHTTPError with a status, and these are what its own servers answer with.
STATUSES = {404: 'TaskNotFoundError', 409: 'TaskNotCancelableError', 501: 'UnsupportedOperationError'}


def to_error(error):
    if isinstance(error, A2AClientJSONRPCError):
        code = error.error.code
        return PeerError(NAMES.get(code, type(error.error).__name__), code, str(error))
    if isinstance(error, A2AClientHTTPError):
        return PeerError(STATUSES.get(error.status_code, type(error).__name__), error.status_code, str(error))
    return PeerError(type(error).__name__, None, str(error))


def to_part(part):
    metadata = part.get('metadata')
    known = {'name': part.get('name'), 'mime_type': part.get('mediaType')}
    if 'text' in part:
        return Part(root=TextPart(text=part['text'], metadata=metadata))
    if 'bytes' in part:
        return Part(root=FilePart(file=FileWithBytes(bytes=part['bytes'], **known), metadata=metadata))
    if 'uri' in part:
        return Part(root=FilePart(file=FileWithUri(uri=part['uri'], **known), metadata=metadata))
    return Part(root=DataPart(data=part['data'], metadata=metadata))


def from_part(part):
    root = part.root
    metadata = tidy(metadata=root.metadata)
    if isinstance(root, TextPart):
        return {'text': root.text, **metadata}
    if isinstance(root, DataPart):
        return {'data': root.data, **metadata}
    content = {'bytes': root.file.bytes} if isinstance(root.file, FileWithBytes) else {'uri': root.file.uri}
    return {**content, **tidy(name=root.file.name, mediaType=root.file.mime_type), **metadata}


def from_message(message):
    parts = [from_part(part) for part in message.parts]
    return {'kind': 'message', 'role': message.role.value, 'parts': parts, **tidy(contextId=message.context_id, metadata=message.metadata)}


def said(status):
    return text_of([from_part(part) for part in status.message.parts]) if status.message else None


def from_event(event):
    if isinstance(event, Message):
        return from_message(event)
    if isinstance(event, Task):
        artifacts = [
            {'id': each.artifact_id, **tidy(name=each.name), 'parts': [from_part(part) for part in each.parts]}
            for each in event.artifacts or []
        ]
        return {
            'kind': 'task', 'id': event.id, 'contextId': event.context_id, 'state': event.status.state.value,
            'history': [from_message(message) for message in event.history or []], 'artifacts': artifacts,
            **tidy(text=said(event.status), metadata=event.metadata),
        }
    ids = {'taskId': event.task_id, 'contextId': event.context_id}
    if isinstance(event, TaskArtifactUpdateEvent):
        return {
            'kind': 'artifact', **ids, 'id': event.artifact.artifact_id, **tidy(name=event.artifact.name),
            'parts': [from_part(part) for part in event.artifact.parts], 'append': bool(event.append), 'last': bool(event.last_chunk),
        }
    return {'kind': 'status', **ids, 'state': event.status.state.value, 'final': event.final, **tidy(text=said(event.status))}


def from_client_event(item):
    """What the client yields: a Message, or a pair of the task so far and the update that came, if it was one."""
    if isinstance(item, Message):
        return from_event(item)
    task, update = item
    return from_event(update or task)


def from_card(card):
    return {
        'name': card.name, 'description': card.description, 'skills': [skill.id for skill in card.skills], 'url': card.url,
        'protocolVersion': card.protocol_version, 'streaming': bool(card.capabilities.streaming),
        'extended': bool(card.supports_authenticated_extended_card),
    }


class Driver:
    STREAMS = ('stream', 'resubscribe')

    async def connect(self, url, authorization=None, transport='JSONRPC'):
        headers = {'Authorization': authorization} if authorization else {}
        http = httpx.AsyncClient(headers=headers, timeout=30)
        card = await A2ACardResolver(http, url).get_agent_card()
        self.waiting, self.streaming = (
            ClientFactory(ClientConfig(httpx_client=http, streaming=streaming, supported_transports=[transport])).create(card)
            for streaming in (False, True)
        )
        return from_card(card)

    def request(self, message, config):
        parts = message.get('parts') or [{'text': message['text']}]
        sent = Message(
            role=Role.user, message_id=str(uuid.uuid4()), parts=[to_part(part) for part in parts],
            task_id=message.get('taskId'), context_id=message.get('contextId'), metadata=message.get('metadata'),
        )
        wanted = tidy(blocking=config.get('blocking'), history_length=config.get('historyLength'))
        return {
            'request': sent, 'configuration': MessageSendConfiguration(**wanted) if wanted else None,
            'extensions': config.get('extensions'),
        }

    async def send(self, message, config):
        async for item in self.waiting.send_message(**self.request(message, config)):
            return from_client_event(item)

    async def stream(self, message, config):
        async for item in self.streaming.send_message(**self.request(message, config)):
            yield from_client_event(item)

    async def get(self, id, historyLength=None):
        return from_event(await self.waiting.get_task(TaskQueryParams(id=id, history_length=historyLength)))

    async def list(self, **filter):
        return await self.waiting.list_tasks(filter)  # there is none: the AttributeError is the peer's answer

    async def cancel(self, id):
        return from_event(await self.waiting.cancel_task(TaskIdParams(id=id)))

    async def resubscribe(self, id):
        async for item in self.streaming.resubscribe(TaskIdParams(id=id)):
            yield from_client_event(item)

    async def extendedCard(self):
        return from_card(await self.waiting.get_card())


if __name__ == '__main__':
    asyncio.run(main(Driver(), to_error))
