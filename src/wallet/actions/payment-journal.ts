/**
 * Records what was sent of a list of payments in a file beside it, so that no line is paid twice (protocol/wallet-formats §7): one
 * line of JSON before each transaction is handed to a node or printed for others to send, another after the node's response. Each line
 * ends with a checksum over itself and all lines before it: a changed, removed or inserted line could let a payment be made twice.
 */

import { open, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createPrivateDirectory, writePrivateFile } from "../../keystore/private-file.js";
import { fromHex, toHex, utf8 } from "../../protocol/bytes.js";
import type { Message, MessageType } from "../../protocol/codec/descriptor.js";
import { sha256 } from "../../protocol/hash.js";
import { Transaction, type TriggerSmartContract } from "../../protocol/messages.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import { withFileLock } from "../configuration/file-lock.js";
import type { Settings } from "../configuration/settings.js";
import { Failure, onRefusal } from "../failure.js";
import { isRecord, type JsonRecord, readJson, writeJson } from "../json.js";
import { broadcast } from "../node/broadcast.js";
import type { NodeClient } from "../node/node-client.js";
import { statusOf } from "../node/wait.js";
import type { Contract } from "../transaction/contract.js";
import type { TransactionEnvelope } from "../transaction/envelope.js";

/** A transaction that was handed to a node or printed for others, or was about to be. */
export interface Attempt {
	/** Line number in the list at that time, from 1. */
	readonly line: number;
	/** The payment's key from {@link paymentKeys}. */
	readonly payment: string;
	readonly txID: string;
	readonly expirationMs: bigint;
	/** The signed bytes: sending them once more can't pay twice. */
	readonly bytes: Uint8Array;
	/** Whether it was printed, signed or not: others may add signatures and send it. */
	readonly isPrinted: boolean;
	/** Whether its amount was given as `max`. */
	readonly isMax: boolean;
	/** What it does, for people. */
	readonly summary: string;
	/** Its last recorded state; `begun`: no response was recorded. */
	readonly state: "begun" | "sent" | "refused";
}

/**
 * Outcome of an attempt. `paid`: it is in a block or in the node's mempool, and the node's view of the account reflects it;
 * `resent`: the same, after the node accepted it again; `waiting`: it may still be included in a block, and counts as paid.
 */
export type PaymentOutcome = "paid" | "resent" | "waiting" | "unpaid";

/** Larger than the journal of any list of payments can be. */
const MAX_JOURNAL_BYTES = 256 << 20;
/** The most journals read from the same directory, and likewise from elsewhere; then the bytes of them all: some 80,000 payments. */
const MAX_OTHERS = 100;
const MAX_OTHERS_BYTES = 64 << 20;

/** The journal of one list. Attempts on other chains are ignored; if the chain is unknown because no node is asked, all attempts count. */
export class PaymentJournal {
	/** Checksum of the last line. */
	private sum = "";
	/** The payment of each transaction that was read: a record of an outcome names only the transaction. */
	private readonly payments = new Map<string, string>();

	private constructor(
		readonly path: string,
		private readonly chain: string,
		/** The last attempt of each payment of this chain. */
		readonly attempts: Map<string, Attempt>,
	) {}

