//! A translated stream: the agent's chunks through the translator, one timer at a time.

use super::now_ms;
use super::outgoing::Upstream;
use crate::bridge::{End, StreamTranslator};
use crate::gateway::io::{Chunk, RequestLog};
use futures_util::stream::{Stream, unfold};
use worker::console_log;

struct Running {
    upstream: Upstream,
    translator: Box<StreamTranslator>,
    log: RequestLog,
    started_ms: u64,
}

impl Drop for Running {
    /// Also when the client has left: the stream is then dropped, and with it the agent's response.
    fn drop(&mut self) {
        console_log!("{}", self.log.line(now_ms(), self.translator.notices()));
    }
}

/// The client's stream. It asks the agent for more only when the client takes what there is.
pub(super) fn translated(
    upstream: Upstream,
    translator: Box<StreamTranslator>,
    log: RequestLog,
) -> impl Stream<Item = worker::Result<Vec<u8>>> {
    let running = Running { upstream, translator, log, started_ms: now_ms() };
    unfold(running, |mut running| async move {
        let chunk = running.next().await?;
        Some((Ok(chunk), running))
    })
}

impl Running {
    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let ready = self.translator.output();
            if !ready.is_empty() {
                return Some(ready);
            }
            if self.translator.is_ended() {
                return None;
            }
            let life = self.translator.budgets().life_ms;
            let left = life.map(|life| life.saturating_sub(now_ms().saturating_sub(self.started_ms)));
            let wake = self.translator.wake_after();
            let within = match (wake, left) {
                (Some(wake), Some(left)) => Some(wake.min(left)),
                (wake, left) => wake.or(left),
            };
            match self.upstream.read_chunk(within).await {
                Chunk::Bytes(bytes) => self.translator.push(&bytes),
                Chunk::Closed => self.translator.finish(End::Closed),
                Chunk::Broken => self.translator.finish(End::Broken),
                Chunk::Woke if within == left && left <= wake.or(left) => self.translator.finish(End::Life),
                Chunk::Woke => self.translator.woke(),
            }
        }
    }
}
