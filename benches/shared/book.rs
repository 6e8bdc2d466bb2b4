//! The book of a folder: filled beside the program, served without limits.

use crate::program::{self, PROGRAM, SECRET, Server, command};
use cli::{OpenBook, open};
use config::{Secret, Settings, Sources};
use ops::FillRow;
use serde_json::Value;
use std::path::Path;

/// A server that lets one client send as many requests as it can.
pub(crate) fn serve(dir: &Path) -> Server {
    serve_under(dir, &[])
}

/// The same with more variables of the environment.
pub(crate) fn serve_under(dir: &Path, variables: &[(&str, &str)]) -> Server {
    let mut command = command(PROGRAM, &["serve", "--listen", "127.0.0.1:0"], dir);
    command.envs(variables.iter().copied());
    for class in ["READ", "WRITE", "BULK", "SIGN_IN"] {
        command.env(format!("HERDBOOK_LIMITS_{class}"), "0");
    }
    Server::start(command, dir)
}

/// The book without a server.
pub(crate) async fn opened(dir: &Path) -> OpenBook {
    let mut settings = Settings::load(&Sources::default()).unwrap();
    settings.secret = Secret::new(SECRET);
    settings.database_url = Secret::new(program::database(dir));
    let ring = settings.ring().unwrap();
    open(&settings, ring).await.unwrap()
}

pub(crate) fn row(collection: &'static str, id: i64, data: Value) -> FillRow {
    FillRow { collection, id, data: data.as_object().unwrap().clone(), hidden: Vec::new() }
}

/// Renders the documents of rows that were filled in.
pub(crate) async fn render(opened: &OpenBook) {
    let projector = opened.exchange.projector();
    while projector.work_off(&opened.book).await.unwrap() {}
}
