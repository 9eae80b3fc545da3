/**
 * Keeps transactions that a node may have received although it never responded, in `unanswered/<txID>.json` beside the contacts:
 * whoever sends the same again is warned as long as they can still be included in a block.
 */

import { readdir, readFile, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
	createPrivateDirectory,
	errorCode,
	ifMissing,
	writePrivateFile,
} from "../../keystore/private-file.js";
import { equalBytes, fromHex, toHex } from "../../protocol/bytes.js";
import { DecodeError } from "../../protocol/codec/reader.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import type { Settings } from "../configuration/settings.js";
import { Failure, onRefusal } from "../failure.js";
import { isRecord, type JsonRecord, readJson, writeJson } from "../json.js";
import { type BlockReference, fetchBlockByNumber, fetchHead, referredNumber } from "../node/chain-query.js";
import type { NodeClient } from "../node/node-client.js";
import { statusOf, type TransactionState } from "../node/wait.js";
import { ownerText, type TransactionEnvelope } from "../transaction/envelope.js";
import { summaryOf } from "../transaction/envelope-note.js";

interface Unanswered {
	readonly txID: string;
	readonly summary: string;
	readonly state: TransactionState;
}

/** Only this many files are read, and the node is asked about so many of them: first those that were sent to it, then those that expire last. */
const MAX_KEPT_FILES = 1_000;
const MAX_ASKED = 50;
const MAX_REPORTERS = 16;
/** No transaction stays valid for longer, even if this machine's clock and the chain's differ. */
const LONGEST_LIFE_MS = 48n * 3_600_000n;

type Place = Pick<Settings, "contactsFile" | "http">;

function directoryOf({ contactsFile }: Place): string | undefined {
	// Programs that pass their node as an option keep no files.
	return contactsFile ? join(dirname(contactsFile), "unanswered") : undefined;
}

/** Keeps a transaction until its outcome is known. */
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
 * The status at this node of an account's kept transactions; those whose outcome is final by the node to which they were sent are deleted.
 * @param owner Base58
 * @param nowMs this machine's clock
 */
export async function unansweredOf(client: NodeClient, owner: string, nowMs: bigint): Promise<Unanswered[]> {
	const { settings } = client;
	const directory = directoryOf(settings);
	if (directory === undefined) return [];
	const kept: { readonly path: string; readonly txID: string; readonly record: JsonRecord }[] = [];
	for (const name of (await namesIn(directory)).slice(0, MAX_KEPT_FILES)) {
		const path = join(directory, name);
		const record = await recordAt(path);
		if (!record || expirationOf(record) + LONGEST_LIFE_MS < nowMs)
			await unlink(path).catch(ifMissing(undefined));
		else if (record["owner"] === owner && !reportersOf(record).includes(settings.http))
			kept.push({ path, txID: name.slice(0, 64), record });
	}
	const isIts = ({ node }: JsonRecord): boolean => node === settings.http;
	// Those of other chains, of which this node can't tell, must not crowd out its own.
	kept.sort(
		(a, b) =>
			Number(isIts(b.record)) - Number(isIts(a.record)) ||
			Number(expirationOf(b.record) - expirationOf(a.record)),
	);
	const found: Unanswered[] = [];
	let head: BlockReference | undefined;
	for (const { path, txID, record } of kept.slice(0, MAX_ASKED)) {
		const followed = followedOf(record, txID);
		if (!isIts(record)) {
			head ??= await fetchHead(client).catch(onRefusal(undefined));
			if (!head || !(await refersHere(client, followed, head.number))) continue;
		}
		// If the node can't tell, the status stays unknown; that must not prevent sending.
		const unknown = { state: "submitted" } as const;
		const { state } = await statusOf(client, followed).catch(onRefusal(unknown));
		if (state !== "expired" || !isIts(record))
			found.push({ txID, summary: String(record["summary"]), state });
		if (state === "submitted") continue;
		if (isIts(record)) await unlink(path).catch(ifMissing(undefined));
		else if (state !== "included") await noteReport(path, settings.http ?? "");
	}
	return found;
}

const expirationOf = ({ expiration }: JsonRecord): bigint =>
	/^\d{1,19}$/.test(String(expiration)) ? BigInt(String(expiration)) : 0n;

const reportersOf = ({ reportedBy }: JsonRecord): readonly unknown[] =>
	Array.isArray(reportedBy) ? reportedBy : [];

/**
 * Has a node report a final status only once. It isn't the one to which the transaction was sent, and may lie, so that the file stays for
 * that one; a failure to write must not prevent sending.
 */
async function noteReport(path: string, node: string): Promise<void> {
	const record = await recordAt(path);
	if (!record) return;
	const reportedBy = [...reportersOf(record), node].slice(-MAX_REPORTERS);
	await writePrivateFile(path, `${writeJson({ ...record, reportedBy })}\n`, true).catch(() => undefined);
}

/**
 * Whether a transaction refers to a block of this node's chain: of the same chain by another address, or by another node, since whoever
 * repeats a payment may do so there. A node without that block can't have the transaction.
 */
async function refersHere(
	client: NodeClient,
	followed: Uint8Array | SignedTransaction,
	head: bigint,
): Promise<boolean> {
	const { raw } = followed instanceof Uint8Array ? {} : followed;
	if (raw?.ref_block_bytes.length !== 2) return false;
	const number = referredNumber(head, raw);
	const block =
		number < 0n ? undefined : await fetchBlockByNumber(client, number).catch(onRefusal(undefined));
	return block !== undefined && equalBytes(block.id.subarray(8, 16), raw.ref_block_hash);
}

/** The kept transaction; only its id if an earlier release kept no more, or the file is damaged. */
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

/** Reads a kept file; undefined if it no longer exists or can't be read. */
async function recordAt(path: string): Promise<JsonRecord | undefined> {
	try {
		const json = readJson(await readFile(path, "utf8"));
		return isRecord(json) ? json : undefined;
	} catch (error) {
		if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return undefined;
		throw error;
	}
}

/** Whether a broadcast got no response. A refusal is a response, which the user has seen, although the node has the bytes. */
export function isUnanswered(error: unknown): error is Failure {
	return error instanceof Failure && error.facts.sent === "unknown" && error.facts.node === undefined;
}
