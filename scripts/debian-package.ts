/**
 * Makes a package for Debian and its kin of an installed copy of the program: `npm run tool debian -- [folder]`. Needs dpkg-deb, and
 * what `check:package` needs. It has the program under /usr/lib/coin/<version>, its units for systemd, and the users that they name.
 */

import { execFileSync } from "node:child_process";
import {
	chmodSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { installPackage, packProgram, sizeOf } from "./installed-package.js";

interface Manifest {
	readonly version: string;
	readonly description: string;
	readonly engines: { readonly node: string };
}

const root = join(import.meta.dirname, "..");
export const UNITS = [
	"coin-node.socket",
	"coin-node.service",
	"coin-snapshots.service",
	"coin-signer.service",
	"coin-treasury.service",
];
const MANIFEST = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
export const VERSION = MANIFEST.version;
/** Where dpkg puts a release; its processes run from a folder of `releases`, with the same files. */
export const FOLDER = `/usr/lib/coin/${VERSION}`;

/** Debian's names of the processors for which the program has native modules. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

const POSTINST = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
	getent group coin >/dev/null || groupadd --system coin
	getent passwd coin >/dev/null ||
		useradd --system --gid coin --home-dir /var/lib/coin --no-create-home --shell /usr/sbin/nologin coin
	getent passwd coin-signer >/dev/null ||
		useradd --system --user-group --groups coin --home-dir /var/lib/coin-signer --no-create-home --shell /usr/sbin/nologin coin-signer
	getent passwd coin-treasury >/dev/null ||
		useradd --system --user-group --home-dir /var/lib/coin-treasury --no-create-home --shell /usr/sbin/nologin coin-treasury
	[ -d "$DPKG_ROOT/var/lib/coin-signer" ] ||
		install -d -m 700 -o coin-signer -g coin "$DPKG_ROOT/var/lib/coin-signer"
	[ -d "$DPKG_ROOT/var/lib/coin-treasury" ] ||
		install -d -m 700 -o coin-treasury -g coin-treasury "$DPKG_ROOT/var/lib/coin-treasury"
	mkdir -p "$DPKG_ROOT/etc/coin-signer" "$DPKG_ROOT/etc/coin-treasury"
	# dpkg deletes a release's files as soon as the next one is unpacked; processes read from links to them, which it doesn't know.
	releases="$DPKG_ROOT/usr/lib/coin/releases"
	mkdir -p "$releases"
	rm -rf "$releases/${VERSION}"
	cp -al "$DPKG_ROOT${FOLDER}" "$releases/${VERSION}"
	for release in "$releases"/*; do
		case "\${release##*/}" in ${VERSION} | "$2") continue ;; esac
		grep -qsF "$release/" "$DPKG_ROOT"/proc/[0-9]*/maps || rm -rf "$release"
	done
	if [ -d "$DPKG_ROOT/run/systemd/system" ]; then systemctl daemon-reload; fi
fi
`;

// An upgrade leaves the units running: who runs a witness chooses the moment.
const PRERM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d "$DPKG_ROOT/run/systemd/system" ]; then systemctl disable --now ${UNITS.join(" ")} || true; fi
`;

// Users, /etc/coin and the data stay, also after a purge: keys may be among them.
const POSTRM = `#!/bin/sh
set -e
if [ "$1" = remove ]; then rm -rf "$DPKG_ROOT/usr/lib/coin"; fi
if [ "$1" = purge ]; then
	for folder in etc/coin-signer etc/coin-treasury var/lib/coin-signer var/lib/coin-treasury; do
		rmdir "$DPKG_ROOT/$folder" 2>/dev/null || true
	done
fi
if [ -d "$DPKG_ROOT/run/systemd/system" ]; then systemctl daemon-reload; fi
`;

/** What dpkg runs as root when the package comes and goes. */
export const MAINTAINER_SCRIPTS = { postinst: POSTINST, prerm: PRERM, postrm: POSTRM } as const;

