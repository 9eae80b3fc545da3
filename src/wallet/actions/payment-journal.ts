/**
 * What was sent of a list of payments, in a file beside it, so that no line is paid twice (protocol/wallet-formats §7): a
 * line of JSON before each transaction is handed to a node, or printed for others to send, and another one after the node's answer. Each line ends with a
 * checksum of itself and of all before it: a line that was changed, taken out or put in would let a payment be made twice.
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
	/** Line of the list, from 1, as it was then. */
	readonly line: number;
	/** What {@link paymentKeys} gave. */
	readonly payment: string;
	readonly txID: string;
	readonly expirationMs: bigint;
	/** The signed bytes: sending them once more can't pay twice. */
	readonly bytes: Uint8Array;
	/** It was printed, signed or not: others may send it, whatever signatures it has by then. */
	readonly isPrinted: boolean;
	/** Its amount was `max`, whatever that came to. */
	readonly isMax: boolean;
	/** What it does, for people. */
	readonly summary: string;
	/** The last word on it; `begun`: no answer was written down. */
	readonly state: "begun" | "sent" | "refused";
}

/**
 * What became of one. `paid`: it is in a block, or the node has it in its pool, and what it takes is off the account as the node shows that;
 * `resent`: so it is since the node took it again; `waiting`: it may still enter a block, and is as good as paid.
 */
export type PaymentOutcome = "paid" | "resent" | "waiting" | "unpaid";

/** More than a list of payments can make of it. */
const MAX_JOURNAL_BYTES = 256 << 20;
/** Journals beside it that are looked at, those elsewhere, and the bytes of all: some eighty thousand payments. */
const MAX_OTHERS = 100;
const MAX_OTHERS_BYTES = 64 << 20;

/** What was sent on other chains doesn't count; without a network to ask, whatever the chain may be counts. */
export class PaymentJournal {
	/** Checksum of the last line. */
	private sum = "";

	private constructor(
		readonly path: string,
		private readonly chain: string,
		/** The last attempt of each payment of this chain. */
		readonly attempts: Map<string, Attempt>,
	) {}

	/**
	 * Reads the journal; an empty one if there is no file yet.
	 * @param chain id of the genesis block; undefined where nobody tells it
	 * @throws {Failure} `bad_value` for a damaged one
	 */
	static async open(path: string, chain: Uint8Array | undefined): Promise<PaymentJournal> {
		const journal = new PaymentJournal(path, chain ? toHex(chain) : "", new Map());
		const text = await textOf(path);
		if (text === undefined) return journal;
		const lines = text.split("\n");
		// The last line may be torn: what it would have begun was never handed to a node.
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
			return;
		}
		for (const [key, attempt] of this.attempts) {
			if (attempt.txID === txID && (state === "sent" || state === "refused"))
				this.attempts.set(key, { ...attempt, state });
		}
	}

	/**
	 * Journals of other lists in the same directory, and those elsewhere, as far as they can be read: others may write there, too.
	 * @param kept of {@link keptJournals}
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

	/** Makes sure that the file can be written, before anything is signed. @throws {Failure} `bad_value` */
	async prepare(): Promise<void> {
		if (this.sum === "") await this.append({ journal: "payments", version: 1 });
		else await this.append(undefined);
	}

	/** Written before the transaction is handed to a node, or printed. */
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

	/** What the node said of it. */
	async conclude(payment: string, state: "sent" | "refused"): Promise<void> {
		const attempt = this.attempts.get(payment);
		if (!attempt) return;
		await this.append({ chain: this.chain, state, txID: attempt.txID });
		this.attempts.set(payment, { ...attempt, state });
	}

	/** On the disk when it returns. A torn line of an interrupted run is ended first. */
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
	 * Whether a payment was made, or may still be. What a node may have, but no block holds yet, is handed over once more:
	 * the same bytes; what was printed isn't, since its signatures may be elsewhere.
	 * @param isSent whether it is handed over again: it's still in a list that is sent
	 * @param nowMs by the clock of this machine
	 * @throws {Failure} of the broadcast where the transaction may still enter a block
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
		// A node that tells a wrong time, or a failure that wasn't, must not have it paid a second time while the first may still be included.
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
		// It may have left the pool for a block before it was asked for.
		return /^(included|solid)$/.test(await askState()) ? "paid" : "waiting";
	}
}

type Place = Pick<Settings, "contactsFile">;

function keptFile({ contactsFile }: Place): string | undefined {
	// Programs that name their node have no files.
	return contactsFile ? join(dirname(contactsFile), "journals.json") : undefined;
}

/** Paths of journals that were begun by this user, the newest last; none where nothing can be read. */
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

/** Keeps where a journal is, so that the same list is known in another directory. @param note as of {@link withFileLock} */
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

/** Whether it is seen to wait for a block; a node may not tell. */
async function isPending(client: NodeClient, { idHex }: SignedTransaction): Promise<boolean> {
	const asked = client.call("gettransactionfrompending", { value: idHex });
	return Object.keys(await asked.catch(onRefusal({}, "not_served"))).length > 0;
}

/** Whether a payment may be in a block without effect: only what calls a contract may. A node may say so of others. */
function canFail({ type }: SignedTransaction): boolean {
	return type?.name === "TriggerSmartContract";
}

export function signedOf({ bytes }: Attempt): SignedTransaction {
	return new SignedTransaction(Transaction.decode(bytes));
}

/**
 * What tells payments apart: what the transactions do, and the how-manieth of its kind each one is.
 * @param payments of the list, in order
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

/** Bytes of a token's call before its amount: the function and the recipient. */
const BEFORE_AMOUNT = 36;

/** The same for all amounts, and the key of no payment: a line `max` is what was paid by it, whatever it comes to now. */
export function keyOfAnyAmount({ parameter, ...rest }: Parameters<typeof paymentKeys>[0][number]): string {
	const { data } = parameter as Partial<TriggerSmartContract>;
	const call = data ? { data: data.subarray(0, BEFORE_AMOUNT) } : {};
	const open = { ...parameter, amount: 0n, ...call };
	return paymentKeys([{ ...rest, parameter: open }])[0] as string;
}

/** {@link keyOfAnyAmount} of a line `max` that the journal has; the key of any other one. */
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

/** 16 hexadecimal digits. @param body of the line, before its own checksum */
function checksumOf(before: string, body: string): string {
	return toHex(
		sha256(
			utf8(`${before}
${body}`),
		),
	).slice(0, 16);
}

/** Undefined: there is no file. */
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
