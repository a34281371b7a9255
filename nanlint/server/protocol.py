"""How messages are read: what is none, or comes at the wrong time, is answered with an error, and the next one is read.

Documents are kept by ``documents``, whose lines end where the protocol says they end: pygls keeps documents, too, but
splits lines as ``str.splitlines`` does, at form feeds and other signs that are none.
"""

from __future__ import annotations

import logging
from typing import Any

import attrs
from cattrs import transform_error
from lsprotocol import types
from pygls.exceptions import FeatureNotificationError, JsonRpcException
from pygls.protocol import LanguageServerProtocol

logger = logging.getLogger(__name__)

_PARSE_ERROR, _INVALID_REQUEST = types.ErrorCodes.ParseError, types.ErrorCodes.InvalidRequest
#: characters of what is told of a message
_LONG = 500


class Refused(Exception):
    """A message that is not followed. ``number``: of the request, if it is one that has a number."""

    def __init__(self, code: types.ErrorCodes, why: str, number: int | str | None = None) -> None:
        super().__init__(why)
        self.code = code
        self.number = number


#: messages by which pygls keeps documents
_OF_DOCUMENTS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)


class Protocol(LanguageServerProtocol):
    """The protocol without documents of its own: who listens to these messages keeps them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for method in _OF_DOCUMENTS:
            del self.fm.builtin_features[method]

    def structure_message(self, data: Any) -> Any:
        """Leave objects as they are while JSON is read: of those within a message none is a message."""
        return data

    def handle_message(self, message: Any) -> None:
        """Follow a message, or answer why not."""
        try:
            if self._is_wanted(message) and (followed := self._structured(message)) is not None:
                super().handle_message(followed)
        except Refused as refused:
            self.refuse(refused)

    def refuse(self, refused: Refused) -> None:
        """Answer that a message is not followed."""
        logger.warning("a message could not be processed: %s", refused)
        error = {"code": refused.code.value, "message": str(refused)}
        self._send_data({"jsonrpc": self.VERSION, "id": refused.number, "error": error})

    def unread(self, error: Exception) -> None:
        """Answer that a message could not be read."""
        self.refuse(Refused(_PARSE_ERROR, f"this is not a valid message: {error}"[:_LONG]))

    def _is_wanted(self, message: Any) -> bool:
        """Whether a message is to be followed now; what needs no answer is passed over. Raises Refused."""
        if not isinstance(message, dict):
            raise Refused(_INVALID_REQUEST, "expected one message: an object")
        number, method = message.get("id"), message.get("method")
        if "id" in message and (isinstance(number, bool) or not isinstance(number, int | str)):
            if method is None:
                return False  # an answer to nothing: that a message of ours could not be read
            raise Refused(_INVALID_REQUEST, "id: expected a number or a string")
        if message.get("jsonrpc") != self.VERSION:
            raise Refused(_INVALID_REQUEST, f'jsonrpc: expected "{self.VERSION}"', number)
        if "method" not in message:
            if number is None:
                raise Refused(_INVALID_REQUEST, "expected a method, or the id of the answered request")
            return ("result" in message) != ("error" in message)
        if not isinstance(method, str):
            raise Refused(_INVALID_REQUEST, "method: expected a string", number)
        if number is not None:
            self._reject_request(number, method)
            return True
        ready = self._workspace is not None and not self._shutdown
        return method == types.EXIT or (ready and not self._is_request(method) and self._is_known(method))

    def _reject_request(self, number: int | str, method: str) -> None:
        """Raise Refused for a request that comes at the wrong time, or is none."""
        if self._shutdown:
            raise Refused(_INVALID_REQUEST, "the server has been shut down", number)
        if self._workspace is None and method != types.INITIALIZE:
            raise Refused(types.ErrorCodes.ServerNotInitialized, "initialize must be sent first", number)
        if self._workspace is not None and method == types.INITIALIZE:
            raise Refused(_INVALID_REQUEST, "the server has been initialized already", number)
        if not self._is_known(method):
            raise Refused(types.ErrorCodes.MethodNotFound, f"there is no such method: {method[:_LONG]}", number)
        if not self._is_request(method):
            raise Refused(_INVALID_REQUEST, f"{method} is a notification, and has no id", number)

    def _is_known(self, method: str) -> bool:
        return method in self.fm.builtin_features or method in self.fm.features or method == types.CANCEL_REQUEST

    def _is_request(self, method: str) -> bool:
        message = self.get_message_type(method)
        return message is not None and "id" in attrs.fields_dict(message)

    def _structured(self, message: dict[str, Any]) -> Any:
        """A message as an object of its type; None for a notification that is none, which is shown to the user.

        Raises Refused for a request that is none.
        """
        try:
            return super().structure_message(message)
        except JsonRpcException as error:
            cause = error.__cause__
            why = ("; ".join(transform_error(cause)) if isinstance(cause, Exception) else str(error))[:_LONG]
            if "id" in message:
                raise Refused(types.ErrorCodes.InvalidParams, why, message["id"]) from None
            self._server.report_server_error(ValueError(f"{message['method']}: {why}"), FeatureNotificationError)
            return None
