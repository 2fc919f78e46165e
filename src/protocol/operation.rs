//! Operations and their method names in both versions (RULES §9).

use super::Version;
use std::fmt;

/// One row of the operation table.
struct Row {
    name: &'static str,
    json_rpc_v0_3: Option<&'static str>,
    json_rpc_v1_0: &'static str,
    grpc_v0_3: Option<&'static str>,
    grpc_v1_0: &'static str,
    streaming: bool,
}

/// The rows make the enum and the way from a value to its row.
macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident: $rpc3:expr, $rpc1:literal, $grpc3:expr, $grpc1:literal, $streaming:literal;)*) => {
        /// What a client asks for, independent of version and binding.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Operation { $($(#[$doc])* $name,)* }

        impl Operation {
            /// Every operation.
            pub const ALL: &[Operation] = &[$(Operation::$name,)*];

            const fn row(self) -> Row {
                match self { $(Operation::$name => Row {
                    name: stringify!($name),
                    json_rpc_v0_3: $rpc3,
                    json_rpc_v1_0: $rpc1,
                    grpc_v0_3: $grpc3,
                    grpc_v1_0: $grpc1,
                    streaming: $streaming,
                },)* }
            }
        }
    };
}

#[rustfmt::skip]
operations! {
    // operation: JSON-RPC v0.3, JSON-RPC v1.0, gRPC v0.3, gRPC v1.0, answered by a stream;

    /// Send a message, answered by a task or a message.
    SendMessage: Some("message/send"), "SendMessage", Some("SendMessage"), "SendMessage", false;
    /// Send a message, answered by a stream of events.
    SendStreamingMessage: Some("message/stream"), "SendStreamingMessage", Some("SendStreamingMessage"), "SendStreamingMessage", true;
    /// Read a task.
    GetTask: Some("tasks/get"), "GetTask", Some("GetTask"), "GetTask", false;
    /// List tasks. v0.3 has no such method.
    ListTasks: None, "ListTasks", None, "ListTasks", false;
    /// Cancel a task.
    CancelTask: Some("tasks/cancel"), "CancelTask", Some("CancelTask"), "CancelTask", false;
    /// Follow a running task's events.
    SubscribeToTask: Some("tasks/resubscribe"), "SubscribeToTask", Some("TaskSubscription"), "SubscribeToTask", true;
    /// Register a webhook for a task.
    CreateTaskPushNotificationConfig: Some("tasks/pushNotificationConfig/set"), "CreateTaskPushNotificationConfig",
        Some("CreateTaskPushNotificationConfig"), "CreateTaskPushNotificationConfig", false;
    /// Read one webhook of a task.
    GetTaskPushNotificationConfig: Some("tasks/pushNotificationConfig/get"), "GetTaskPushNotificationConfig",
        Some("GetTaskPushNotificationConfig"), "GetTaskPushNotificationConfig", false;
    /// List a task's webhooks.
    ListTaskPushNotificationConfigs: Some("tasks/pushNotificationConfig/list"), "ListTaskPushNotificationConfigs",
        Some("ListTaskPushNotificationConfig"), "ListTaskPushNotificationConfigs", false;
    /// Remove a webhook of a task.
    DeleteTaskPushNotificationConfig: Some("tasks/pushNotificationConfig/delete"), "DeleteTaskPushNotificationConfig",
        Some("DeleteTaskPushNotificationConfig"), "DeleteTaskPushNotificationConfig", false;
    /// Read the card that the agent shows to authenticated clients.
    GetExtendedAgentCard: Some("agent/getAuthenticatedExtendedCard"), "GetExtendedAgentCard", Some("GetAgentCard"), "GetExtendedAgentCard", false;
}