function control(architecture: string, installedBytes: number): string {
	const nodeVersion = /\d+(?:\.\d+)*/.exec(MANIFEST.engines.node)?.[0];
	return `${[
		"Package: coin",
		`Version: ${MANIFEST.version}`,
		`Architecture: ${architecture}`,
		"Section: net",
		"Priority: optional",
		"Maintainer: the maintainers of coin <maintainers@localhost>",
		`Installed-Size: ${Math.ceil(installedBytes / 1024)}`,
		`Depends: nodejs (>= ${nodeVersion}), passwd`,
		"Suggests: systemd",
		`Description: ${MANIFEST.description}`,
	].join("\n")}\n`;
}

/** Native modules of other systems and processors are left out. */
function keepOwnPrebuilds(modules: string): void {
	for (const name of readdirSync(modules)) {
		const folder = join(modules, name, "prebuilds");
		if (!existsSync(folder)) continue;
		for (const platform of readdirSync(folder)) {
			if (platform !== `linux-${process.arch}`) rmSync(join(folder, platform), { recursive: true });
		}
	}
}

/** Whether packages can be made here. */
export const canPackage = (): boolean =>
	ARCHITECTURES[process.arch] !== undefined &&
	(process.env["PATH"] ?? "").split(":").some((folder) => existsSync(join(folder, "dpkg-deb")));

/**
 * @param modules the `node_modules` of an installed copy
 * @param target folder for the package
 * @returns its path
 */
export function debianPackage(modules: string, target: string): string {
	const architecture = ARCHITECTURES[process.arch];
	if (architecture === undefined) throw new Error(`there are no native modules for ${process.arch}`);
	const tree = mkdtempSync(join(tmpdir(), "coin-debian-"));
	try {
		chmodSync(tree, 0o755);
		const library = join(tree, FOLDER, "node_modules");
		cpSync(modules, library, { recursive: true, verbatimSymlinks: true });
		keepOwnPrebuilds(library);
		mkdirSync(join(tree, "usr/bin"));
		symlinkSync(`../lib/coin/releases/${VERSION}/node_modules/coin/bin/coin.js`, join(tree, "usr/bin/coin"));
		mkdirSync(join(tree, "usr/lib/systemd/system"), { recursive: true });
		for (const unit of UNITS) {
			const text = readFileSync(join(root, "docs/deployment", unit), "utf8");
			writeFileSync(
				join(tree, "usr/lib/systemd/system", unit),
				text.replace(/^ExecStart=coin /m, "ExecStart=/usr/bin/coin "),
			);
		}
		mkdirSync(join(tree, "usr/share/doc/coin"), { recursive: true });
		const notices = ["LICENSE", "NOTICE"].map((name) => readFileSync(join(root, name), "utf8"));
		writeFileSync(join(tree, "usr/share/doc/coin/copyright"), notices.join("\n"));
		mkdirSync(join(tree, "DEBIAN"));
		writeFileSync(join(tree, "DEBIAN/control"), control(architecture, sizeOf(join(tree, "usr"))));
		for (const [name, text] of Object.entries(MAINTAINER_SCRIPTS)) {
			writeFileSync(join(tree, "DEBIAN", name), text, { mode: 0o755 });
		}
		const words = ["--root-owner-group", "-Zxz", "--build", tree, target];
		const said = execFileSync("dpkg-deb", words, { encoding: "utf8" });
		const made = /in '([^']+\.deb)'/.exec(said)?.[1];
		if (made === undefined) throw new Error(`dpkg-deb said ${JSON.stringify(said)}`);
		return made;
	} finally {
		rmSync(tree, { recursive: true, force: true });
	}
}

function main(folder = "."): void {
	if (!canPackage())
		throw new Error(`packages are made where dpkg-deb is, on ${Object.values(ARCHITECTURES).join(" or ")}`);
	const place = mkdtempSync(join(tmpdir(), "coin-package-"));
	try {
		const installed = join(place, "installed");
		installPackage(packProgram(place), installed);
		process.stdout.write(`${debianPackage(join(installed, "node_modules"), resolve(folder))}\n`);
	} finally {
		rmSync(place, { recursive: true, force: true });
	}
}

if (process.argv[1] === import.meta.filename) main(process.argv[2]);
