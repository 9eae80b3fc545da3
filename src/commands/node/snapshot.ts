/** `coin node snapshot …`: making, checking and restoring snapshots. */

import { writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { Args, Flags, type Interfaces } from "@oclif/core";
import { checkRecoverable, unlockKey } from "../../keystore/keystore.js";
import { sizeText } from "../../launch/adoption-work.js";
import { configSource } from "../../launch/config-source.js";
import { databaseDirectory } from "../../launch/database-work.js";
import {
	checkSnapshot,
	type FoundSnapshot,
	findSnapshot,
	makeSnapshot,
	restoreInto,
	snapshotText,
} from "../../launch/snapshot-work.js";
import { SIGNATURE_NAME, sizesOf } from "../../node/snapshot/manifest.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { sign } from "../../protocol/signature.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { command } from "../../terminal/base/command-row.js";
import { directoryFlags, keystoreFlags, passwordFlags, progressFlag } from "../../terminal/flags/flags.js";
import { agentSignature } from "../../terminal/keys/agent-signature.js";
import { withPassword } from "../../terminal/keys/secrets.js";
import { withProgress } from "../../terminal/progress/progress.js";
import { endInterrupted, takeOverSignals } from "../../terminal/prompt/interrupt.js";
import { one, record } from "../../terminal/schema/result-shape.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { messageHash, signatureText } from "../../wallet/transaction/signed-message.js";
import { accountNamed, openableKey } from "../../wallet/transaction/signing.js";

/** The base of the commands on snapshots: signing one, and whom it has to be signed by. */
export const signerFlags = {
	...keystoreFlags,
	...passwordFlags,
	signer: Flags.string({
		description: "key of the keystore that signs the manifest",
		helpValue: "<wallet>",
	}),
};

type SignerFlags = Interfaces.InferredFlags<typeof signerFlags>;

export abstract class SnapshotCommand extends CoinCommand {
	/** The user's settings: `--config` names the configuration of the chain in these commands. */
	protected ownSettings(flags: { readonly "keystore-dir"?: string | undefined }): Promise<Settings> {
		return this.settings({ config: process.env["COIN_CONFIG"], "keystore-dir": flags["keystore-dir"] });
	}

	/**
	 * Signs a text, and writes the signature into a file of a snapshot.
	 * @returns the address that signed, in Base58
	 * @throws {Failure | KeystoreError}
	 */
	protected async signText(
		text: Uint8Array,
		path: { readonly directory: string; readonly name: string },
		signer: string,
		flags: SignerFlags,
	): Promise<string> {
		const settings = await this.ownSettings(flags);
		const key = await openableKey(settings, signer);
		checkRecoverable(key, "a signed manifest");
		const hash = messageHash(text);
		const open = (password: string): Promise<Uint8Array> =>
			withProgress("opening the key", this.chatty, async () => {
				const privateKey = await unlockKey(key, password);
				try {
					return sign(hash, privateKey);
				} finally {
					privateKey.fill(0);
				}
			});
		const signature =
			(await agentSignature(key, hash)) ??
			(await withPassword(this.passwordSource(flags, settings), key.name, open));
		await writeFile(join(path.directory, path.name), `${signatureText(signature)}\n`);
		return key.base58;
	}
}

export class NodeSnapshotCreate extends SnapshotCommand {
	static override summary = "Make a snapshot of a node's data while it runs, or of a directory at rest";
	static override description =
		"Writes a folder of compressed chunks with their hashes and a manifest, which any web server can give out. The running " +
		"node makes it, as its user and on its machine, and goes on meanwhile; it holds everything up to the last block that " +
		"can't be undone, and no keys. A snapshot that is signed can be trusted by its signer's address.";
	static override examples = [
		"<%= config.bin %> node snapshot create /srv/snapshots/today -d /var/lib/coin --signer main",
	];
	static override result = one(
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
	);
	static override args = {
		directory: Args.string({ description: "folder that isn't there yet", required: true, ignoreStdin: true }),
	};
	static override flags = { ...directoryFlags, ...progressFlag, ...signerFlags };

	async run(): Promise<void> {
		const { args, flags } = await this.parse(NodeSnapshotCreate);
		const { signer, "output-directory": dataDirectory } = flags;
		// A name that is wrong should be told before an hour's work.
		if (signer !== undefined) await openableKey(await this.ownSettings(flags), signer);
		let interrupted = false;
		takeOverSignals(() => {
			interrupted = true;
		});
		const started = performance.now();
		const name = relative(dataDirectory, await databaseDirectory(configSource(flags), dataDirectory));
		const manifest = await withProgress("making the snapshot", this.audience(flags), (progress) =>
			makeSnapshot({
				dataDirectory,
				name,
				target: args.directory,
				version: this.config.version,
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
		const signed = signer === undefined ? {} : { signer: await this.sign(directory, signer, flags) };
		this.printRecord({
			directory,
			head: BigInt(manifest.head.number),
			blockID: manifest.head.id,
			entries: manifest.entries,
			bytes: packed,
			unpackedBytes: unpacked,
			chunks: manifest.chunks.length,
			segments: manifest.segments.length,
			...signed,
			seconds,
		});
	}

	private async sign(
		directory: string,
		signer: string,
		flags: Parameters<SnapshotCommand["signText"]>[3],
	): Promise<string> {
		const { hash } = await findSnapshot(directory);
		return this.signText(snapshotText(hash), { directory, name: SIGNATURE_NAME }, signer, flags);
	}
}

export class NodeSnapshotRestore extends SnapshotCommand {
	static override summary = "Make a data directory of a snapshot";
	static override description =
		"Reads a folder or a web server, several chunks at once, and compares each with the signed manifest. Interrupted or " +
		"killed, the same command goes on; an incomplete directory can't be started on. Head, schedule and the latest blocks " +
		"are checked; the state itself is its signer's word.";
	static override examples = [
		"<%= config.bin %> node snapshot restore https://snapshots.example/today -c config.conf -d /var/lib/coin --trust <address>",
	];
	static override result = one(
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
	);
	static override args = {
		snapshot: Args.string({
			description: "folder, or address of a web server",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = {
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
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(NodeSnapshotRestore);
		const settings = await this.ownSettings(flags);
		const trusted = await Promise.all((flags.trust ?? []).map((name) => accountNamed(settings, name)));
		let interrupted = false;
		takeOverSignals(() => {
			interrupted = true;
		});
		const started = performance.now();
		const snapshot = await findSnapshot(args.snapshot);
		checkSigner(snapshot, trusted, flags.unsigned);
		const checks = await withProgress("restoring", this.audience(flags), (progress) =>
			restoreInto({
				snapshot,
				dataDirectory: flags["output-directory"],
				config: configSource(flags),
				onRoom: (needed, free) =>
					this.note(`the data take up to ${sizeText(needed)}; there is room for ${sizeText(free)}`),
				onProgress: (state) => {
					progress.update(
						state.phase === "read"
							? `restoring: ${sizeText(state.bytes)} of ${sizeText(state.of)}`
							: `checking: block ${state.blocks.toLocaleString("en")} of ${state.of.toLocaleString("en")}`,
					);
					return !interrupted;
				},
			}),
		);
		if (!checks) {
			this.note("interrupted; the same command goes on from here");
			return endInterrupted();
		}
		const { manifest, signer } = snapshot;
		this.printRecord({
			head: BigInt(manifest.head.number),
			blockID: manifest.head.id,
			lowest: BigInt(manifest.lowest),
			entries: manifest.entries,
			checkedBlocks: checks.blocks,
			checkedTransactions: checks.transactions,
			...(signer ? { signer: toBase58Check(signer) } : {}),
			seconds: Math.round((performance.now() - started) / 1000),
		});
	}
}

/** @throws {Failure} `bad_value` unless the snapshot is signed by one who is trusted, or needn't be */
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
		"<%= config.bin %> node snapshot verify https://snapshots.example/today",
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
		snapshot: Args.string({
			description: "folder, or address of a web server",
			required: true,
			ignoreStdin: true,
		}),
	},
	flags: { ...progressFlag },
	run: async ({ args, audience, print }) => {
		let interrupted = false;
		takeOverSignals(() => {
			interrupted = true;
		});
		const found = await findSnapshot(args.snapshot);
		const isWhole = await withProgress("reading the snapshot", audience(), (progress) =>
			checkSnapshot(found, (bytes, of) => {
				progress.update(`reading the snapshot: ${sizeText(bytes)} of ${sizeText(of)}`);
				return !interrupted;
			}),
		);
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
