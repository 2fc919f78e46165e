//! Error codes with everything either version says about them (RULES §8).

use std::fmt;

/// A JSON-RPC error code. Codes outside the table are kept: servers may define their own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ErrorCode(pub i32);

/// One row of the error table.
struct Row {
    code: ErrorCode,
    name: &'static str,
    reason: &'static str,
    http_v0_3: u16,
    http_v1_0: u16,
    grpc_status: &'static str,
}

/// The rows make the constants and the table.
macro_rules! error_codes {
    ($($(#[$doc:meta])* $constant:ident: $code:literal, $name:literal, $http3:literal, $http1:literal, $status:literal;)*) => {
        impl ErrorCode {
            $($(#[$doc])* pub const $constant: ErrorCode = ErrorCode($code);)*
        }

        static ROWS: &[Row] = &[$(Row {
            code: ErrorCode::$constant,
            name: $name,
            // The reasons of §11.6 are the constants' names.
            reason: stringify!($constant),
            http_v0_3: $http3,
            http_v1_0: $http1,
            grpc_status: $status,
        },)*];
    };
}

#[rustfmt::skip]
error_codes! {
    // constant and ErrorInfo reason: code, name, v0.3 REST HTTP status, v1.0 REST HTTP status, google.rpc status;

    /// The body is not JSON.
    PARSE_ERROR: -32700, "JSONParseError", 400, 400, "INVALID_ARGUMENT";
    /// The body is JSON but no request.
    INVALID_REQUEST: -32600, "InvalidRequestError", 400, 400, "INVALID_ARGUMENT";
    /// The method or route does not exist.
    METHOD_NOT_FOUND: -32601, "MethodNotFoundError", 501, 501, "UNIMPLEMENTED";
    /// The parameters are not what the method takes.
    INVALID_PARAMS: -32602, "InvalidParamsError", 400, 400, "INVALID_ARGUMENT";
    /// The server failed.
    INTERNAL_ERROR: -32603, "InternalError", 500, 500, "INTERNAL";
    /// The task does not exist, or not for this client.
    TASK_NOT_FOUND: -32001, "TaskNotFoundError", 404, 404, "NOT_FOUND";
    /// The task is in a state in which it cannot be cancelled.
    TASK_NOT_CANCELABLE: -32002, "TaskNotCancelableError", 409, 400, "FAILED_PRECONDITION";
    /// The agent has no webhooks.
    PUSH_NOTIFICATION_NOT_SUPPORTED: -32003, "PushNotificationNotSupportedError", 400, 400, "FAILED_PRECONDITION";
    /// The agent does not do this.
    UNSUPPORTED_OPERATION: -32004, "UnsupportedOperationError", 400, 400, "FAILED_PRECONDITION";
    /// A media type is not one the agent reads or writes.
    CONTENT_TYPE_NOT_SUPPORTED: -32005, "ContentTypeNotSupportedError", 400, 400, "INVALID_ARGUMENT";
    /// The agent's answer is not A2A.
    INVALID_AGENT_RESPONSE: -32006, "InvalidAgentResponseError", 500, 500, "INTERNAL";
    /// The agent has no extended card; v0.3 calls it `AuthenticatedExtendedCardNotConfiguredError`.
    EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32007, "ExtendedAgentCardNotConfiguredError", 400, 400, "FAILED_PRECONDITION";
    /// The client did not ask for an extension that the agent requires. v1.0 only.
    EXTENSION_SUPPORT_REQUIRED: -32008, "ExtensionSupportRequiredError", 400, 400, "FAILED_PRECONDITION";
    /// The protocol version asked for is not offered. v1.0 only.
    VERSION_NOT_SUPPORTED: -32009, "VersionNotSupportedError", 400, 400, "FAILED_PRECONDITION";
}

impl ErrorCode {
    /// The codes of the table, in its order.
    pub fn all() -> impl Iterator<Item = ErrorCode> {
        ROWS.iter().map(|row| row.code)
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.code == self)
    }

    /// The error's name in the specification, `TaskNotFoundError`; `None` for codes outside the table.
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|row| row.name)
    }

    /// `ErrorInfo.reason` for this code, `TASK_NOT_FOUND`; `None` for codes outside the table.
    pub fn reason(self) -> Option<&'static str> {
        self.row().map(|row| row.reason)
    }

    /// The code for an `ErrorInfo.reason`; the caller has checked the domain. `None` for reasons of others.
    ///
    /// ```
    /// use a2a_compat::protocol::ErrorCode;
    /// assert_eq!(ErrorCode::from_reason("TASK_NOT_FOUND"), Some(ErrorCode::TASK_NOT_FOUND));
    /// ```
    pub fn from_reason(reason: &str) -> Option<ErrorCode> {
        ROWS.iter().find(|row| row.reason == reason).map(|row| row.code)
    }

    /// Whether A2A itself defines the code (−32001 to −32009): those carry an `ErrorInfo` on every v1.0 binding.
    pub const fn is_a2a(self) -> bool {
        -32009 <= self.0 && self.0 <= -32001
    }

    /// HTTP status on the v0.3 HTTP+JSON binding (RULES E.4); `None` for codes outside the table: keep the status of
    /// the other side, or 500.
    pub fn http_v0_3(self) -> Option<u16> {
        self.row().map(|row| row.http_v0_3)
    }

    /// HTTP status on the v1.0 HTTP+JSON binding (RULES E.5); `None` for codes outside the table.
    pub fn http_v1_0(self) -> Option<u16> {
        self.row().map(|row| row.http_v1_0)
    }

    /// Name of the `google.rpc.Code` on the v1.0 HTTP+JSON binding (RULES E.5); `None` for codes outside the table.
    pub fn grpc_status(self) -> Option<&'static str> {
        self.row().map(|row| row.grpc_status)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// HTTP statuses that say something about the transport and not about A2A, with their `google.rpc.Code` names. They
/// keep their number in both directions and on both bindings (RULES E.4, E.6).
pub const TRANSPORT_STATUSES: [(u16, &str); 5] = [
    (401, "UNAUTHENTICATED"),
    (403, "PERMISSION_DENIED"),
    (429, "RESOURCE_EXHAUSTED"),
    (503, "UNAVAILABLE"),
    (504, "DEADLINE_EXCEEDED"),
];

/// Whether the HTTP status is a transport condition that keeps its number.
pub fn is_transport_status(status: u16) -> bool {
    transport_status_name(status).is_some()
}

/// The `google.rpc.Code` name of a transport status; `None` for every other status.
pub fn transport_status_name(status: u16) -> Option<&'static str> {
    TRANSPORT_STATUSES.iter().find(|(number, _)| *number == status).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_reasons_lead_to_each_other_and_stand_once() {
        let mut codes: Vec<_> = ErrorCode::all().collect();
        assert_eq!(codes.len(), 14);
        for &code in &codes {
            let reason = code.reason().unwrap();
            assert_eq!(ErrorCode::from_reason(reason), Some(code), "{reason}");
        }
        codes.sort();
        codes.dedup();
        assert_eq!(codes.len(), 14);
    }

    #[test]
    fn an_unknown_code_has_no_row_and_an_unknown_reason_no_code() {
        let code = ErrorCode(-32050);
        assert_eq!((code.name(), code.reason(), code.grpc_status()), (None, None, None));
        assert_eq!((code.http_v0_3(), code.http_v1_0()), (None, None));
        assert_eq!(ErrorCode::from_reason("UNKNOWN_ERROR"), None);
    }

    #[test]
    fn a2a_codes_are_those_from_32001_to_32009() {
        let a2a: Vec<_> = ErrorCode::all().filter(|code| code.is_a2a()).collect();
        assert_eq!(a2a, (1..=9).map(|n| ErrorCode(-32000 - n)).collect::<Vec<_>>());
        assert!(!ErrorCode(-32000).is_a2a() && !ErrorCode(-32010).is_a2a() && !ErrorCode::INTERNAL_ERROR.is_a2a());
    }

    #[test]
    fn http_statuses_follow_the_rule_table() {
        let status =
            |code: ErrorCode| (code.http_v0_3().unwrap(), code.http_v1_0().unwrap(), code.grpc_status().unwrap());
        assert_eq!(status(ErrorCode::TASK_NOT_FOUND), (404, 404, "NOT_FOUND"));
        assert_eq!(status(ErrorCode::TASK_NOT_CANCELABLE), (409, 400, "FAILED_PRECONDITION"));
        assert_eq!(status(ErrorCode::METHOD_NOT_FOUND), (501, 501, "UNIMPLEMENTED"));
        for n in [-32003, -32004, -32007, -32008, -32009] {
            assert_eq!(status(ErrorCode(n)), (400, 400, "FAILED_PRECONDITION"), "{n}");
        }
        for n in [-32005, -32600, -32602, -32700] {
            assert_eq!(status(ErrorCode(n)), (400, 400, "INVALID_ARGUMENT"), "{n}");
        }
        for n in [-32006, -32603] {
            assert_eq!(status(ErrorCode(n)), (500, 500, "INTERNAL"), "{n}");
        }
    }

    #[test]
    fn transport_statuses_are_the_five_that_keep_their_number() {
        assert_eq!(transport_status_name(429), Some("RESOURCE_EXHAUSTED"));
        for status in [200, 400, 404, 409, 413, 415, 500, 501, 502, 508] {
            assert!(!is_transport_status(status), "{status}");
        }
        assert!([401, 403, 429, 503, 504].into_iter().all(is_transport_status));
    }
}
