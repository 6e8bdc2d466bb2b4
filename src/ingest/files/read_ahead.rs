//! Rows of a file that are read ahead of what is written of it.

use crate::files::file_fault::FileFault;
use crate::files::input_file::InputFile;
use crate::files::sheet::FileRow;
use crate::packages::pending::UnknownColumn;
use model::error::{Error, Result};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Rows that are written together.
pub(crate) const PIECE: usize = 750;
/// Pieces that are read ahead.
const AHEAD: usize = 2;

/// What the reader of a file sends: some rows, then the end with unknown columns or a fault.
pub(crate) enum ReadEvent {
    Rows(Vec<FileRow>),
    End(Vec<UnknownColumn>),
    Broken(FileFault),
}

/// The rest of a file: what was taken from its reader before, and the reader.
pub(crate) struct ReadAhead {
    pub(crate) first: VecDeque<ReadEvent>,
    pub(crate) reading: mpsc::Receiver<ReadEvent>,
}

impl ReadAhead {
    pub(crate) fn of(first: Vec<ReadEvent>, reading: mpsc::Receiver<ReadEvent>) -> Self {
        Self { first: first.into(), reading }
    }

    pub(crate) async fn next(&mut self) -> Result<ReadEvent> {
        let next = match self.first.pop_front() {
            Some(read) => Some(read),
            None => self.reading.recv().await,
        };
        next.ok_or_else(|| Error::internal("the reader of a file stopped"))
    }
}

/// Rows of a file, or why it breaks off.
pub(crate) async fn count_rows(file: Arc<InputFile>) -> Result<std::result::Result<usize, FileFault>> {
    let counting = tokio::task::spawn_blocking(move || {
        let (mut rows, mut count) = (file.rows(), 0);
        while rows.next()?.is_some() {
            count += 1;
        }
        Ok(count)
    });
    counting.await.map_err(Error::internal)
}

/// Reads a file on a thread of its own, behind the rows that are done.
pub(crate) fn start_reading(file: Arc<InputFile>, done: i64) -> mpsc::Receiver<ReadEvent> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    tokio::task::spawn_blocking(move || {
        let mut rows = file.rows();
        let mut piece = Vec::new();
        loop {
            match rows.next() {
                Ok(Some(row)) if row.position <= done => {}
                Ok(Some(row)) => {
                    piece.push(row);
                    if piece.len() == PIECE
                        && sender.blocking_send(ReadEvent::Rows(std::mem::take(&mut piece))).is_err()
                    {
                        return;
                    }
                }
                Ok(None) => break,
                Err(why) => {
                    // The receiver may be gone.
                    let _ = sender.blocking_send(ReadEvent::Broken(why));
                    return;
                }
            }
        }
        if !piece.is_empty() && sender.blocking_send(ReadEvent::Rows(piece)).is_err() {
            return;
        }
        let _ = sender.blocking_send(ReadEvent::End(rows.unknown()));
    });
    receiver
}
