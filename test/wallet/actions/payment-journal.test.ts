import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { blockId, refBlockOf } from "../../../src/protocol/block.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { type ContractType, contractTypeByName } from "../../../src/protocol/contract-types.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { BlockHeaderRaw, TransferContract, TriggerSmartContract } from "../../../src/protocol/messages.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";
import {
	type Attempt,
	attemptOfAnyAmount,
	keepJournal,
	keptJournals,
	keyOfAnyAmount,
	paymentKeys as keysOf,
	PaymentJournal,
} from "../../../src/wallet/actions/payment-journal.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { transferData } from "../../../src/wallet/token/orc20.js";
import { contractOf } from "../../../src/wallet/transaction/contract.js";
import { envelopeOf, type TransactionEnvelope } from "../../../src/wallet/transaction/envelope.js";
import { answering } from "../answering-client.js";

const [CHAIN, OTHER] = ["aa", "bb"].map((byte) => fromHex(byte.repeat(32))) as [Uint8Array, Uint8Array];
const [ANN, BOB] = ["11", "22"].map((byte) => fromHex(`41${byte.repeat(20)}`)) as [Uint8Array, Uint8Array];

const NO_BLOCK = { refBlockBytes: new Uint8Array(2), refBlockHash: new Uint8Array(8) };

const payment = (amount: bigint, reference: ReturnType<typeof refBlockOf> = NO_BLOCK): TransactionEnvelope =>
	envelopeOf(
		buildTransaction(
			contractTypeByName("TransferContract") as ContractType,
			TransferContract.create({ owner_address: ANN, to_address: BOB, amount }),
			{
				...reference,
				expirationMs: 5_000n,
				timestampMs: 1n,
			},
		),
	);

const paymentKeys = (envelopes: readonly TransactionEnvelope[]): string[] =>
	keysOf(envelopes.map(({ type, transaction }) => ({ type, parameter: transaction.parameter })));

let folder = "";
let path = "";
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "journal-"));
	path = join(folder, "pay.csv.journal");
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a journal keeps what was begun and what the node said, for one chain", async () => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const [one, two] = [payment(1n), payment(2n)];
	const [first, second] = paymentKeys([one, two]) as [string, string];
	await journal.begin(2, first, one, "1sun");
	await journal.conclude(first, "refused");
	await journal.begin(3, second, two, "2sun");
	const read = await PaymentJournal.open(path, CHAIN);
	expect([...read.attempts.values()]).toMatchObject([
		{ line: 2, state: "refused", txID: one.transaction.idHex },
		{ line: 3, state: "begun", txID: two.transaction.idHex, summary: "2sun", expirationMs: 5_000n },
	]);
	expect((await PaymentJournal.open(path, OTHER)).attempts.size).toBe(0);
	expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("an outcome is that of its transaction, whose attempt is found without walking all of them", async () => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const [first, again, other] = [payment(1n), payment(1n, refBlockOf(blockId(5n, CHAIN))), payment(2n)];
	const [key, otherKey] = paymentKeys([first, other]) as [string, string];
	await journal.begin(2, key, first, "1sun");
	await journal.conclude(key, "refused");
	await journal.begin(2, key, again, "1sun");
	await journal.begin(3, otherKey, other, "2sun");
	await journal.conclude(otherKey, "sent");
	const walks = vi.spyOn(Map.prototype, Symbol.iterator);
	const read = await PaymentJournal.open(path, CHAIN);
	const { contexts } = walks.mock;
	walks.mockRestore();
	expect(contexts.some((map) => (map as unknown) === read.attempts)).toBe(false);
	expect([...read.attempts.values()]).toMatchObject([
		{ txID: again.transaction.idHex, state: "begun" },
		{ txID: other.transaction.idHex, state: "sent" },
	]);
});

test("a line that was torn by the end of the process is no attempt, and the next one starts a line of its own", async () => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const envelope = payment(1n);
	const [key] = paymentKeys([envelope]) as [string];
	await journal.begin(2, key, envelope, "1sun");
	appendFileSync(path, '{"chain":"aa');
	const again = await PaymentJournal.open(path, CHAIN);
	expect(again.attempts.size).toBe(1);
	await again.conclude(key, "sent");
	expect([...(await PaymentJournal.open(path, CHAIN)).attempts.values()]).toMatchObject([{ state: "sent" }]);
	expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(2);
});

