//! The cache that the Worker's instances in one place share.

use super::to_headers;
use crate::gateway::io::{CacheEntry, ResponseHead};
use worker::{Cache, Response, Result};

/// What is under a key.
pub(super) async fn get(key: &str) -> Result<Option<(ResponseHead, Vec<u8>)>> {
    let Some(mut response) = Cache::default().get(key, true).await? else { return Ok(None) };
    let head = ResponseHead { status: response.status_code(), headers: response.headers().entries().collect() };
    Ok(Some((head, response.bytes().await?)))
}

/// Puts something under a key.
pub(super) async fn put(entry: CacheEntry) -> Result<()> {
    let headers = to_headers(&entry.headers)?;
    headers.set("cache-control", &format!("max-age={}", entry.ttl_ms / 1000))?;
    Cache::default().put(entry.key, Response::from_bytes(entry.body)?.with_headers(headers)).await
}