impl Operation {
    /// The operation's own name, the same in logs and messages of either version.
    pub const fn as_str(self) -> &'static str {
        self.row().name
    }

    /// Whether the answer is a stream of events.
    pub const fn is_streaming(self) -> bool {
        self.row().streaming
    }

    /// The JSON-RPC method name; `None` where the version has no such method (`ListTasks` in v0.3).
    pub const fn json_rpc_name(self, version: Version) -> Option<&'static str> {
        match version {
            Version::V0_3 => self.row().json_rpc_v0_3,
            Version::V1_0 => Some(self.row().json_rpc_v1_0),
        }
    }

    /// The operation and version that a JSON-RPC method name belongs to. No name belongs to both versions.
    /// `None` for extension methods and unknown names.
    ///
    /// ```
    /// use a2a_compat::protocol::{Operation, Version};
    /// assert_eq!(Operation::from_json_rpc("message/send"), Some((Operation::SendMessage, Version::V0_3)));
    /// assert_eq!(Operation::from_json_rpc("SendMessage"), Some((Operation::SendMessage, Version::V1_0)));
    /// assert_eq!(Operation::from_json_rpc("tasks/list"), None);
    /// ```
    pub fn from_json_rpc(name: &str) -> Option<(Operation, Version)> {
        Operation::ALL.iter().find_map(|&operation| {
            Version::ALL
                .into_iter()
                .find(|&version| operation.json_rpc_name(version) == Some(name))
                .map(|version| (operation, version))
        })
    }

    /// The name of the RPC in the gRPC service; `None` where the version has no such method.
    pub const fn grpc_name(self, version: Version) -> Option<&'static str> {
        match version {
            Version::V0_3 => self.row().grpc_v0_3,
            Version::V1_0 => Some(self.row().grpc_v1_0),
        }
    }

    /// The operation of an RPC of that version's gRPC service. Most names exist in both versions, so the version
    /// must be known (the services' package names differ).
    pub fn from_grpc(name: &str, version: Version) -> Option<Operation> {
        Operation::ALL.iter().copied().find(|operation| operation.grpc_name(version) == Some(name))
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_json_rpc_name_leads_back_to_its_operation_and_version() {
        let mut seen = BTreeSet::new();
        for &operation in Operation::ALL {
            for version in Version::ALL {
                if let Some(name) = operation.json_rpc_name(version) {
                    assert!(seen.insert(name), "{name} is in the table twice");
                    assert_eq!(Operation::from_json_rpc(name), Some((operation, version)));
                }
            }
        }
        assert_eq!(seen.len(), 21);
    }

    #[test]
    fn a_name_of_neither_version_has_no_operation() {
        for name in
            ["", "message/Send", "sendMessage", "tasks/list", "vendor.thing", "TaskSubscription", "GetAgentCard"]
        {
            assert_eq!(Operation::from_json_rpc(name), None, "{name}");
        }
    }

    #[test]
    fn only_listing_tasks_is_missing_from_v0_3() {
        let missing = |name: fn(Operation, Version) -> Option<&'static str>| {
            Operation::ALL.iter().copied().filter(|&o| name(o, Version::V0_3).is_none()).collect::<Vec<_>>()
        };
        assert_eq!(missing(Operation::json_rpc_name), [Operation::ListTasks]);
        assert_eq!(missing(Operation::grpc_name), [Operation::ListTasks]);
    }

    #[test]
    fn v0_3_grpc_names_are_those_of_its_proto_file() {
        let name = |operation: Operation| operation.grpc_name(Version::V0_3);
        assert_eq!(name(Operation::SubscribeToTask), Some("TaskSubscription"));
        assert_eq!(name(Operation::ListTaskPushNotificationConfigs), Some("ListTaskPushNotificationConfig"));
        assert_eq!(name(Operation::GetExtendedAgentCard), Some("GetAgentCard"));
        for &operation in Operation::ALL {
            for version in Version::ALL {
                if let Some(name) = operation.grpc_name(version) {
                    assert_eq!(Operation::from_grpc(name, version), Some(operation));
                }
            }
        }
        assert_eq!(Operation::from_grpc("TaskSubscription", Version::V1_0), None);
    }

    #[test]
    fn two_operations_stream() {
        let streaming: Vec<_> = Operation::ALL.iter().filter(|operation| operation.is_streaming()).collect();
        assert_eq!(streaming, [&Operation::SendStreamingMessage, &Operation::SubscribeToTask]);
    }
}
