/**
 * A small data directory, and starts on damaged copies: they yield all acknowledged data, or one sentence.
 *
 * A clean close seals the files, so all damage is detectable. A kill or power loss leaves a log whose last
 * segment may end anywhere, so its length is unknown. In that segment only, a truncation may lose the records
 * after it, and a broken byte in the last record that record; everything before must be intact, and all other
 * damage must be reported.
 */

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LogAccessError, LogDamagedError } from "../../src/node/chain/block-log.js";
import { logDirectory } from "../../src/node/chain/data-directory.js";
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

/** Longer than any start; otherwise it hangs. */
const START_LIMIT_MS = 300_000;
/** So low that the database is written constantly. */
const LOG_NAME = logDirectory("");
export const CHAIN_LIMITS = { entries: 40, logBytes: 1 << 20 };
const CHILD = fileURLToPath(new URL("damage-child.ts", import.meta.url));

/** The chain is as it was before the damaged end of the log. */
export const EXACT_PREFIX = "it starts with exactly what the log's end left";

/** A start ended in an unexpected way. */
export class DamageError extends Error {
	override readonly name = "DamageError";
}

export type Damage =
	| { readonly kind: "flip"; readonly file: string; readonly at: number }
	| { readonly kind: "cut"; readonly file: string; readonly at: number };

/** The chain at a size of the log. */
interface Told {
	readonly segment: string;
	readonly size: number;
	readonly chain: string;
}

/** A directory's chain as one line. */
export async function describeChain(open: OpenChain): Promise<string> {
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
		/** The chain after starting on an undamaged copy. */
		private readonly expected: string,
		/** Lines printed by the killed process, oldest first; empty after a clean close. */
		private readonly told: readonly Told[],
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

	/** Creates and closes a chain with some tables and logs, unflushed blocks, and waiting transactions. */
	static async make(root: string): Promise<DamagedDirectory> {
		installRecoverEngine();
		const dataDirectory = join(root, "data");
		for (let run = 0; run < 3; run++) {
			const open = await openSmall({ dataDirectory, flushLimits: CHAIN_LIMITS });
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
		const expected = `${await describeChain(open)} ${foundingText(untouched)}`;
		await open.close();
		return new DamagedDirectory(root, dataDirectory, expected, []);
	}

	/**
	 * The same, continued by a process that is killed.
	 * @param rounds minimum number of its blocks
	 * @param waitMs how long it runs after that
	 * @throws {DamageError} if something it printed is missing
	 */
	static async makeKilled(root: string, rounds: number, waitMs: number): Promise<DamagedDirectory> {
		const { original } = await DamagedDirectory.make(root);
		const lines = await runAndKill(original, rounds, waitMs);
		const founding = foundingText(original);
		const told = lines.map((line): Told => {
			const [, segment, size, ...chain] = line.split(" ");
			return { segment: segment as string, size: Number(size), chain: `${chain.join(" ")} ${founding}` };
		});
		const untouched = join(root, "killed");
		cpSync(original, untouched, { recursive: true });
		const open = await openSmall({ dataDirectory: untouched });
		const expected = `${await describeChain(open)} ${founding}`;
		await open.close();
		const directory = new DamagedDirectory(root, original, expected, told);
		directory.checkUntouched();
		return directory;
	}

	/** The last printed state exists; only what the process couldn't print may follow it. */
	private checkUntouched(): void {
		const last = this.told.at(-1);
		const { segment } = this;
		if (!last || this.expected === last.chain) return;
		const size = this.content.get(join(LOG_NAME, segment))?.length ?? 0;
		if (segment === last.segment && size <= last.size)
			throw new DamageError(`killed, it is not what it told:\n${this.expected}\n${last.chain}`);
	}

	/** Name of the log's last segment. */
	private get segment(): string {
		const names = [...this.content.keys()].filter((name) => name.startsWith(LOG_NAME));
		return relative(LOG_NAME, names.sort().at(-1) as string);
	}

	/** Chains that a start may silently end up with. */
	private allowed({ kind, file, at }: Damage): ReadonlySet<string> {
		const all = new Set([this.expected]);
		if (this.told.length === 0 || file !== join(LOG_NAME, this.segment)) return all;
		const before = this.told.filter(
			({ segment, size }) => segment < this.segment || (segment === this.segment && size <= at),
		);
		const kept = before.at(-1);
		if (kept === undefined) return all;
		const next = this.told[before.length];
		// More than one record may follow the last printed one.
		if (next === undefined) return all.add(kept.chain);
		const isLast = this.told.length === before.length + 1;
		return kind === "cut" || isLast ? new Set([kept.chain]) : new Set();
	}

	/** Sizes of the files, by path. */
	get files(): ReadonlyMap<string, number> {
		return new Map([...this.content].map(([file, bytes]) => [file, bytes.length]));
	}

	/**
	 * Opens a damaged copy.
	 * @returns the error's sentence; undefined if everything is there; or {@link EXACT_PREFIX}
	 * @throws {DamageError} for any other result
	 */
	async start(damage: Damage): Promise<string | undefined> {
		this.lay(damage);
		const name = `${damage.kind} ${damage.file} at ${damage.at}`;
		let open: OpenChain;
		let found: string;
		try {
			open = await inTime(openSmall({ dataDirectory: this.copy }), name);
			try {
				found = `${await describeChain(open)} ${foundingText(this.copy)}`;
			} finally {
				await inTime(open.close(), name);
			}
		} catch (error) {
			return sentenceOf(error, name);
		}
		const allowed = this.allowed(damage);
		if (allowed.has(found)) return found === this.expected ? undefined : EXACT_PREFIX;
		throw new DamageError(
			`${name}: it starts, and is not what it may be:\n${found}\n${[...allowed].join("\n")}`,
		);
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

/** @returns the lines printed by the child */
async function runAndKill(directory: string, rounds: number, waitMs: number): Promise<string[]> {
	const child = spawn(process.execPath, ["--import", "tsx", CHILD, directory, String(rounds)], {
		stdio: ["ignore", "pipe", "pipe"],
	});
	let output = "";
	let errors = "";
	child.stderr.on("data", (chunk: Buffer) => {
		errors += chunk.toString();
	});
	const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
	const isReady = new Promise<void>((resolve) => {
		child.stdout.on("data", (chunk: Buffer) => {
			output += chunk.toString();
			if (output.includes("ready\n")) resolve();
		});
	});
	await Promise.race([isReady, ended]);
	await sleep(waitMs);
	if (child.exitCode !== null) throw new DamageError(`the chain ended by itself:\n${errors}`);
	child.kill("SIGKILL");
	await ended;
	return output
		.split("\n")
		.slice(0, -1)
		.filter((line) => line.startsWith("state "));
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
