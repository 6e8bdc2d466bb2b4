//! Compiles anew when a migration changes, since the migrations are embedded.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
