//! Makes a client of the description that `HERDBOOK_OPENAPI` names.

use openapi_to_rust::{CodeGenerator, GeneratorConfig, SchemaAnalyzer};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-env-changed=HERDBOOK_OPENAPI");
    let source = PathBuf::from(std::env::var("HERDBOOK_OPENAPI")?);
    println!("cargo::rerun-if-changed={}", source.display());
    let spec: serde_json::Value = serde_json::from_slice(&std::fs::read(&source)?)?;
    let mut analysis = SchemaAnalyzer::new(spec)?.analyze()?;
    let config = GeneratorConfig {
        // Its first file has inner attributes, so that it must be a module of its own and no include.
        output_dir: PathBuf::from("src/generated"),
        enable_async_client: true,
        tracing_enabled: false,
        ..GeneratorConfig::default()
    };
    let generator = CodeGenerator::new(config);
    let files = generator.generate_all(&mut analysis)?;
    generator.write_files(&files)?;
    Ok(())
}
