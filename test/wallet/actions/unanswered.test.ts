import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { blockId } from "../../../src/protocol/block.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { BlockHeaderRaw, TransferContract } from "../../../src/protocol/messages.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";
import { keepUnanswered, unansweredOf } from "../../../src/wallet/actions/unanswered.js";
import type { Settings } from "../../../src/wallet/configuration/settings.js";
import { Failure } from "../../../src/wallet/failure.js";
import type { JsonRecord } from "../../../src/wallet/json.js";
import { contractOf } from "../../../src/wallet/transaction/contract.js";
import {
	ownerText,
	readEnvelope,
	type TransactionEnvelope,
} from "../../../src/wallet/transaction/envelope.js";
import { answering } from "../answering-client.js";

const OWNER = new Uint8Array(21).fill(0x41);
/** Expires long after any of the blocks. */
const EXPIRATION = 1_000_000_000n;

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "coin-unanswered-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const place = (http: string): Settings =>
	({ http, solidity: http, contactsFile: join(folder, "contacts") }) as Settings;

/** Chains differ by the times of their blocks. */
const header = (number: bigint, shiftMs: bigint): BlockHeaderRaw =>
	BlockHeaderRaw.create({ number, timestamp: number * 3_000n + shiftMs });

const blockJson = (number: bigint, shiftMs: bigint): JsonRecord => ({
	block_header: { raw_data: { number, timestamp: number * 3_000n + shiftMs } },
});

/** A transaction that refers to block 70,000 of the chain without a shift. */
function payment(refBlockBytes?: Uint8Array, timestampMs = 1n): TransactionEnvelope {
	const id = blockId(70_000n, sha256(BlockHeaderRaw.encode(header(70_000n, 0n))));
	const { type, parameter } = contractOf(TransferContract, {
		owner_address: OWNER,
		to_address: new Uint8Array(21).fill(0x41).fill(7, 1),
		amount: 1n,
	});
	const transaction = buildTransaction(type, parameter, {
		refBlockBytes: refBlockBytes ?? id.slice(6, 8),
		refBlockHash: id.slice(8, 16),
		expirationMs: EXPIRATION,
		timestampMs,
	});
	return readEnvelope(toHex(transaction.bytes));
}

/** The states of what is kept, as a node tells that has the chain up to a block and none of the transactions. */
async function statesAt(
	http: string,
	head: bigint,
	shiftMs = 0n,
	others: Parameters<typeof answering>[0] = {},
): Promise<string[]> {
	const { client } = answering(
		{
			getnowblock: blockJson(head, shiftMs),
			getblockbynum: ({ num }) => ((num as bigint) <= head ? blockJson(num as bigint, shiftMs) : {}),
			gettransactioninfobyid: {},
			gettransactionbyid: {},
			gettransactionfrompending: {},
			...others,
		},
		place(http) as unknown as Readonly<Record<string, unknown>>,
	);
	const found = await unansweredOf(client, ownerText(OWNER), 0n);
	return found.map(({ txID, state }) => `${txID} ${state}`);
}

describe("a transaction whose answer was lost", () => {
	it("is found at every node of its chain, by whatever address, and at none of another chain", async () => {
		const envelope = payment();
		await keepUnanswered(place("http://127.0.0.1:8090"), envelope);
		const found = [`${toHex(envelope.transaction.id)} submitted`];
		expect(await statesAt("http://127.0.0.1:8090", 70_010n)).toEqual(found);
		expect(await statesAt("http://localhost:8090", 70_010n)).toEqual(found);
		expect(await statesAt("https://node.example", 70_000n)).toEqual(found);
		// One that is behind can't have it, nor one whose block of that number is another.
		expect(await statesAt("https://node.example", 69_999n)).toEqual([]);
		expect(await statesAt("https://node.example", 100n)).toEqual([]);
		expect(await statesAt("https://other.example", 70_010n, 1n)).toEqual([]);
	});

	it("is told of once by what another node says came of it, and its own node tells again", async () => {
		const envelope = payment();
		await keepUnanswered(place("http://own"), envelope);
		const { idHex } = envelope.transaction;
		const failed = { id: idHex, blockNumber: 70_005n, result: "FAILED" };
		const forged = { gettransactioninfobyid: failed };
		expect(await statesAt("http://other", 70_010n, 0n, forged)).toEqual([`${idHex} failed`]);
		expect(await statesAt("http://other", 70_010n, 0n, forged)).toEqual([]);
		expect(await statesAt("http://own", 70_010n)).toEqual([`${idHex} submitted`]);
		expect(await statesAt("http://own", 70_010n, 0n, forged)).toEqual([`${idHex} failed`]);
		expect(await statesAt("http://own", 70_010n)).toEqual([]);
	});

	it("is asked about in turn where there are many, first those that aren't reported yet", async () => {
		for (let at = 1n; at <= 52n; at++) await keepUnanswered(place("http://own"), payment(undefined, at));
		const forged = { gettransactioninfobyid: { blockNumber: 70_005n, result: "FAILED" } };
		const reports = [];
		for (let times = 0; times < 3; times++)
			reports.push((await statesAt("http://other", 70_010n, 0n, forged)).length);
		expect(reports).toEqual([50, 2, 0]);
		expect(await statesAt("http://own", 70_010n)).toHaveLength(50);
	});

	it("isn't crowded out by those of other chains", async () => {
		for (let at = 1n; at <= 50n; at++)
			await keepUnanswered(place("http://test"), payment(new Uint8Array([7, 7]), at));
		await keepUnanswered(place("http://own"), payment());
		expect(await statesAt("http://own", 70_010n)).toEqual([`${payment().transaction.idHex} submitted`]);
	});

	it("keeps nobody from sending where another node can't be asked, or it refers to no block", async () => {
		await keepUnanswered(place("http://own"), payment());
		const broken = { getnowblock: new Failure("rpc_error", "no head") };
		expect(await statesAt("http://other", 70_010n, 0n, broken)).toEqual([]);
		await keepUnanswered(place("http://own"), payment(new Uint8Array(0)));
		expect(await statesAt("http://other", 70_010n)).toHaveLength(1);
		expect(await statesAt("http://own", 70_010n)).toHaveLength(2);
	});

	it("is found at its own node alone where no transaction was kept", async () => {
		const envelope = payment();
		await keepUnanswered(place("http://own"), envelope);
		const { idHex } = envelope.transaction;
		const path = join(folder, "unanswered", `${idHex}.json`);
		writeFileSync(path, readFileSync(path, "utf8").replace(/"transaction":"[0-9a-f]*"/, '"transaction":""'));
		expect(await statesAt("http://other", 70_010n)).toEqual([]);
		expect(await statesAt("http://own", 70_010n)).toEqual([`${idHex} submitted`]);
	});
});
