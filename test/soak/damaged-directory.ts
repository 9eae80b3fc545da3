/**
 * A small data directory, and what a start on a damaged copy of it comes to: all that was acknowledged, or one sentence.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { LogAccessError, LogDamagedError } from "../../src/node/chain/block-log.js";
import type { OpenChain } from "../../src/node/chain/open-chain.js";
import {
	DevelopmentMarkError,
	markDevelopmentDirectory,
	readFounding,
} from "../../src/node/development/directory.js";
import { installRecoverEngine } from "../../src/node/signatures/engine.js";
import { DatabaseError } from "../../src/node/state/database.js";
import { toHex } from "../../src/protocol/bytes.js";
import { sha256 } from "../../src/protocol/hash.js";
import { dumpState, poolIds } from "../node/chain/recorded-chain.js";
import { openSmall, produceMany, transfer, users } from "../node/chain/small-chain.js";

/** Longer than any start takes; one that takes longer hangs. */
const START_LIMIT_MS = 20_000;

/** A start ended in another way than it may. */
export class DamageError extends Error {
	override readonly name = "DamageError";
}

export type Damage =
	| { readonly kind: "flip"; readonly file: string; readonly at: number }
	| { readonly kind: "cut"; readonly file: string; readonly at: number };

/** What a directory says of its chain, as one line. */
async function describe(open: OpenChain): Promise<string> {
	const state = [...(await dumpState(open))].sort().join("\n");
	return `${open.chain.head.idHex} ${poolIds(open).join()} ${toHex(sha256(Buffer.from(state)))}`;
}

function foundingText(directory: string): string {
	return JSON.stringify(readFounding(directory), (_, value: unknown) =>
		typeof value === "bigint" ? String(value) : value,
	);
}

const FOUNDING = {
	accounts: [],
	mnemonic: undefined,
	hdPath: undefined,
	producerKey: new Uint8Array(32).fill(7),
	economy: "free",
	parameters: [{ name: "getEnergyFee", value: 100n }],
	genesisTimestampMs: 1_700_000_000_000n,
	maintenanceMs: 600_000,
} as unknown as Parameters<typeof markDevelopmentDirectory>[2];

export class DamagedDirectory {
	private readonly content = new Map<string, Buffer>();
	private readonly copy: string;

	private constructor(
		root: string,
		private readonly original: string,
		private readonly expected: string,
	) {
		this.copy = join(root, "copy");
		const add = (directory: string): void => {
			for (const name of readdirSync(directory)) {
				const path = join(directory, name);
				if (statSync(path).isDirectory()) add(path);
				else this.content.set(relative(original, path), readFileSync(path));
			}
		};
		add(original);
	}

	/** Makes a chain with a few tables and logs, some blocks in the log alone, waiting transactions, and closes it. */
	static async make(root: string): Promise<DamagedDirectory> {
		await installRecoverEngine();
		const dataDirectory = join(root, "data");
		for (let run = 0; run < 3; run++) {
			const open = await openSmall({ dataDirectory, flushLimits: { entries: 40, logBytes: 1 << 20 } });
			for (let i = 0; i < 4; i++) {
				for (let user = 0; user < users.length; user++) {
					const to = users[(user + 1) % users.length] as Uint8Array;
					open.chain.pushTransaction(transfer(open, user, to, BigInt(run * 100 + i + 1)));
				}
				if (i < 3) produceMany(open, 2);
				await open.throttle();
			}
			await open.close();
		}
		markDevelopmentDirectory(dataDirectory, "00".repeat(32), FOUNDING);
		const untouched = join(root, "untouched");
		cpSync(dataDirectory, untouched, { recursive: true });
		const open = await openSmall({ dataDirectory: untouched });
		const expected = `${await describe(open)} ${foundingText(untouched)}`;
		await open.close();
		return new DamagedDirectory(root, dataDirectory, expected);
	}

	/** Sizes of the files, by path. */
	get files(): ReadonlyMap<string, number> {
		return new Map([...this.content].map(([file, bytes]) => [file, bytes.length]));
	}

	/**
	 * Opens a damaged copy.
	 * @returns the sentence with which the start ended; undefined: it came up with everything
	 * @throws {DamageError} it ended in no way that it may
	 */
	async start(damage: Damage): Promise<string | undefined> {
		this.lay(damage);
		const name = `${damage.kind} ${damage.file} at ${damage.at}`;
		let open: OpenChain;
		let found: string;
		try {
			open = await inTime(openSmall({ dataDirectory: this.copy }), name);
			try {
				found = `${await describe(open)} ${foundingText(this.copy)}`;
			} finally {
				await inTime(open.close(), name);
			}
		} catch (error) {
			return sentenceOf(error, name);
		}
		if (found !== this.expected) {
			throw new DamageError(`${name}: it starts, and is not what it was:\n${found}\n${this.expected}`);
		}
		return undefined;
	}

	private lay({ kind, file, at }: Damage): void {
		rmSync(this.copy, { recursive: true, force: true });
		for (const [name, bytes] of this.content) {
			const path = join(this.copy, name);
			mkdirSync(join(path, ".."), { recursive: true });
			writeFileSync(path, name === file ? damaged(bytes, kind, at) : bytes);
		}
	}

	get directory(): string {
		return this.original;
	}
}

function damaged(bytes: Buffer, kind: Damage["kind"], at: number): Buffer {
	if (kind === "cut") return bytes.subarray(0, at);
	const copy = Buffer.from(bytes);
	copy[at] = (copy[at] as number) ^ (1 << (at % 8));
	return copy;
}

function sentenceOf(error: unknown, name: string): string {
	const isTyped =
		error instanceof DatabaseError ||
		error instanceof LogDamagedError ||
		error instanceof LogAccessError ||
		error instanceof DevelopmentMarkError;
	if (isTyped && !error.message.includes("\n")) return error.message;
	throw new DamageError(`${name}: ${error instanceof Error ? error.stack : String(error)}`);
}

async function inTime<T>(work: Promise<T>, name: string): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new DamageError(`${name}: it hangs`)), START_LIMIT_MS);
	});
	try {
		return await Promise.race([work, late]);
	} finally {
		clearTimeout(timer);
	}
}