test.each<[string, (lines: string[]) => string[]]>([
	["a word of a line is changed", ([one = "", ...rest]) => [one.replace("begun", "bxgun"), ...rest]],
	[
		"the chain of a line is changed",
		([one = "", ...rest]) => [one.replace('"chain":"', '"chain":"0'), ...rest],
	],
	["a line is taken out", ([, ...rest]) => rest],
	["two lines change places", ([one = "", two = "", ...rest]) => [two, one, ...rest]],
	["all lines are taken out", () => []],
])("a journal of which %s is refused: its payments could be made twice", async (_how, change) => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const [one, two] = [payment(1n), payment(2n)];
	const [first, second] = paymentKeys([one, two]) as [string, string];
	await journal.begin(2, first, one, "1sun");
	await journal.conclude(first, "sent");
	await journal.begin(3, second, two, "2sun");
	const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
	writeFileSync(
		path,
		change(lines)
			.map((line) => `${line}\n`)
			.join(""),
	);
	await expect(PaymentJournal.open(path, CHAIN)).rejects.toMatchObject({
		code: "bad_value",
		message: expect.stringContaining("is damaged"),
	});
});

test("damage before the end is refused, and so is a file that can't be written", async () => {
	appendFileSync(path, "no JSON\n{}\n");
	await expect(PaymentJournal.open(path, CHAIN)).rejects.toMatchObject({ code: "bad_value" });
	const nowhere = await PaymentJournal.open(join(folder, "none/pay.journal"), CHAIN);
	await expect(nowhere.prepare()).rejects.toMatchObject({ code: "bad_value" });
});

test("what is in no block is handed over once more with its bytes, what expired is not paid", async () => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const envelope = payment(1n);
	const [key] = paymentKeys([envelope]) as [string];
	await journal.begin(2, key, envelope, "1sun");
	const attempt = journal.attempts.get(key);
	if (!attempt) throw new Error("no attempt");
	const nodeAt = (timestamp: bigint) =>
		answering({
			gettransactioninfobyid: {},
			getnodeinfo: { solidityBlock: "Num:7,ID:x" },
			getnowblock: { block_header: { raw_data: { number: 7n, timestamp } } },
			getblockbynum: ({ num }) => ({ block_header: { raw_data: { number: num as bigint, timestamp } } }),
			broadcasthex: { code: "DUP_TRANSACTION_ERROR" },
		});
	const unwanted = nodeAt(4_000n);
	expect(await journal.outcome(unwanted.client, attempt, false, 4_000)).toBe("waiting");
	expect(unwanted.asked.map(({ endpoint }) => endpoint)).not.toContain("broadcasthex");
	const young = nodeAt(4_000n);
	expect(await journal.outcome(young.client, attempt, true, 4_000)).toBe("waiting");
	expect(young.asked.find(({ endpoint }) => endpoint === "broadcasthex")?.request).toEqual({
		transaction: Buffer.from(envelope.transaction.bytes).toString("hex"),
	});
	expect(journal.attempts.get(key)?.state).toBe("sent");
	// A time that only the node has reached pays nothing anew.
	const lying = nodeAt(6_000n);
	expect(await journal.outcome(lying.client, attempt, true, 4_000)).toBe("waiting");
	expect(lying.asked.map(({ endpoint }) => endpoint)).toContain("broadcasthex");
	const old = nodeAt(6_000n);
	expect(await journal.outcome(old.client, attempt, true, 6_000)).toBe("unpaid");
	expect(old.asked.map(({ endpoint }) => endpoint)).not.toContain("broadcasthex");
});

test("what the node has in its pool is paid: its balance of the account lacks that already", async () => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const envelope = payment(1n);
	const [key] = paymentKeys([envelope]) as [string];
	await journal.begin(2, key, envelope, "1sun");
	const attempt = journal.attempts.get(key) as Attempt;
	const outcome = (isSent: boolean, pending: JsonRecord, broadcasthex: JsonRecord) => {
		const { client } = answering({
			gettransactioninfobyid: {},
			gettransactionfrompending: ({ value }) => (value === attempt.txID ? pending : {}),
			getnodeinfo: { solidityBlock: "Num:7,ID:x" },
			getblockbynum: { block_header: { raw_data: { number: 7n, timestamp: 4_000n } } },
			broadcasthex,
		});
		return journal.outcome(client, attempt, isSent, 4_000);
	};
	const [held, duplicate] = [{ txID: attempt.txID }, { code: "DUP_TRANSACTION_ERROR" }];
	expect(await outcome(true, held, duplicate)).toBe("paid");
	// It may be in a block of a node that keeps no records, or nowhere.
	expect(await outcome(true, {}, duplicate)).toBe("waiting");
	expect(await outcome(true, {}, { result: true })).toBe("resent");
	expect(await outcome(false, held, duplicate)).toBe("paid");
	expect(await outcome(false, {}, duplicate)).toBe("waiting");
});

