#!/bin/sh
# Builds the engines of signatures in src/node/signatures/ from this crate: libraries behind Node-API for Linux on x86-64 and arm64, and
# WebAssembly for all others; bit for bit the same on any machine with the same tools, those of Debian 13 on an x86-64 processor:
#
#   dpkg --add-architecture arm64 && apt-get update
#   apt-get install cargo rustc gcc libc6-dev libstd-rust-dev:arm64 gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
#     libstd-rust-dev-wasm32 clang llvm lld binaryen
#
# Crates come from crates.io as Cargo.lock says.
#
#   build.sh          builds, and puts the files, their hashes and the tools' versions where they belong
#   build.sh --check  builds in two folders, and compares both with the files that are there
set -eu

crate=$(cd "$(dirname "$0")" && pwd)
place=$crate/../../src/node/signatures
record=$crate/library.txt
files="recovery.linux-x64.node recovery.linux-arm64.node recovery.wasm"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools() {
	rustc --version
	cargo --version
	gcc --version | head -n 1
	aarch64-linux-gnu-gcc --version | head -n 1
	ld --version | head -n 1
	clang --version | head -n 1
	wasm-ld --version
	wasm-opt --version
}

# target FOLDER TRIPLE: compiles the crate for a target.
target() {
	(cd "$1" && cargo build --quiet --release --locked --target "$2")
}

# build FOLDER: copies the crate there and builds it for every target; the files are in FOLDER.
build() {
	mkdir -p "$1"
	cp -R "$crate/Cargo.toml" "$crate/Cargo.lock" "$crate/build.rs" "$crate/src" "$1"
	home=${CARGO_HOME:-$HOME/.cargo}
	export CARGO_TARGET_DIR="$1/target"
	export CFLAGS="-ffile-prefix-map=$1=/crate -ffile-prefix-map=$home=/cargo"
	export RUSTFLAGS="--remap-path-prefix=$1=/crate --remap-path-prefix=$home=/cargo"
	export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
	export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld
	export CC_wasm32_unknown_unknown=clang
	export AR_wasm32_unknown_unknown=llvm-ar
	export CFLAGS_wasm32_unknown_unknown="$CFLAGS -O3 -msimd128 -mbulk-memory -Dmemmove=__builtin_memmove"
	target "$1" x86_64-unknown-linux-gnu
	target "$1" aarch64-unknown-linux-gnu
	target "$1" wasm32-unknown-unknown
	cp "$CARGO_TARGET_DIR/x86_64-unknown-linux-gnu/release/libsignature_recovery.so" "$1/recovery.linux-x64.node"
	cp "$CARGO_TARGET_DIR/aarch64-unknown-linux-gnu/release/libsignature_recovery.so" "$1/recovery.linux-arm64.node"
	wasm-opt -O3 --strip-debug --strip-producers --enable-simd --enable-bulk-memory --enable-sign-ext \
		--enable-nontrapping-float-to-int --enable-mutable-globals --enable-multivalue --enable-reference-types \
		"$CARGO_TARGET_DIR/wasm32-unknown-unknown/release/signature_recovery.wasm" -o "$1/recovery.wasm"
}

case "${1:-}" in
"")
	build "$work/one"
	for file in $files; do
		cp "$work/one/$file" "$place/$file"
		chmod 644 "$place/$file"
		echo "sha256 $(sha256sum "$place/$file" | cut -d ' ' -f 1) $file $(wc -c <"$place/$file")"
	done >"$record"
	tools | sed 's/^/tool /' >>"$record"
	cat "$record"
	;;
--check)
	build "$work/one"
	build "$work/another-folder"
	for file in $files; do
		cmp "$work/one/$file" "$work/another-folder/$file"
		cmp "$work/one/$file" "$place/$file"
	done
	echo "both builds are the files that are there"
	;;
*)
	echo "usage: build.sh [--check]" >&2
	exit 2
	;;
esac
