/** Transactions of clients: what is counted, what is written, and what waits for somebody else. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { renameEntry } from "../../../src/keystore/editing.js";
import {
	checkHasKey,
	checkSigns,
	findKey,
	type KeystoreEntry,
	watchAddress,
} from "../../../src/keystore/keystore.js";
import {
	approveAt,
	keysOfSigner,
	pendingAt,
	pendingBytes,
	type SignerPlace,
	type TransactionAnswer,
} from "../../../src/keystore/signer/client.js";
import { DecisionLog } from "../../../src/keystore/signer/decision-log.js";
import { parsePolicies } from "../../../src/keystore/signer/policies.js";
import { PolicyDesk } from "../../../src/keystore/signer/policy-desk.js";
import { LOG_NAME, Signer } from "../../../src/keystore/signer/server.js";
import { addressFromHash, toBase58Check } from "../../../src/protocol/address.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { TransactionRaw, TransferContract, VoteWitnessContract } from "../../../src/protocol/messages.js";
import { addressOfPrivateKey, recoverAddress } from "../../../src/protocol/signature.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";
import { signatureOfSigner } from "../../../src/wallet/signers/remote.js";

/** As long as a busy machine takes. */
const PATIENCE_MS = 600_000;
const KEY = new Uint8Array(32).fill(7);
const ADDRESS = addressOfPrivateKey(KEY);
const BOB = addressOfPrivateKey(new Uint8Array(32).fill(9));
const SECOND = 1_000;
const DAY = 86_400 * SECOND;

let directory: string;
let signer: Signer;
let nowMs: number;

const at = (client: string): SignerPlace => ({ at: join(directory, client) });

async function start(): Promise<void> {
	const text = `
		fees { transactionFee = 0, createNewAccountFeeInSystemContract = 0, createAccountFee = 0 }
		clients { payroll { socket = "${at("payroll").at}" }, ops { socket = "${at("ops").at}" } }
		rules = [
			{ name = small, keys = [treasury], clients = [payroll], types = [Transfer], recipients = ["*"]
			  transaction { coin = 10 }, day { coin = 15 } }
			{ name = large, keys = [treasury], clients = [payroll, ops], types = [Transfer, VoteWitness], recipients = ["*"]
			  transaction { coin = 100 }, day { coin = 150 }, approval = [ops] }
		]`;
	const keys = new Map([["treasury", toBase58Check(ADDRESS)]]);
	signer = await Signer.start({
		keys: [KEY.slice()],
		directory: join(directory, "state"),
		socketPath: at("node").at,
		desk: new PolicyDesk(parsePolicies(text, "policies.conf", keys)),
		now: () => nowMs,
	});
}

beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-signer-"));
	nowMs = Date.UTC(2026, 5, 2, 23, 0);
	await start();
});
afterEach(async () => {
	vi.restoreAllMocks();
	await signer.close().catch(() => undefined);
	rmSync(directory, { recursive: true, force: true });
});

const HEADER = {
	refBlockBytes: new Uint8Array(2),
	refBlockHash: new Uint8Array(8),
	expirationMs: BigInt(Date.UTC(2026, 5, 3, 20)),
	timestampMs: 0n,
};

/** Raw data of a payment in coins; each number of an order is another transaction. */
function payment(coins: number, order = 0): Uint8Array {
	return buildTransaction(
		contractType("TransferContract"),
		TransferContract.create({ owner_address: ADDRESS, to_address: BOB, amount: BigInt(coins) * 1_000_000n }),
		{ ...HEADER, timestampMs: BigInt(order) },
	).rawBytes;
}

async function ask(client: string, raw: Uint8Array): Promise<TransactionAnswer> {
	const [key] = await keysOfSigner(at(client), PATIENCE_MS);
	if (!key) throw new Error("no key");
	return key.signTransaction(raw);
}

