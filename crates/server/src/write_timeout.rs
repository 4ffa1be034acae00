//! A connection that does not wait for ever: whoever reads nothing of what is sent to them is cut off.

use crate::metrics::Metrics;
use std::{
    any::Any,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

/// A stream whose writes fail when the other end has taken nothing for a while.
pub struct Impatient<S> {
    stream: S,
    patience: Duration,
    /// Timer of a pending write.
    waiting: Option<Pin<Box<Sleep>>>,
    metrics: Arc<Metrics>,
    /// Dropped with the stream, also where a WebSocket has taken it over.
    _held: Box<dyn Any + Send>,
}

impl<S> Impatient<S> {
    /// The same stream with less patience. `held` is dropped with it.
    pub fn new(stream: S, patience: Duration, metrics: Arc<Metrics>, held: impl Any + Send) -> Impatient<S> {
        Impatient { stream, patience, waiting: None, metrics, _held: Box::new(held) }
    }

    /// A write that waits: for how long it may.
    fn wait<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.patience;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        if waiting.as_mut().poll(cx).is_ready() {
            waiting.as_mut().reset(Instant::now() + patience);
            self.metrics.dropped.add(1);
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Poll::Pending
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.wait(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.wait(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.wait(cx, shut)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.wait(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt;

    #[tokio::test(start_paused = true)]
    async fn whoever_reads_nothing_is_cut_off() {
        let (ours, _theirs) = tokio::io::duplex(16);
        let mut stream = Impatient::new(ours, Duration::from_secs(20), Arc::default(), ());
        let begun = Instant::now();
        let error = stream.write_all(&[0; 64]).await.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(begun.elapsed() >= Duration::from_secs(20));
    }
}