const receiptless = (others: Parameters<typeof answering>[0] = {}) => {
	// Blocks a second apart; the payment refers to block 1 and ends in block 5.
	const blockJson = (number: bigint): JsonRecord => ({
		block_header: { raw_data: { number, timestamp: number * 1_000n } },
	});
	return answering({
		gettransactioninfobyid: {},
		gettransactionbyid: {},
		gettransactionfrompending: {},
		getnodeinfo: { solidityBlock: "Num:9,ID:x" },
		getnowblock: blockJson(9n),
		getblockbynum: ({ num }) => blockJson(num as bigint),
		...others,
	});
};

/** A payment that refers to block 1 of {@link receiptless}. */
const late = (): TransactionEnvelope => {
	const raw = BlockHeaderRaw.encode(BlockHeaderRaw.create({ number: 1n, timestamp: 1_000n }));
	return payment(1n, refBlockOf(blockId(1n, sha256(raw))));
};

test("what a node without receipts has in a block is paid, whatever its end; what isn't known of it isn't paid anew", async () => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const envelope = late();
	const { idHex } = envelope.transaction;
	const [key] = paymentKeys([envelope]) as [string];
	await journal.begin(2, key, envelope, "1sun");
	const attempt = journal.attempts.get(key) as Attempt;
	const outcome = ({ client }: ReturnType<typeof answering>) => journal.outcome(client, attempt, true, 9_000);
	const holding = (number: bigint, txID: string): Parameters<typeof answering>[0] => ({
		getblockbynum: ({ num }) => ({
			block_header: { raw_data: { number: num as bigint, timestamp: (num as bigint) * 1_000n } },
			...(num === number ? { transactions: [{ txID }] } : {}),
		}),
	});
	expect(await outcome(receiptless())).toBe("unpaid");
	const record = { txID: idHex, ret: [{ contractRet: "SUCCESS" }], raw_data: { expiration: 5_000n } };
	expect(await outcome(receiptless({ gettransactionbyid: record }))).toBe("paid");
	// A node that keeps no transactions by their ids either.
	expect(await outcome(receiptless(holding(3n, idHex)))).toBe("paid");
	expect(await outcome(receiptless(holding(3n, "ff".repeat(32))))).toBe("unpaid");
	expect(await outcome(receiptless(holding(3n, idHex.toUpperCase())))).toBe("paid");
	// What can't be read of a block may be the payment: an id that is none, transactions that the header has and the answer hasn't.
	const withRoot = { number: 3n, timestamp: 3_000n, txTrieRoot: "11".repeat(32) };
	const holed = receiptless({
		getblockbynum: ({ num }) => ({
			block_header: {
				raw_data: num === 3n ? withRoot : { number: num as bigint, timestamp: (num as bigint) * 1_000n },
			},
		}),
	});
	for (const node of [receiptless(holding(3n, "zz")), holed])
		await expect(outcome(node)).rejects.toMatchObject({ code: "rpc_error", facts: { sent: "unknown" } });
	// The first block behind its end may hold it; the one after that can't.
	expect(await outcome(receiptless(holding(5n, idHex)))).toBe("paid");
	expect(await outcome(receiptless(holding(6n, idHex)))).toBe("unpaid");
	// One that is seen to keep records needn't be read to the end.
	const other = "ff".repeat(32);
	const keeping = receiptless({
		...holding(2n, other),
		gettransactionbyid: ({ value }) => (value === other ? { txID: other } : {}),
	});
	expect(await outcome(keeping)).toBe("unpaid");
	expect(keeping.asked.at(-1)?.endpoint).toBe("gettransactionfrompending");
	const pruned = receiptless({
		getblockbynum: ({ num }) =>
			num === 9n ? { block_header: { raw_data: { number: 9n, timestamp: 9_000n } } } : {},
	});
	await expect(outcome(pruned)).rejects.toMatchObject({
		code: "rpc_error",
		facts: { sent: "unknown", txID: idHex },
	});
});

test("what lies beside a journal and is none is passed over", async () => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const other = join(folder, "other.journal");
	const envelope = payment(1n);
	const second = await PaymentJournal.open(other, CHAIN);
	await second.begin(2, (paymentKeys([envelope]) as [string])[0], envelope, "1sun");
	mkdirSync(join(folder, "folder.journal"));
	execFileSync("mkfifo", [join(folder, "pipe.journal")]);
	writeFileSync(join(folder, "text.journal"), "hello\n");
	expect((await journal.others()).map(({ path }) => path)).toEqual([other]);
});

