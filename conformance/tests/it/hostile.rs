//! A visit ends for any answers of a server: its requests, bytes, time and memory have bounds.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ade_conformance::{Options, Outcome, Quiet, Report};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// How a server tries to hold a visitor for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trick {
    /// Every page has a next one, every token another one, and there are more data sets than a visit reads.
    NeverLast,
    /// Bodies that never end.
    EndlessBody,
    /// A byte now and then.
    Drip,
    /// Nothing at all is said.
    Silence,
    /// Everything is put off.
    AlwaysBusy,
    /// Every page leads to itself by a redirect.
    Redirects,
    /// Pages of a megabyte, and always one more.
    Heavy,
    /// Lists within lists within lists.
    Deep,
}

struct Hostile {
    url: String,
    requests: Arc<AtomicU64>,
    sent: Arc<AtomicU64>,
}

async fn serve(trick: Trick) -> Hostile {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (requests, sent) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
    let counts = (Arc::clone(&requests), Arc::clone(&sent));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream, trick, counts.0.clone(), counts.1.clone()));
        }
    });
    Hostile { url, requests, sent }
}

async fn talk(mut stream: TcpStream, trick: Trick, requests: Arc<AtomicU64>, sent: Arc<AtomicU64>) {
    while let Some(path) = request(&mut stream).await {
        let number = requests.fetch_add(1, Ordering::Relaxed);
        if answer(&mut stream, trick, &path, number, &sent).await.is_err() {
            return;
        }
    }
}

/// The path of the next request; its body is read and forgotten.
async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let length = head.split("content-length: ").nth(1);
    let length = length.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    head.split(' ').nth(1).map(str::to_owned)
}

async fn answer(
    stream: &mut TcpStream,
    trick: Trick,
    path: &str,
    number: u64,
    sent: &AtomicU64,
) -> std::io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    let whole = |body: String| format!("{head}content-length: {}\r\n\r\n{body}", body.len());
    let plain = path.split('?').next().unwrap_or(path);
    let text = match trick {
        Trick::Silence => {
            tokio::time::sleep(Duration::from_secs(3_600)).await;
            return Ok(());
        }
        Trick::EndlessBody | Trick::Drip => {
            stream.write_all(format!("{head}\r\n").as_bytes()).await?;
            let piece = if trick == Trick::Drip { 1 } else { 1 << 16 };
            loop {
                stream.write_all(&vec![b' '; piece]).await?;
                sent.fetch_add(piece as u64, Ordering::Relaxed);
                if trick == Trick::Drip {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
        Trick::AlwaysBusy => "HTTP/1.1 429 Busy\r\nretry-after: 0\r\ncontent-length: 0\r\n\r\n".to_owned(),
        Trick::Redirects => {
            format!("HTTP/1.1 302 Found\r\nlocation: {plain}?{number}\r\ncontent-length: 0\r\n\r\n")
        }
        Trick::Deep => whole(format!("{{\"member\": {}", "[".repeat(200_000))),
        Trick::NeverLast | Trick::Heavy => whole(more(plain, number, trick == Trick::Heavy)),
    };
    sent.fetch_add(text.len() as u64, Ordering::Relaxed);
    stream.write_all(text.as_bytes()).await
}

/// A page of any requested collection, with a link to the next one.
fn more(path: &str, number: u64, heavy: bool) -> String {
    let place = format!(r#"{{"scheme": "org.example", "id": "{number}"}}"#);
    let remark = "x".repeat(if heavy { 1 << 20 } else { 1 });
    if path.ends_with("/datasets") {
        let all: Vec<String> = (0..20_000)
            .map(|n| format!(r#"{{"name": "set{n}", "url": "/datasets/{n}", "changes": "/datasets/{n}/changes"}}"#))
            .collect();
        return format!("[{}]", all.join(","));
    }
    let document = format!(
        r#"{{"resourceType": "icarWeightEventResource", "id": "{number}", "identifier": {place},
            "animal": {place}, "location": {place}, "remark": "{remark}", "eventDateTime":
            "2026-01-01T00:00:00Z", "weight": {{"measurement": 1, "units": "KGM"}}, "meta":
            {{"source": "org.example", "sourceId": "{number}", "modified":
            "2026-01-01T00:00:{:02}Z"}}}}"#,
        number % 60
    );
    if path.ends_with("/changes") {
        return format!(r#"[{{"id": "@context"}}, {document}, {{"id": "@continuation", "token": "t{number}"}}]"#);
    }
    format!(r#"{{"view": {{"next": "{path}?page={number}"}}, "member": [{document}]}}"#)
}

const REQUESTS: u64 = 1_500;
const BYTES: u64 = 48 << 20;

async fn visit(trick: Trick) -> (Report, Hostile, Duration) {
    let server = serve(trick).await;
    let mut options = Options::new(format!("{}/ade/v1", server.url));
    options.rate = None;
    options.allow_writes = true;
    options.timeout = Duration::from_millis(400);
    options.patience = Duration::from_millis(200);
    options.bounds.requests = REQUESTS;
    options.bounds.bytes = BYTES;
    options.bounds.held = 8 << 20;
    options.bounds.seconds = 60;
    let start = Instant::now();
    let report = ade_conformance::run(options, &Quiet).await;
    (report, server, start.elapsed())
}

/// The most memory that this process ever had.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_visit_ends_whatever_the_server_does() {
    let tricks = [
        Trick::NeverLast,
        Trick::EndlessBody,
        Trick::Drip,
        Trick::Silence,
        Trick::AlwaysBusy,
        Trick::Redirects,
        Trick::Heavy,
        Trick::Deep,
    ];
    for trick in tricks {
        let (report, server, time) = visit(trick).await;
        let requests = server.requests.load(Ordering::Relaxed);
        let sent = server.sent.load(Ordering::Relaxed);
        println!(
            "{trick:?}: {time:.1?}, {requests} requests, {sent} bytes, peak {:?} kB, {:?} {:?}",
            peak(),
            report.cannot,
            report.left_out
        );
        // Redirects are followed a few times for each request.
        let most = (REQUESTS + 1_000) * if trick == Trick::Redirects { 5 } else { 1 };
        assert!(requests <= most, "{trick:?}: {requests} requests");
        // Bytes in the buffers of the connection were sent, and not read.
        assert!(sent <= BYTES + (160 << 20), "{trick:?}: {sent} bytes");
        assert!(time < Duration::from_secs(60), "{trick:?}: {time:?}");
        assert!(peak().is_none_or(|peak| peak < 800 << 10), "{trick:?}: {:?}", peak());
        // It is not taken for a server that follows the standard.
        let bad = report.count(Outcome::Fail) + report.count(Outcome::Error);
        assert!(report.cannot.is_some() || bad > 0, "{trick:?}");
        if trick == Trick::NeverLast {
            let gaps = report.left_out.join("; ");
            assert!(gaps.contains("data sets: not all were read"), "{gaps}");
            assert!(gaps.contains("not to its end"), "{gaps}");
        }
    }
}
