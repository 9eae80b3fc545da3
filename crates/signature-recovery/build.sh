#!/bin/sh
# Builds src/node/signatures/recovery.linux-x64.node from this crate, bit for bit the same on any machine with the same
# tools: those of Debian 13 on an x86-64 processor (apt-get install cargo rustc gcc libc6-dev). Crates come from crates.io
# as Cargo.lock says.
#
#   build.sh          builds, and puts the library, its hash and the tools' versions where they belong
#   build.sh --check  builds in two folders, and compares both libraries with the one that is there
set -eu

crate=$(cd "$(dirname "$0")" && pwd)
library=$crate/../../src/node/signatures/recovery.linux-x64.node
record=$crate/library.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tools() {
	rustc --version
	cargo --version
	gcc --version | head -n 1
	ld --version | head -n 1
}

# build FOLDER: copies the crate there and builds it; the library is FOLDER/library.node.
build() {
	mkdir -p "$1"
	cp -R "$crate/Cargo.toml" "$crate/Cargo.lock" "$crate/src" "$1"
	(
		cd "$1"
		home=${CARGO_HOME:-$HOME/.cargo}
		export CARGO_TARGET_DIR="$1/target"
		export CFLAGS="-ffile-prefix-map=$1=/crate -ffile-prefix-map=$home=/cargo"
		export RUSTFLAGS="--remap-path-prefix=$1=/crate --remap-path-prefix=$home=/cargo"
		cargo build --quiet --release --locked --target x86_64-unknown-linux-gnu
		cp target/x86_64-unknown-linux-gnu/release/libsignature_recovery.so library.node
	)
}

case "${1:-}" in
"")
	build "$work/one"
	cp "$work/one/library.node" "$library"
	chmod 644 "$library"
	{
		echo "sha256 $(sha256sum "$library" | cut -d ' ' -f 1)"
		echo "bytes $(wc -c <"$library")"
		tools | sed 's/^/tool /'
	} >"$record"
	cat "$record"
	;;
--check)
	build "$work/one"
	build "$work/another-folder"
	cmp "$work/one/library.node" "$work/another-folder/library.node"
	cmp "$work/one/library.node" "$library"
	echo "both libraries are the one that is there"
	;;
*)
	echo "usage: build.sh [--check]" >&2
	exit 2
	;;
esac
