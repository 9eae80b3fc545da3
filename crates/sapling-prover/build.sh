#!/bin/sh
# Builds src/proving/sapling-prover.wasm from this crate, bit for bit the same on any machine with the same tools:
# those of Debian 13 (apt-get install cargo rustc libstd-rust-dev-wasm32 lld binaryen gcc libc6-dev). Crates come from
# crates.io as Cargo.lock says.
#
#   build.sh          builds, and puts the module, its hash and the tools' versions where they belong
#   build.sh --check  builds in two folders, and compares both modules with the one that is there
#   build.sh --native builds the native prover into native/ of the repository, for this machine alone
set -eu

crate=$(cd "$(dirname "$0")" && pwd)
module=$crate/../../src/proving/sapling-prover.wasm
record=$crate/module.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools() {
	rustc --version
	cargo --version
	wasm-ld --version
	wasm-opt --version
}

# build FOLDER: copies the crate there and builds it, which takes a few minutes; the module is FOLDER/module.wasm.
build() {
	mkdir -p "$1"
	cp -R "$crate/Cargo.toml" "$crate/Cargo.lock" "$crate/src" "$1"
	(
		cd "$1"
		home=${CARGO_HOME:-$HOME/.cargo}
		export CARGO_TARGET_DIR="$1/target"
		export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
		export RUSTFLAGS="-C target-feature=+simd128,+bulk-memory --remap-path-prefix=$1=/crate --remap-path-prefix=$home=/cargo"
		cargo build --quiet --release --locked --lib --target wasm32-unknown-unknown
		wasm-opt -O3 --strip-debug --strip-producers --enable-simd --enable-bulk-memory --enable-sign-ext \
			--enable-nontrapping-float-to-int --enable-mutable-globals --enable-multivalue --enable-reference-types \
			target/wasm32-unknown-unknown/release/sapling_prover.wasm -o module.wasm
	)
}

case "${1:-}" in
"")
	build "$work/one"
	cp "$work/one/module.wasm" "$module"
	{
		echo "sha256 $(sha256sum "$module" | cut -d ' ' -f 1)"
		echo "bytes $(wc -c <"$module")"
		tools | sed 's/^/tool /'
	} >"$record"
	cat "$record"
	;;
--check)
	build "$work/one"
	build "$work/another-folder"
	cmp "$work/one/module.wasm" "$work/another-folder/module.wasm"
	cmp "$work/one/module.wasm" "$module"
	echo "both modules are the one that is there"
	;;
--native)
	cargo install --locked --force --path "$crate" --root "$crate/../../native"
	;;
*)
	echo "usage: build.sh [--check | --native]" >&2
	exit 2
	;;
esac