test("journals elsewhere are known by where they were begun, the newest hundred", async () => {
	const settings = { contactsFile: join(folder, "home", "contacts.json") };
	expect(await keptJournals(settings)).toEqual([]);
	for (const name of ["copies", "home"]) mkdirSync(join(folder, name));
	const elsewhere = join(folder, "copies", "paid");
	const envelope = payment(1n);
	const second = await PaymentJournal.open(elsewhere, CHAIN);
	await second.begin(2, (paymentKeys([envelope]) as [string])[0], envelope, "1sun");
	const gone = Array.from({ length: 100 }, (_, index) => join(folder, `gone-${index}`));
	writeFileSync(join(folder, "home", "journals.json"), JSON.stringify(gone));
	const note = vi.fn();
	for (const place of [elsewhere, path, elsewhere]) await keepJournal(settings, place, note);
	const kept = await keptJournals(settings);
	expect(kept).toEqual([...gone.slice(2), path, elsewhere]);
	const journal = await PaymentJournal.open(path, CHAIN);
	expect((await journal.others(kept)).map((other) => other.path)).toEqual([elsewhere]);
	writeFileSync(join(folder, "home", "journals.json"), "torn");
	expect(await keptJournals(settings)).toEqual([]);
});

test("a call that failed by the node's word isn't made anew while it may still be included", async () => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const call = envelopeOf(
		buildTransaction(
			contractTypeByName("TriggerSmartContract") as ContractType,
			TriggerSmartContract.create({ owner_address: ANN, data: transferData(BOB, 5n) }),
			{ ...NO_BLOCK, expirationMs: 5_000n, timestampMs: 1n },
		),
	);
	const [key] = paymentKeys([call]) as [string];
	await journal.begin(2, key, call, "5 tokens");
	const attempt = journal.attempts.get(key);
	if (!attempt) throw new Error("no attempt");
	const { client } = answering({
		gettransactioninfobyid: { id: call.transaction.idHex, blockNumber: 5n, receipt: { result: "REVERT" } },
		getnodeinfo: { solidityBlock: "Num:7,ID:x" },
	});
	expect(await journal.outcome(client, attempt, true, 5_000)).toBe("waiting");
	expect(await journal.outcome(client, attempt, true, 5_001)).toBe("unpaid");
});

test("what was printed is never handed over, and counts for any chain where none is known", async () => {
	const journal = await PaymentJournal.open(path, undefined);
	const envelope = payment(1n);
	const [key] = paymentKeys([envelope]) as [string];
	await journal.begin(2, key, envelope, "1sun", { isPrinted: true });
	const [attempt] = (await PaymentJournal.open(path, CHAIN)).attempts.values();
	if (!attempt) throw new Error("no attempt");
	const { client, asked } = answering({
		gettransactioninfobyid: {},
		getnodeinfo: { solidityBlock: "Num:7,ID:x" },
		getblockbynum: { block_header: { raw_data: { number: 7n, timestamp: 4_000n } } },
	});
	expect(await journal.outcome(client, attempt, true, 4_000)).toBe("waiting");
	expect(asked.map(({ endpoint }) => endpoint)).not.toContain("broadcasthex");
});

test("what everything of a token came to is known by its recipient, whatever there is now", async () => {
	const call = (to: Uint8Array, amount: bigint, memo?: Uint8Array): Parameters<typeof keyOfAnyAmount>[0] => ({
		...contractOf(TriggerSmartContract, {
			owner_address: ANN,
			contract_address: OTHER.subarray(0, 21),
			data: transferData(to, amount),
		}),
		memo,
	});
	const all = keyOfAnyAmount(call(BOB, 5n));
	expect(keyOfAnyAmount(call(BOB, 7n))).toBe(all);
	expect(keyOfAnyAmount(call(BOB, 7n, new Uint8Array(1)))).not.toBe(all);
	expect(keyOfAnyAmount(call(ANN, 5n))).not.toBe(all);
	expect(keysOf([call(BOB, 0n)])).not.toContain(all);
});

test("a payment of an amount is that of no line max, and one of max that of any", async () => {
	const journal = await PaymentJournal.open(path, CHAIN);
	const [fixed, most] = [payment(5n), payment(7n)];
	const [first, second] = paymentKeys([fixed, most]) as [string, string];
	await journal.begin(2, first, fixed, "5sun");
	await journal.begin(2, second, most, "7sun", { isMax: true });
	const { attempts } = await PaymentJournal.open(path, CHAIN);
	const { type, transaction } = payment(1n);
	expect([...attempts.values()].map(attemptOfAnyAmount)).toEqual([
		first,
		keyOfAnyAmount({ type, parameter: transaction.parameter }),
	]);
});

test("equal payments are told apart by their number, and others by what they do", () => {
	const keys = paymentKeys([payment(1n), payment(2n), payment(1n)]);
	expect(keys[0]?.replace("#1", "#2")).toBe(keys[2]);
	expect(new Set(keys).size).toBe(3);
});
