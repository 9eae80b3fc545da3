//! Compiles src/check.c with the headers of libsecp256k1, which lie among the sources of the crate secp256k1-sys; the tables that it
//! needs are in the library which that crate compiles, with the same widths as here.

use std::env;
use std::path::PathBuf;
use std::process::Command;

/// The folder of secp256k1-sys, as Cargo.lock chooses it.
fn library_crate() -> PathBuf {
    let cargo = env::var_os("CARGO").expect("cargo tells its own path");
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--locked", "--offline"])
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let manifest = text
        .split('"')
        .find(|part| part.contains("/secp256k1-sys-") && part.ends_with("/Cargo.toml"))
        .expect("secp256k1-sys is among the crates");
    PathBuf::from(manifest).with_file_name("")
}

fn main() {
    let place = library_crate();
    let library = place.join("depend/secp256k1");
    let mut build = cc::Build::new();
    build
        .include(&library)
        .include(library.join("include"))
        .include(library.join("src"))
        .flag_if_supported("-Wno-unused-function")
        .define("ECMULT_GEN_PREC_BITS", "4")
        .define("ECMULT_WINDOW_SIZE", "15")
        .define("USE_EXTERNAL_DEFAULT_CALLBACKS", "1")
        .file("src/check.c");
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|name| name == "wasm32") {
        build.include(place.join("wasm/wasm-sysroot"));
    }
    build.compile("check");
    println!("cargo:rerun-if-changed=src/check.c");
}