	/**
	 * Reads the journal; starts an empty one if there is no file yet.
	 * @param chain id of the genesis block; undefined if no node is asked
	 * @throws {Failure} `bad_value` for a damaged journal
	 */
	static async open(path: string, chain: Uint8Array | undefined): Promise<PaymentJournal> {
		const journal = new PaymentJournal(path, chain ? toHex(chain) : "", new Map());
		const text = await textOf(path);
		if (text === undefined) return journal;
		const lines = text.split("\n");
		// The last line may be incomplete after a crash: the transaction it announces was never handed to a node.
		const whole = lines.slice(0, -1);
		if (whole.length === 0) throw damaged(path, "it is empty");
		for (const [index, line] of whole.entries()) {
			const [, body = "", sum] = /^(.*),"sum":"([0-9a-f]{16})"\}$/.exec(line) ?? [];
			journal.sum = checksumOf(journal.sum, body);
			const record = sum === journal.sum ? recordOf(line) : undefined;
			if (!record) throw damaged(path, `line ${index + 1} isn't as it was written`);
			journal.read(record, index + 1);
		}
		return journal;
	}

	private read(record: JsonRecord, number: number): void {
		const { chain, txID, state } = record;
		if (chain !== this.chain && chain !== "" && this.chain !== "") return;
		if (state === "begun") {
			const attempt = attemptOf(record);
			if (!attempt) throw damaged(this.path, `line ${number} can't be read`);
			this.attempts.set(attempt.payment, attempt);
			this.payments.set(attempt.txID, attempt.payment);
			return;
		}
		const payment = this.payments.get(String(txID)) ?? "";
		const attempt = this.attempts.get(payment);
		if (attempt && attempt.txID === txID && (state === "sent" || state === "refused"))
			this.attempts.set(payment, { ...attempt, state });
	}

	/**
	 * Journals of other lists in the same directory and elsewhere. Unreadable ones are skipped, since others may write there too.
	 * @param kept the result of {@link keptJournals}
	 */
	async others(kept: readonly string[] = []): Promise<PaymentJournal[]> {
		const directory = dirname(this.path);
		const names = await readdir(directory).catch(() => []);
		const paths = names.filter((name) => name.endsWith(".journal")).map((name) => join(directory, name));
		const beside = paths.filter((other) => other !== this.path).slice(0, MAX_OTHERS);
		const elsewhere = kept.filter((other) => other !== this.path).slice(-MAX_OTHERS);
		const found: PaymentJournal[] = [];
		let left = MAX_OTHERS_BYTES;
		for (const path of new Set([...beside, ...elsewhere.reverse()])) {
			const place = await stat(path).catch(() => undefined);
			if (!place?.isFile() || place.size > left) continue;
			left -= place.size;
			const other = await PaymentJournal.open(
				path,
				this.chain === "" ? undefined : fromHex(this.chain),
			).catch(onRefusal(undefined));
			if (other) found.push(other);
		}
		return found;
	}

	/** Checks that the file can be written, before anything is signed. @throws {Failure} `bad_value` */
	async prepare(): Promise<void> {
		if (this.sum === "") await this.append({ journal: "payments", version: 1 });
		else await this.append(undefined);
	}

	/** Records an attempt, before its transaction is handed to a node or printed. */
	async begin(
		line: number,
		payment: string,
		{ transaction }: TransactionEnvelope,
		summary: string,
		{ isPrinted = false, isMax = false } = {},
	): Promise<void> {
		const attempt: Attempt = {
			line,
			payment,
			txID: transaction.idHex,
			expirationMs: transaction.raw?.expiration ?? 0n,
			bytes: transaction.bytes,
			isPrinted,
			isMax,
			summary,
			state: "begun",
		};
		await this.append({
			chain: this.chain,
			state: attempt.state,
			line,
			payment,
			txID: attempt.txID,
			summary,
			expiration: attempt.expirationMs,
			transaction: toHex(attempt.bytes),
			...(isPrinted ? { printed: true } : {}),
			...(isMax ? { max: true } : {}),
		});
		this.attempts.set(payment, attempt);
	}

	/** Records the node's response to an attempt. */
	async conclude(payment: string, state: "sent" | "refused"): Promise<void> {
		const attempt = this.attempts.get(payment);
		if (!attempt) return;
		await this.append({ chain: this.chain, state, txID: attempt.txID });
		this.attempts.set(payment, { ...attempt, state });
	}

	/** Appends a record, and syncs it to disk before it returns. An incomplete line of an interrupted run is terminated first. */
	private async append(record: JsonRecord | undefined): Promise<void> {
		const body = record ? writeJson(record).slice(0, -1) : "";
		const sum = record ? checksumOf(this.sum, body) : this.sum;
		const text = record
			? `${body},"sum":"${sum}"}
`
			: "";
		try {
			const file = await open(this.path, "a+", 0o600);
			try {
				const { size } = await file.stat();
				const last = Buffer.alloc(1);
				if (size > 0) await file.read(last, 0, 1, size - 1);
				if (size > 0 && last.toString() !== "\n")
					await file.truncate(((await textOf(this.path)) ?? "").lastIndexOf("\n") + 1);
				await file.appendFile(text);
				await file.sync();
				this.sum = sum;
			} finally {
				await file.close();
			}
		} catch (error) {
			if (error instanceof Failure) throw error;
			const { code } = error as NodeJS.ErrnoException;
			throw new Failure(
				"bad_value",
				`the journal ${this.path} can't be written (${code ?? "unknown error"})`,
				{
					hint: "without it nothing would keep a line from being paid twice",
				},
			);
		}
	}

	/**
	 * Whether a payment was made, or may still be. A transaction that a node may have, but no block contains yet, is broadcast again
	 * with the same bytes; one that was printed isn't, since its signatures may be elsewhere.
	 * @param isSent whether to broadcast it again, because it is still in a list that is being sent
	 * @param nowMs this machine's clock
	 * @throws {Failure} of the broadcast if the transaction may still be included in a block
	 */
	async outcome(
		client: NodeClient,
		attempt: Attempt,
		isSent: boolean,
		nowMs: number,
	): Promise<PaymentOutcome> {
		if (attempt.state === "refused") return "unpaid";
		const transaction = signedOf(attempt);
		const askState = async () => (await statusOf(client, transaction)).state;
		const state = await askState();
		// A node that lies about the time or about a failure must not cause a second payment while the first may still be included.
		const isOver = BigInt(nowMs) > attempt.expirationMs;
		if (state === "expired" && isOver) return "unpaid";
		if (state === "failed" && canFail(transaction)) return isOver ? "unpaid" : "waiting";
		if (state !== "submitted" && state !== "expired") return "paid";
		if (isSent && !attempt.isPrinted) {
			const isTaken = await broadcast(client, transaction).then(() => true, onRefusal(false, "duplicate"));
			await this.conclude(attempt.payment, "sent");
			if (isTaken) return "resent";
		}
		if (await isPending(client, transaction)) return "paid";
		// It may have moved from the mempool into a block before the query.
		return /^(included|solid)$/.test(await askState()) ? "paid" : "waiting";
	}
}

