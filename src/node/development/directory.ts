/**
 * Marks a data directory as a development chain's and records what the chain was created with: later starts
 * continue from it, and its blocks can be read without a node (protocol/development-chain §1.1).
 */

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { addressOfPrivateKey } from "../../protocol/signature.js";
import { type ForkFounding, readForkFounding } from "../fork/fork-facts.js";
import type { DevelopmentOptions } from "./development.js";

const MARK = "dev.json";

/** The founding options of a development chain; others may differ at every start. */
export type Founding = Pick<
	DevelopmentOptions,
	| "accounts"
	| "mnemonic"
	| "hdPath"
	| "producerKey"
	| "economy"
	| "parameters"
	| "genesisTimestampMs"
	| "maintenanceMs"
	| "network"
	| "fork"
>;

interface MarkFile {
	/** Id of the genesis block. */
	readonly developmentChain: string;
	/** CRC-32 of the founding as written in the file; absent in directories of earlier versions. */
	readonly crc?: number;
	/** Absent in directories of earlier versions. */
	readonly founding?: {
		readonly mnemonic: string | undefined;
		readonly hdPath: string | undefined;
		readonly accounts: readonly { readonly privateKey: string; readonly balanceSun: string }[];
		readonly producerKey: string;
		readonly economy: DevelopmentOptions["economy"];
		readonly parameters: Readonly<Record<string, string>>;
		readonly genesisTimestampMs: string;
		readonly maintenanceMs: number;
		/** Absent: the rules are those of the main network. */
		readonly network?: NonNullable<DevelopmentOptions["network"]>;
		/** Absent: the chain is not a fork. */
		readonly fork?: ForkFounding;
	};
}

/** A data directory doesn't match the way it is opened. */
export class DevelopmentMarkError extends OperatorError {
	override readonly name = "DevelopmentMarkError";
}

/** Whether a directory is marked as a development chain's, even if the mark is unreadable. */
export const isMarked = (dataDirectory: string): boolean => existsSync(join(dataDirectory, MARK));

/** @throws {DevelopmentMarkError} if a network's node is started on a development chain's directory */
export function refuseDevelopmentDirectory(dataDirectory: string): void {
	if (!isMarked(dataDirectory)) return;
	throw new DevelopmentMarkError(
		`the data directory ${dataDirectory} holds a development chain; start it with --dev, or choose another directory`,
	);
}

/** The founding options of a directory's chain; undefined if there is none. @throws {DevelopmentMarkError} */
export function readFounding(dataDirectory: string): Founding | undefined {
	const founding = readMark(dataDirectory)?.founding;
	if (!founding) return undefined;
	return {
		...(founding.mnemonic === undefined ? {} : { mnemonic: founding.mnemonic }),
		...(founding.hdPath === undefined ? {} : { hdPath: founding.hdPath }),
		accounts: founding.accounts.map(({ privateKey, balanceSun }) => {
			const key = fromHex(privateKey);
			return { privateKey: key, address: addressOfPrivateKey(key), balanceSun: BigInt(balanceSun) };
		}),
		producerKey: fromHex(founding.producerKey),
		economy: founding.economy,
		parameters: Object.entries(founding.parameters).map(([name, value]) => ({ name, value: BigInt(value) })),
		genesisTimestampMs: BigInt(founding.genesisTimestampMs),
		maintenanceMs: founding.maintenanceMs,
		...(founding.network === undefined ? {} : { network: founding.network }),
		...(founding.fork === undefined ? {} : { fork: readForkFounding(founding.fork) }),
	};
}

function readMark(dataDirectory: string): MarkFile | undefined {
	const path = join(dataDirectory, MARK);
	if (!existsSync(path)) return undefined;
	try {
		const mark = JSON.parse(readFileSync(path, "utf8")) as MarkFile;
		if (mark.crc === undefined ? isOfToday(mark) : mark.crc !== checksum(mark))
			throw new TypeError("changed");
		return mark;
	} catch {
		throw new DevelopmentMarkError(`${path} is damaged: it doesn't tell what the chain was made of`);
	}
}

const checksum = ({ developmentChain, founding }: MarkFile): number =>
	crc32(JSON.stringify([developmentChain, founding]));

/** Whether a current mark has unexpected member names: then one of them is damaged. */
const isOfToday = (mark: MarkFile): boolean =>
	Object.keys(mark).some((name) => name !== "developmentChain" && name !== "founding");

/** Marks a new directory. Its keys are public by design, except for a given producer key. */
export function markDevelopmentDirectory(
	dataDirectory: string,
	genesisIdHex: string,
	options: Founding,
): void {
	// The genesis identifies the chain; the mark only has to be readable.
	if (readMark(dataDirectory)) return;
	const mark: MarkFile = {
		developmentChain: genesisIdHex,
		founding: {
			mnemonic: options.mnemonic,
			hdPath: options.hdPath,
			accounts: options.accounts.map(({ privateKey, balanceSun }) => ({
				privateKey: toHex(privateKey),
				balanceSun: balanceSun.toString(),
			})),
			producerKey: toHex(options.producerKey),
			economy: options.economy,
			parameters: Object.fromEntries(options.parameters.map(({ name, value }) => [name, value.toString()])),
			genesisTimestampMs: options.genesisTimestampMs.toString(),
			maintenanceMs: options.maintenanceMs,
			...(options.network ? { network: options.network } : {}),
			...(options.fork ? { fork: options.fork } : {}),
		},
	};
	// Atomic, whenever the process is killed.
	const path = join(dataDirectory, MARK);
	writeFileSync(`${path}.new`, `${JSON.stringify({ ...mark, crc: checksum(mark) })}\n`, { mode: 0o600 });
	renameSync(`${path}.new`, path);
}