const decisions = (): Record<string, string>[] =>
	readFileSync(join(directory, "state", LOG_NAME), "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line))
		.filter(({ asked }) => asked !== "policies");

test("signs what a rule allows, and writes who, what and how much", async () => {
	const raw = payment(5);
	const answer = await ask("payroll", raw);
	expect(recoverAddress(sha256(raw), (answer as { signature: Uint8Array }).signature)).toEqual(ADDRESS);
	expect(decisions()).toMatchObject([
		{
			asked: "transaction",
			key: toBase58Check(ADDRESS),
			client: "payroll",
			id: toHex(sha256(raw)),
			type: "TransferContract",
			sum: "5000000sun",
			rule: "small",
			decision: "signed",
		},
	]);
});

test("counts a day's sum once for a transaction, through restarts, and begins anew with the next day", async () => {
	await ask("payroll", payment(10));
	await ask("payroll", payment(10));
	await signer.close();
	await start();
	await ask("payroll", payment(10));
	await ask("payroll", payment(5, 1));
	expect(decisions().map(({ decision }) => decision)).toEqual([
		"signed",
		"signed again",
		"signed again",
		"signed",
	]);
	await expect(ask("payroll", payment(1, 2))).resolves.toMatchObject({ awaits: ["ops"] });
	nowMs += 2 * 3_600 * SECOND;
	await ask("payroll", payment(10));
	expect(await ask("payroll", payment(10, 3))).toHaveProperty("signature");
	expect(await ask("payroll", payment(6, 4))).toHaveProperty("waiting");
});

test("counts what was written before a kill, though nobody got the signature", async () => {
	const log = DecisionLog.prototype;
	const append = log.append;
	vi.spyOn(log, "append").mockImplementationOnce(async function (this: DecisionLog, decision) {
		await append.call(this, decision);
		throw new Error("killed");
	});
	await expect(ask("payroll", payment(10))).rejects.toThrow("the decision can't be stored: killed");
	await signer.close();
	await start();
	expect(await ask("payroll", payment(10, 1))).toHaveProperty("waiting");
	expect(await ask("payroll", payment(10))).toHaveProperty("signature");
	expect(decisions().map(({ decision }) => decision)).toEqual(["signed", "waiting", "signed again"]);
});

test("signs nothing where the line can't be written, and counts nothing then", async () => {
	vi.spyOn(DecisionLog.prototype, "append").mockRejectedValueOnce(new Error("no space left"));
	await expect(ask("payroll", payment(10))).rejects.toThrow("can't be stored: no space left");
	expect(await ask("payroll", payment(10, 1))).toHaveProperty("signature");
});

test("of requests at once signs no more than the day has", async () => {
	const answers = await Promise.all(
		Array.from({ length: 5 }, (_, order) => ask("payroll", payment(10, order))),
	);
	expect(answers.filter((answer) => "signature" in answer)).toHaveLength(1);
});

test("tells a wallet how long what waits can be signed, and an approver the first of its recipients", async () => {
	const wallets = [1, 2, 3, 4, 5].map((byte) => addressFromHash(new Uint8Array(20).fill(byte)));
	const votes = wallets.map((vote_address) => ({ vote_address, vote_count: 1n }));
	const voting = VoteWitnessContract.create({ owner_address: ADDRESS, votes });
	const raw = buildTransaction(contractType("VoteWitnessContract"), voting, HEADER);
	const entry = { name: "treasury", base58: toBase58Check(ADDRESS), address: ADDRESS, signer: at("payroll") };
	await expect(signatureOfSigner(entry as KeystoreEntry, raw)).rejects.toMatchObject({
		code: "approval_pending",
		facts: {
			hint: expect.stringMatching(
				/ to be done by 2026-06-03T20:00:00\.000Z; .* --expires 12h gives more time$/,
			),
		},
	});
	const [listed] = await pendingAt(at("ops"));
	expect(listed?.to).toBe(`${wallets.slice(0, 3).map(toBase58Check).join(" ")} and 2 more`);
});

test("signs what another client has approved, and not what the same one asks for", async () => {
	const raw = payment(50);
	const id = toHex(sha256(raw));
	expect(await ask("payroll", raw)).toEqual({ waiting: id, awaits: ["ops"] });
	expect(await ask("payroll", raw)).toEqual({ waiting: id, awaits: ["ops"] });
	await expect(approveAt(at("payroll"), id)).rejects.toThrow("nothing of that id waits for this client");
	expect(await pendingAt(at("ops"))).toMatchObject([
		{
			...{ id, client: "payroll", type: "TransferContract", sum: "50000000sun", rule: "large" },
			...{ to: toBase58Check(BOB), awaits: "ops", expires: String(Date.UTC(2026, 5, 3, 20)) },
		},
	]);
	expect(toHex((await pendingBytes(at("ops"), id)) ?? new Uint8Array(0))).toBe(toHex(raw));
	await approveAt(at("ops"), id);
	await approveAt(at("ops"), id);
	await signer.close();
	await start();
	await expect(ask("ops", raw)).rejects.toThrow("nobody else than ops could approve it");
	expect(await ask("payroll", raw)).toHaveProperty("signature");
	expect(await pendingAt(at("ops"))).toEqual([]);
	expect(await ask("payroll", payment(50, 1))).toHaveProperty("waiting");
	expect(decisions().map(({ decision }) => decision)).toEqual([
		"waiting",
		"approved",
		"rule large: nobody else than ops could approve it",
		"signed",
		"waiting",
	]);
});

test("counts fees and transactions of the day, through restarts", async () => {
	const rules = `fees { memoFee = 5 }, clients { payroll { socket = "${at("payroll").at}" } }
		rules = [{ name = small, keys = [treasury], clients = [payroll], types = [Transfer], recipients = [${toBase58Check(BOB)}]
		  transaction { coin = 10 }, day { coin = 10, transactions = 2 } }]`;
	const policies = parsePolicies(rules, "p.conf", new Map([["treasury", toBase58Check(ADDRESS)]]));
	await signer.adopt(policies);
	await expect(ask("payroll", payment(10))).rejects.toThrow(
		"sun of it fees, is above its 10000000sun a transaction",
	);
	await ask("payroll", payment(5));
	const { fees, sum } = decisions().at(-1) ?? {};
	expect(sum).toBe("5000000sun");
	const feeSun = Number(/^(\d{6})sun$/.exec(fees ?? "")?.[1]);
	await signer.close();
	await start();
	await signer.adopt(policies);
	await expect(ask("payroll", payment(5, 1))).rejects.toThrow(`of which ${5_000_000 + feeSun}sun are used`);
	await ask("payroll", payment(4, 2));
	await ask("payroll", payment(4, 2));
	await expect(ask("payroll", payment(0, 3))).rejects.toThrow("its 2 transactions a day are used");
});

test("an approval is good for its bytes alone, and as long as they are", async () => {
	const raw = payment(50);
	await ask("payroll", raw);
	await approveAt(at("ops"), toHex(sha256(raw)));
	nowMs += DAY;
	await expect(ask("payroll", raw)).rejects.toThrow("it has expired");
	await expect(approveAt(at("ops"), toHex(sha256(raw)))).rejects.toThrow("nothing of that id waits");
});

test("refuses with the rule's reason, and writes it", async () => {
	await expect(ask("payroll", payment(101))).rejects.toMatchObject({
		isRefusal: true,
		message: expect.stringContaining("rule small: 101000000sun is above its 10000000sun a transaction"),
	});
	expect(decisions()).toMatchObject([
		{ client: "payroll", decision: expect.stringMatching(/^rule small: .*; rule large: [^;]*$/) },
	]);
	const twice = TransactionRaw.decode(payment(1));
	twice.contract = [...twice.contract, ...twice.contract];
	await expect(ask("payroll", TransactionRaw.encode(twice))).rejects.toThrow(
		"it has 2 contracts instead of one",
	);
});

test("names each rule that was looked at with its reason, the nearest first, and counts what is too many", async () => {
	const rule = (name: string, more: string): string =>
		`{ name = ${name}, keys = [treasury], clients = [payroll], recipients = ["*"], transaction { coin = 10 }, day { coin = 10 }, ${more} }`;
	const adopt = (...rules: readonly string[]): Promise<boolean> => {
		const text = `clients { payroll { socket = "${at("payroll").at}" } }, rules = [${rules.join()}]`;
		return signer.adopt(parsePolicies(text, "p.conf", new Map([["treasury", toBase58Check(ADDRESS)]])));
	};
	const messages = `{ name = texts, keys = [treasury], clients = [payroll], messages { texts = [hello] }, day { messages = 1 } }`;
	const votes = rule("votes", "types = [VoteWitness]");
	const memos = rule("memos", "types = [Transfer], memos = [rent]");
	const both =
		"the signer refuses: rule memos: it has none of its memos; rule votes: TransferContract is not one of its types";
	await adopt(votes, memos, messages);
	await expect(ask("payroll", payment(1))).rejects.toThrow(new RegExp(`^${both}$`));
	expect(decisions().at(-1)).toMatchObject({ rule: "memos", decision: both.slice(20) });

	const many = Array.from({ length: 100 }, (_, at) => rule(`votes${at}`, "types = [VoteWitness]"));
	await adopt(...many, memos);
	await expect(ask("payroll", payment(1))).rejects.toThrow(
		/^the signer refuses: rule memos: .*; rule votes4: [^;]*; and 95 more rules$/,
	);
});

test("keeps its place and scheme in a keystore, under the label that was there", async () => {
	const store = join(directory, "keystore");
	await watchAddress(store, ADDRESS, "treasury");
	await watchAddress(store, ADDRESS, undefined, { signer: at("payroll") });
	const renamed = await renameEntry(store, await findKey(store, "treasury"), "gold");
	expect(renamed).toMatchObject({ name: "gold", kind: "signer", signer: at("payroll") });
	const entry = await findKey(store, "gold");
	expect(entry).toMatchObject({ kind: "signer", signer: at("payroll"), base58: toBase58Check(ADDRESS) });
	expect(() => checkHasKey(entry)).toThrow(`is at the signer ${at("payroll").at}`);
	expect(() => checkSigns(entry)).not.toThrow();
});

test("signs no transaction for a node, and no block for a client", async () => {
	await expect(ask("node", payment(1))).rejects.toThrow("unknown request");
	const [key] = await keysOfSigner(at("payroll"), PATIENCE_MS);
	await expect(key?.sign("hello", BigInt(nowMs))).rejects.toThrow("unknown request");
});

test("signs nothing once its clock stands before the last day that it signed on", async () => {
	await ask("payroll", payment(1));
	await signer.close();
	await start();
	nowMs -= 2 * 3_600 * SECOND;
	expect(await ask("payroll", payment(1, 1))).toHaveProperty("signature");
	nowMs -= DAY;
	await expect(ask("payroll", payment(1, 2))).rejects.toThrow("the signer's clock stands before 2026-06-02");
});

test("a node's greeting waits for one request of a client, not for all of its line", async () => {
	const append = DecisionLog.prototype.append;
	let go = (): void => undefined;
	const gate = new Promise<void>((done) => {
		go = done;
	});
	vi.spyOn(DecisionLog.prototype, "append").mockImplementationOnce(async function (
		this: DecisionLog,
		decision,
	) {
		await gate;
		return append.call(this, decision);
	});
	// As it comes from the sockets, whose order nobody knows.
	const answer = (request: object, client?: string): Promise<object> =>
		signer["answer"](
			JSON.stringify({ address: toBase58Check(ADDRESS), ...request }),
			client === undefined
				? undefined
				: { name: client, socket: at(client).at, certificate: undefined, isNode: false },
		);
	const paid = Array.from({ length: 5 }, (_, order) =>
		answer({ do: "transaction", data: toHex(payment(1, order)) }, "payroll"),
	);
	await new Promise((done) => setImmediate(done));
	const greeted = answer({ do: "hello", data: String(nowMs) });
	go();
	await Promise.all([...paid, greeted]);
	const rest = Array.from({ length: 4 }, () => "transaction");
	expect(decisions().map(({ asked }) => asked)).toEqual(["transaction", "hello", ...rest]);
});

test("what a client is refused counts as five of its requests, since each is a line of the log", async () => {
	const refused = { message: expect.stringContaining("sun is above"), isRefusal: true };
	const [key] = await keysOfSigner(at("payroll"), PATIENCE_MS);
	for (let order = 0; order < 11; order++)
		await expect(key?.signTransaction(payment(101, order))).rejects.toMatchObject(refused);
	// 4 are left, and one more goes below none.
	await expect(key?.signTransaction(payment(101, 12))).rejects.toMatchObject(refused);
	await expect(key?.signTransaction(payment(5))).rejects.toThrow("too many requests");
	nowMs += SECOND;
	await expect(key?.signTransaction(payment(5))).resolves.toHaveProperty("signature");
});

test("a log of any length leaves only what hasn't expired", () => {
	const desk = new PolicyDesk(parsePolicies("clients { }, rules = []", "policies.conf", new Map()));
	const lines = 5_000;
	for (let order = 0; order < lines; order++)
		desk.replay({
			at: new Date(nowMs + order * SECOND).toISOString(),
			asked: "transaction",
			key: "key",
			decision: "signed",
			...{ client: "payroll", id: String(order), rule: "small", sum: "1sun" },
			expires: String(nowMs + (order + 60) * SECOND),
		});
	expect(desk["counted"].size).toBeLessThan(lines / 2);
	expect(desk["counted"].has(`small ${lines - 60}`)).toBe(true);
	expect(desk["spent"].get(`small coin`)).toBeGreaterThan(0n);
});

test("a client that asks on and on is not heard for a while, and others are", async () => {
	const asked = (client: string, line = '{"do":"pending"}'): Promise<string> =>
		new Promise((resolve) => {
			let text = "";
			const socket = connect(at(client).at, () => socket.write(`${line}\n`));
			socket.setEncoding("utf8").on("data", (chunk) => {
				text += chunk;
			});
			socket.on("close", () => resolve(text));
		});
	for (let count = 0; count < 60; count++) expect(await asked("ops")).toBe('{"pending":[]}\n');
	expect(await asked("ops")).toBe('{"error":"too many requests"}\n');
	expect(await asked("ops", "what?")).toBe('{"error":"too many requests"}\n');
	expect(await asked("payroll")).toBe('{"pending":[]}\n');
	nowMs += SECOND;
	expect(await asked("ops")).toBe('{"pending":[]}\n');
});
