/** `coin node snapshot …`: makes, verifies and restores snapshots. */

import { writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { Flags } from "@oclif/core";
import { checkRecoverable, type KeystoreEntry } from "../../keystore/keystore.js";
import { sizeText } from "../../launch/adoption-work.js";
import { type ConfigSource, configSource, hasConfig, readConfig } from "../../launch/config-source.js";
import { databaseDirectory } from "../../launch/database-work.js";
import { notifyReady } from "../../launch/service-manager.js";
import {
	begunPlace,
	checkSnapshot,
	type FoundSnapshot,
	findSnapshot,
	isSignedBy,
	makeSnapshot,
	restoreInto,
	snapshotText,
} from "../../launch/snapshot-work.js";
import { defaultConfig } from "../../node/config/config.js";
import { SIGNATURE_NAME, sizesOf } from "../../node/snapshot/manifest.js";
import { SnapshotStopped } from "../../node/snapshot/source.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { command, type Terminal } from "../../terminal/base/command-row.js";
import {
	directoryFlags,
	keystoreFlags,
	passwordFlags,
	progressFlag,
	required,
} from "../../terminal/flags/flags.js";
import { AGENT_VARIABLE, agentSignature, passwordSignature } from "../../terminal/keys/agent-signature.js";
import { printLine } from "../../terminal/output/output.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { endInterrupted, interruption, takeOverSignals } from "../../terminal/prompt/interrupt.js";
import { one, record } from "../../terminal/schema/result-shape.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { messageHash, signatureText } from "../../wallet/transaction/signed-message.js";
import { accountNamed, openableKey } from "../../wallet/transaction/signing.js";
import { parseDuration } from "../../wallet/values/moment.js";

/** Flags of commands that sign a snapshot. */
const signerFlags = {
	...keystoreFlags,
	...passwordFlags,
	signer: Flags.string({
		description: "key of the keystore that signs the manifest",
		helpValue: "<wallet>",
	}),
};

/** More frequent snapshots are of no use, and all would be kept for the grace period. */
const MIN_EVERY_MS = 600_000;

/** The user's settings; in these commands `--config` is the chain's configuration. */
const ownSettings = (
	{ settings }: Terminal,
	flags: { readonly "keystore-dir"?: string | undefined },
): Promise<Settings> =>
	settings({ config: process.env["COIN_CONFIG"], "keystore-dir": flags["keystore-dir"] });

/**
 * Signs a manifest's hash.
 * @returns contents of the signature file
 * @throws {Failure | KeystoreError}
 */
async function signManifest(
	{ chatty, passwordSource }: Terminal,
	manifestHash: string,
	key: KeystoreEntry,
	settings: Settings,
): Promise<string> {
	const hash = messageHash(snapshotText(manifestHash));
	const signature =
		(await agentSignature(key, hash)) ??
		(await passwordSignature(key, hash, passwordSource(settings), chatty));
	return `${signatureText(signature)}\n`;
}

const NO_HASH = "0".repeat(64);

/** Whether a password comes from nowhere but a terminal. */
const isTyped = ({ passwordSource }: Terminal, settings: Settings): boolean =>
	passwordSource(settings).file === undefined && process.env[AGENT_VARIABLE] === undefined;

/** Looks up a key that can sign manifests. @throws {Failure} */
async function signingKey(settings: Settings, signer: string): Promise<KeystoreEntry> {
	const key = await openableKey(settings, signer);
	checkRecoverable(key, "a signed manifest");
	return key;
}

export const NodeSnapshotCreate = command({
	summary: "Make a snapshot of a node's data while it runs, or of a directory at rest",
	description:
		"Writes a folder of compressed chunks with their hashes and a manifest, which any web server can give out. The running " +
		"node makes it, as its user and on its machine, and goes on meanwhile; it holds everything up to the last block that " +
		"can't be undone, and no keys. A snapshot that is signed can be trusted by its signer's address.",
	examples: [
		"<%= config.bin %> node snapshot create /var/lib/coin/snapshots/today -d /var/lib/coin --signer main",
	],
	result: one(
		record({
			directory: "text",
			head: "int64",
			blockID: "hex",
			entries: "integer",
			bytes: "integer",
			unpackedBytes: "integer",
			chunks: "integer",
			segments: "integer",
			"signer?": "address",
			seconds: "integer",
		}),
	),
	args: {
		directory: required("folder that isn't there yet"),
	},
	flags: { ...directoryFlags, ...progressFlag, ...signerFlags },
	run: async ({ args, flags, config, ...terminal }) => {
		const { signer, "output-directory": dataDirectory } = flags;
		// Report an invalid name before an hour's work.
		const settings = await ownSettings(terminal, flags);
		const key = signer === undefined ? undefined : await signingKey(settings, signer);
		// Verifies a password that nobody types with a hash of no manifest.
		if (key && !isTyped(terminal, settings)) await signManifest(terminal, NO_HASH, key, settings);
		let interrupted = false;
		takeOverSignals(() => {
			interrupted = true;
		});
		const started = performance.now();
		const name = relative(dataDirectory, await databaseDirectory(configSource(flags), dataDirectory));
		const manifest = await withProgress("making the snapshot", terminal.audience(), (progress) =>
			makeSnapshot({
				dataDirectory,
				name,
				target: args.directory,
				version: config.version,
				onProgress: ({ entries }) => {
					progress.update(`making the snapshot: ${entries.toLocaleString("en")} entries`);
					return !interrupted;
				},
			}),
		);
		if (!manifest) return endInterrupted();
		const directory = resolve(args.directory);
		const seconds = Math.round((performance.now() - started) / 1000);
		const { packed, unpacked } = sizesOf(manifest);
		if (key) {
			const { hash } = await findSnapshot(directory);
			await writeFile(join(directory, SIGNATURE_NAME), await signManifest(terminal, hash, key, settings));
		}
		terminal.print.record({
			directory,
			head: BigInt(manifest.head.number),
			blockID: manifest.head.id,
			entries: manifest.entries,
			bytes: packed,
			unpackedBytes: unpacked,
			chunks: manifest.chunks.length,
			segments: manifest.segments.length,
			...(key ? { signer: key.base58 } : {}),
			seconds,
		});
	},
});

export const NodeSnapshotServe = command({
	summary: "Make a snapshot of a node again and again, and give the latest out over HTTP, until interrupted",
	description:
		"Each snapshot is a folder of its own in <folder> that never changes once it is listed, named by its head; files that are " +
		"the same as in an earlier one are stored once. One that isn't kept any more is removed an hour after a newer one came, " +
		"and not while clients download it, as long as no more than --keep wait for them. The service only reads and removes what it made. " +
		"GET / lists the snapshots, /latest/manifest.json and so on lead to the newest, /files/<SHA-256> is a file by its content; ranges " +
		"make downloads resumable. The running node makes the snapshot, as its user and on its machine; of a directory that no node has open the service does.",
	examples: [
		"<%= config.bin %> node snapshot serve /var/lib/coin/snapshots -d /var/lib/coin --signer main --password-file password",
		"<%= config.bin %> node snapshot serve /var/lib/coin/snapshots -d /var/lib/coin --signer main --every 4cycles --keep 2 --host 0.0.0.0",
	],
	args: {
		folder: required("folder of the snapshots; made if it isn't there"),
	},
	flags: {
		...directoryFlags,
		...signerFlags,
		signer: Flags.string({
			description: "key of the keystore that signs the manifests; its password comes from a file or an agent",
			helpValue: "<wallet>",
			required: true,
		}),
		every: Flags.string({
			description:
				"time from one snapshot to the next, at least 10m; cycles are as long as the configuration says",
			helpValue: "<duration>|<n>cycles",
			default: "1cycles",
		}),
		keep: Flags.integer({ description: "how many snapshots stay", default: 3, min: 1, max: 1_000 }),
		host: Flags.string({ description: "address to listen at", helpValue: "<address>", default: "127.0.0.1" }),
		port: Flags.integer({
			description: "port to listen at; 0: any free one",
			default: 8098,
			min: 0,
			max: 65_535,
		}),
	},
	run: async ({ args, flags, config, ...terminal }) => {
		const { "output-directory": dataDirectory, every, keep, host, port } = flags;
		const settings = await ownSettings(terminal, flags);
		const key = await signingKey(settings, flags.signer);
		if (isTyped(terminal, settings))
			throw new Failure("password_required", "the service signs without anybody at a terminal", {
				hint: "--password-file <path>, or an agent (coin keystore unlock)",
			});
		const everyMs = await intervalOf(every, configSource(flags));
		const name = relative(dataDirectory, await databaseDirectory(configSource(flags), dataDirectory));
		const sign = (hash: string): Promise<string> => signManifest(terminal, hash, key, settings);
		// Verifies the password with a hash of no manifest, before an hour's work.
		await sign(NO_HASH);
		const { GRACE_MS, serveSnapshots } = await import("../../launch/snapshot-service.js");
		const signal = interruption();
		await serveSnapshots({
			folder: resolve(args.folder),
			...{ everyMs, keep, host, port, sign, signal },
			graceMs: GRACE_MS,
			make: (target) =>
				makeSnapshot({
					...{ dataDirectory, name, target },
					version: config.version,
					onProgress: () => !signal.aborted,
				}),
			isOwn: (signature, hash) => isSignedBy(key.address, signature, hash),
			now: Date.now,
			note: terminal.note,
			warn: terminal.warning,
			onListening: (url) => {
				printLine(url);
				void notifyReady(url, process.env).then(
					(untold) =>
						untold && terminal.warning(`systemd waits to be told that the service is ready: ${untold}`),
				);
			},
		});
	},
});

/** @returns milliseconds @throws {Failure} `bad_value` */
async function intervalOf(text: string, named: ConfigSource): Promise<number> {
	const cycles = /^(\d{1,6})cycles?$/.exec(text)?.[1];
	const ms =
		cycles === undefined
			? parseDuration(text)
			: Number(cycles) *
				(hasConfig(named) ? await readConfig(named) : defaultConfig()).block.maintenanceTimeIntervalMs;
	if (ms >= MIN_EVERY_MS) return ms;
	throw new Failure("bad_value", `"${text}" is too short a time between snapshots: at least 10m`);
}

export const NodeSnapshotRestore = command({
	summary: "Make a data directory of a snapshot",
	description:
		"Reads a folder or a web server, several chunks at once, and compares each with the signed manifest. Interrupted or " +
		"killed, the same command goes on; an incomplete directory can't be started on. Head, schedule and the latest blocks " +
		"are checked; the state itself is its signer's word.",
	examples: [
		"<%= config.bin %> node snapshot restore https://snapshots.example/ -c config.conf -d /var/lib/coin --trust <address>",
		"<%= config.bin %> node snapshot restore https://snapshots.example/ -c config.conf -d /var/lib/coin --trust <address> --reuse /srv/mirror",
	],
	result: one(
		record({
			head: "int64",
			blockID: "hex",
			lowest: "int64",
			entries: "integer",
			checkedBlocks: "integer",
			checkedTransactions: "integer",
			"signer?": "address",
			seconds: "integer",
		}),
	),
	args: {
		snapshot: required("folder, or address of a web server or of a snapshot service"),
	},
	flags: {
		...directoryFlags,
		...progressFlag,
		...keystoreFlags,
		trust: Flags.string({
			description: "account whose signature the snapshot must have; repeatable: one of them",
			helpValue: "<account>",
			multiple: true,
			multipleNonGreedy: true,
		}),
		unsigned: Flags.boolean({
			description: "take a snapshot that nobody vouches for",
			exclusive: ["trust"],
		}),
		reuse: Flags.string({
			description:
				"folder of an earlier snapshot, or of files that have their SHA-256 as names: what is the same there isn't fetched",
			helpValue: "<dir>",
		}),
	},
	run: async ({ args, flags, ...terminal }) => {
		const { audience, print, note, warning } = terminal;
		const settings = await ownSettings(terminal, flags);
		const trusted = await Promise.all((flags.trust ?? []).map((name) => accountNamed(settings, name)));
		const signal = interruption();
		const started = performance.now();
		const dataDirectory = flags["output-directory"];
		const place = await begunPlace(args.snapshot, dataDirectory, configSource(flags));
		const snapshot = await findSnapshot(place, signal).catch((error: unknown) => {
			if (error instanceof SnapshotStopped) return undefined;
			if (place === args.snapshot || !(error instanceof Failure)) throw error;
			throw error.with({
				hint: `it goes on with the generation that was begun; where that isn't given out any more (404, or 410 where it is damaged), delete ${dataDirectory} and begin anew`,
			});
		});
		if (snapshot) checkSigner(snapshot, trusted, flags.unsigned);
		const checks =
			snapshot &&
			(await withProgress("restoring", audience(), (progress) =>
				restoreInto({
					snapshot,
					reuse: flags.reuse,
					onReuse: (bytes) =>
						bytes > 0
							? note(`${sizeText(bytes)} needn't be fetched: they are in ${flags.reuse}`)
							: warning(
									`nothing of the snapshot is in ${flags.reuse}, so all of it is fetched: a folder with manifest.json, or with files named by their SHA-256, is needed`,
								),
					dataDirectory,
					config: configSource(flags),
					onRoom: (needed, free) =>
						note(`the data take up to ${sizeText(needed)}; there is room for ${sizeText(free)}`),
					onProgress: (state) => {
						progress.update(
							state.phase === "read"
								? `restoring: ${sizeText(state.bytes)} of ${sizeText(state.of)}`
								: `checking: block ${state.blocks.toLocaleString("en")} of ${state.of.toLocaleString("en")}`,
						);
						return !signal.aborted;
					},
				}),
			));
		if (!checks) {
			note("interrupted; the same command goes on from here");
			return endInterrupted();
		}
		const { manifest, signer } = snapshot;
		print.record({
			head: BigInt(manifest.head.number),
			blockID: manifest.head.id,
			lowest: BigInt(manifest.lowest),
			entries: manifest.entries,
			checkedBlocks: checks.blocks,
			checkedTransactions: checks.transactions,
			...(signer ? { signer: toBase58Check(signer) } : {}),
			seconds: Math.round((performance.now() - started) / 1000),
		});
	},
});

/** @throws {Failure} `bad_value` unless the snapshot is signed by a trusted key, or needn't be */
function checkSigner({ signer }: FoundSnapshot, trusted: readonly Uint8Array[], unsigned: boolean): void {
	if (unsigned) return;
	const who = signer ? `signed by ${toBase58Check(signer)}` : "not signed";
	if (trusted.length === 0) {
		throw new Failure("bad_value", `the snapshot is ${who}; say whom you trust`, {
			hint: "--trust <account>, or --unsigned for a snapshot that you made yourself",
		});
	}
	if (signer && trusted.some((address) => equalBytes(address, signer))) return;
	throw new Failure("bad_value", `the snapshot is ${who}, which is not one of those that you trust`);
}

export const NodeSnapshotVerify = command({
	summary: "Read a snapshot whole and tell whether it is what its manifest says",
	description:
		"Every chunk and every segment is compared with its hash, and the entries with the format. Shows who signed it.",
	examples: [
		"<%= config.bin %> node snapshot verify /srv/snapshots/today",
		"<%= config.bin %> node snapshot verify https://snapshots.example/",
	],
	result: one(
		record({
			head: "int64",
			blockID: "hex",
			timestamp: "time",
			lowest: "int64",
			genesis: "hex",
			program: "text",
			created: "time",
			entries: "integer",
			bytes: "integer",
			unpackedBytes: "integer",
			"signer?": "address",
		}),
	),
	args: {
		snapshot: required("folder, or address of a web server or of a snapshot service"),
	},
	flags: { ...progressFlag },
	run: async ({ args, audience, print }) => {
		const signal = interruption();
		const found = await findSnapshot(args.snapshot, signal).catch((error: unknown) => {
			if (error instanceof SnapshotStopped) return undefined;
			throw error;
		});
		const isWhole =
			found &&
			(await withProgress("reading the snapshot", audience(), (progress) =>
				checkSnapshot(found, (bytes, of) => {
					progress.update(`reading the snapshot: ${sizeText(bytes)} of ${sizeText(of)}`);
					return !signal.aborted;
				}),
			));
		if (!isWhole) return endInterrupted();
		const { manifest, signer } = found;
		const { packed, unpacked } = sizesOf(manifest);
		print.record({
			head: BigInt(manifest.head.number),
			blockID: manifest.head.id,
			timestamp: BigInt(manifest.head.timestampMs),
			lowest: BigInt(manifest.lowest),
			genesis: manifest.genesisId,
			program: manifest.program,
			created: BigInt(manifest.createdMs),
			entries: manifest.entries,
			bytes: packed,
			unpackedBytes: unpacked,
			...(signer ? { signer: toBase58Check(signer) } : {}),
		});
	},
});
