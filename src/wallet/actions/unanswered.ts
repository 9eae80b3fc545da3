/**
 * Transactions that a node may have although its answer never came, in `unanswered/<txID>.json` beside the contacts: who sends
 * the same once more is warned of them for as long as they can enter a block.
 */

import { readdir, readFile, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
	createPrivateDirectory,
	errorCode,
	ifMissing,
	writePrivateFile,
} from "../../keystore/private-file.js";
import { fromHex, toHex } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import type { Settings } from "../configuration/settings.js";
import { Failure, onRefusal } from "../failure.js";
import { isRecord, type JsonRecord, readJson, writeJson } from "../json.js";
import type { NodeClient } from "../node/node-client.js";
import { statusOf, type TransactionState } from "../node/wait.js";
import { ownerText, type TransactionEnvelope } from "../transaction/envelope.js";
import { summaryOf } from "../transaction/envelope-note.js";

interface Unanswered {
	readonly txID: string;
	readonly summary: string;
	readonly state: TransactionState;
}

/** The newest files that are looked at. */
const MAX_FILES = 50;
/** No transaction lives longer, whatever this machine's clock and the chain's say. */
const LONGEST_LIFE_MS = 48n * 3_600_000n;

type Place = Pick<Settings, "contactsFile" | "http">;

function directoryOf({ contactsFile }: Place): string | undefined {
	// Programs that name their node have no files.
	return contactsFile ? join(dirname(contactsFile), "unanswered") : undefined;
}

/** Keeps a transaction until it is known what became of it. */
export async function keepUnanswered(settings: Place, envelope: TransactionEnvelope): Promise<void> {
	const directory = directoryOf(settings);
	if (directory === undefined) return;
	const { idHex, raw } = envelope.transaction;
	await createPrivateDirectory(directory);
	const record = {
		node: settings.http,
		owner: ownerText(envelope.owner),
		expiration: raw?.expiration ?? 0n,
		summary: summaryOf(envelope),
		transaction: toHex(envelope.transaction.bytes),
	};
	await writePrivateFile(join(directory, `${idHex}.json`), `${writeJson(record)}\n`, true);
}

/**
 * What may still happen, or has happened, of an account's kept transactions at this node; those whose end is known are kept
 * no longer.
 * @param owner Base58
 * @param nowMs this machine's clock
 */
export async function unansweredOf(client: NodeClient, owner: string, nowMs: bigint): Promise<Unanswered[]> {
	const { settings } = client;
	const directory = directoryOf(settings);
	if (directory === undefined) return [];
	const found: Unanswered[] = [];
	for (const name of (await namesIn(directory)).slice(0, MAX_FILES)) {
		const path = join(directory, name);
		const record = await recordAt(path);
		const expirationMs = /^\d{1,19}$/.test(String(record?.["expiration"]))
			? BigInt(String(record?.["expiration"]))
			: 0n;
		if (!record || expirationMs + LONGEST_LIFE_MS < nowMs) {
			await unlink(path).catch(ifMissing(undefined));
			continue;
		}
		if (record["owner"] !== owner || record["node"] !== settings.http) continue;
		const txID = name.slice(0, 64);
		// A node that doesn't tell leaves it open, and keeps nobody from sending.
		const unknown = { state: "submitted" } as const;
		const { state } = await statusOf(client, followedOf(record, txID)).catch(onRefusal(unknown));
		if (state !== "expired") found.push({ txID, summary: String(record["summary"]), state });
		if (state !== "submitted") await unlink(path).catch(ifMissing(undefined));
	}
	return found;
}

/** Its id alone where an earlier release kept no more, or the file is damaged. */
function followedOf({ transaction }: JsonRecord, txID: string): Uint8Array | SignedTransaction {
	try {
		const kept = SignedTransaction.decode(fromHex(String(transaction)));
		if (kept.idHex === txID) return kept;
	} catch (error) {
		if (!(error instanceof DecodeError || error instanceof RangeError)) throw error;
	}
	return fromHex(txID);
}

async function namesIn(directory: string): Promise<string[]> {
	const names = await readdir(directory).catch(ifMissing([]));
	return names.filter((name) => /^[0-9a-f]{64}\.json$/.test(name));
}

/** Undefined for a file that isn't there any more, or can't be read. */
async function recordAt(path: string): Promise<JsonRecord | undefined> {
	try {
		const json = readJson(await readFile(path, "utf8"));
		return isRecord(json) ? json : undefined;
	} catch (error) {
		if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
}

/** Whether no answer to a broadcast came. A refusal is an answer, which the person has seen, though the node has the bytes. */
export function isUnanswered(error: unknown): error is Failure {
	return error instanceof Failure && error.facts.sent === "unknown" && error.facts.node === undefined;
}