type Place = Pick<Settings, "contactsFile">;

function keptFile({ contactsFile }: Place): string | undefined {
	// Programs that pass their node as an option keep no files.
	return contactsFile ? join(dirname(contactsFile), "journals.json") : undefined;
}

/** Paths of the journals that this user has begun, newest last; empty if the list can't be read. */
export async function keptJournals(settings: Place): Promise<string[]> {
	const file = keptFile(settings);
	const text = file && (await readFile(file, "utf8").catch(() => undefined));
	try {
		const json = readJson(text || "[]");
		return Array.isArray(json) ? json.filter((path) => typeof path === "string") : [];
	} catch (error) {
		if (error instanceof SyntaxError) return [];
		throw error;
	}
}

/** Remembers where a journal is, so that its list is recognized in another directory. @param note as in {@link withFileLock} */
export async function keepJournal(
	settings: Place,
	path: string,
	note: (text: string) => void,
): Promise<void> {
	const file = keptFile(settings);
	if (file === undefined) return;
	await createPrivateDirectory(dirname(file));
	await withFileLock(file, note, async () => {
		const others = (await keptJournals(settings)).filter((other) => other !== path);
		await writePrivateFile(file, `${writeJson([...others.slice(1 - MAX_OTHERS), path])}\n`, true);
	});
}

/** Whether the node has it in its mempool; false if the node doesn't serve that query. */
async function isPending(client: NodeClient, { idHex }: SignedTransaction): Promise<boolean> {
	const asked = client.call("gettransactionfrompending", { value: idHex });
	return Object.keys(await asked.catch(onRefusal({}, "not_served"))).length > 0;
}

