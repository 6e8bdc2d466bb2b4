//! Servers as processes of their own, and what they hold in memory.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Which server this program is to be.
pub(crate) const ROLE: &str = "HERDBOOK_BENCH_ROLE";

/// This program again, as a server; it ends with the value.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(role: &str) -> Self {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        let mut child = (command.env(ROLE, role).stdout(Stdio::piped()))
            .spawn()
            .unwrap();
        let mut url = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut url).unwrap();
        let url = url.trim().to_owned();
        assert!(!url.is_empty(), "the server {role} did not start");
        Self { child, url }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Memory of a process in MiB: now, and at its highest since [`forget_peak`]. None where the system
/// does not state it.
pub(crate) fn memory(id: u32) -> Option<(f64, f64)> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kib / 1024.0)
    };
    Some((of("VmRSS")?, of("VmHWM")?))
}

/// Begins the highest value anew.
pub(crate) fn forget_peak(id: u32) {
    // Where it may not be done, the peak is that of the whole life.
    let _ = std::fs::write(format!("/proc/{id}/clear_refs"), "5");
}