/** Whether a payment can be in a block and fail: only contract calls can, whatever a node claims about others. */
function canFail({ type }: SignedTransaction): boolean {
	return type?.name === "TriggerSmartContract";
}

export function signedOf({ bytes }: Attempt): SignedTransaction {
	return new SignedTransaction(Transaction.decode(bytes));
}

/**
 * Keys that identify payments: a digest of what the transaction does, and its ordinal among equal payments of the list.
 * @param payments the payments of the list, in order
 */
export function paymentKeys(
	payments: readonly (Contract & { readonly memo?: Uint8Array | undefined })[],
): string[] {
	const counts = new Map<string, number>();
	return payments.map(({ type, parameter, memo = new Uint8Array(0) }) => {
		const value = (type.message as MessageType<Message>).encode(parameter);
		const digest = toHex(sha256(Buffer.concat([Buffer.from(`${type.name}\n${memo.length}\n`), memo, value])));
		const count = (counts.get(digest) ?? 0) + 1;
		counts.set(digest, count);
		return `${digest}#${count}`;
	});
}

/** Bytes before the amount in a token's call data: the selector and the recipient. */
const BEFORE_AMOUNT = 36;

/** A key that is the same for all amounts and never equals a payment's key: a `max` line was paid even if `max` is another amount now. */
export function keyOfAnyAmount({ parameter, ...rest }: Parameters<typeof paymentKeys>[0][number]): string {
	const { data } = parameter as Partial<TriggerSmartContract>;
	const call = data ? { data: data.subarray(0, BEFORE_AMOUNT) } : {};
	const open = { ...parameter, amount: 0n, ...call };
	return paymentKeys([{ ...rest, parameter: open }])[0] as string;
}

/** The {@link keyOfAnyAmount} of a `max` line in the journal; the ordinary key of any other attempt. */
export function attemptOfAnyAmount(attempt: Attempt): string {
	if (!attempt.isMax) return attempt.payment;
	const { type, parameter, raw } = signedOf(attempt);
	return type ? keyOfAnyAmount({ type, parameter, memo: raw?.data }) : attempt.payment;
}

/** Whether a key of {@link paymentKeys} is that of a second equal payment. */
export function isRepeated(key: string): boolean {
	return !key.endsWith("#1");
}

function damaged(path: string, how: string): Failure {
	return new Failure("bad_value", `the journal ${path} is damaged: ${how}`, {
		sent: false,
		hint: "see by coin account history what was paid; without the journal all lines are paid once more",
	});
}

/** Checksum of a line, 16 hexadecimal digits. @param before checksum of the line before @param body the line up to its own checksum */
function checksumOf(before: string, body: string): string {
	return toHex(
		sha256(
			utf8(`${before}
${body}`),
		),
	).slice(0, 16);
}

/** The file's text; undefined if there is no file. */
async function textOf(path: string): Promise<string | undefined> {
	try {
		const { size } = await stat(path);
		if (size > MAX_JOURNAL_BYTES) throw new Failure("bad_value", `${path} is too long for a journal`);
		return await readFile(path, "utf8");
	} catch (error) {
		if (error instanceof Failure) throw error;
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return undefined;
		throw new Failure("bad_value", `the journal ${path} can't be read (${code ?? "unknown error"})`, {
			sent: false,
		});
	}
}

function recordOf(line: string): JsonRecord | undefined {
	try {
		const json = readJson(line);
		return isRecord(json) ? json : undefined;
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

function attemptOf(record: JsonRecord): Attempt | undefined {
	const { line, payment, txID, expiration, transaction, summary, printed, max } = record;
	if (typeof payment !== "string" || typeof txID !== "string" || typeof transaction !== "string")
		return undefined;
	if (!/^\d{1,19}$/.test(String(expiration)) || !/^([0-9a-f]{2})+$/.test(transaction)) return undefined;
	return {
		line: Number(line),
		payment,
		txID,
		expirationMs: BigInt(String(expiration)),
		bytes: fromHex(transaction),
		isPrinted: printed === true,
		isMax: max === true,
		summary: String(summary),
		state: "begun",
	};
}
