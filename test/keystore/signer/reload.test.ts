/** Policies that take the place of others while the signer runs. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
	approveAt,
	keysOfSigner,
	pendingAt,
	type SignerPlace,
	type TransactionAnswer,
} from "../../../src/keystore/signer/client.js";
import { DecisionLog } from "../../../src/keystore/signer/decision-log.js";
import { type Policies, parsePolicies, readPolicies } from "../../../src/keystore/signer/policies.js";
import { PolicyDesk } from "../../../src/keystore/signer/policy-desk.js";
import { LOG_NAME, Signer } from "../../../src/keystore/signer/server.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { toHex } from "../../../src/protocol/bytes.js";
import { contractType } from "../../../src/protocol/contract-types.js";
import { sha256 } from "../../../src/protocol/hash.js";
import { TransferContract } from "../../../src/protocol/messages.js";
import { addressOfPrivateKey } from "../../../src/protocol/signature.js";
import { buildTransaction } from "../../../src/protocol/transaction.js";

/** As long as a busy machine takes. */
const PATIENCE_MS = 600_000;
const KEY = new Uint8Array(32).fill(7);
const ADDRESS = addressOfPrivateKey(KEY);
const BOB = addressOfPrivateKey(new Uint8Array(32).fill(9));
const KEYS = new Map([["treasury", toBase58Check(ADDRESS)]]);
const NOW_MS = Date.UTC(2026, 5, 2, 12);

let directory: string;
let signer: Signer;

const at = (name: string): SignerPlace => ({ at: join(directory, name) });

const FREE =
	"fees { transactionFee = 0, createAccountFee = 0, createNewAccountFeeInSystemContract = 0, memoFee = 0 }";
const SMALL = `{ name = small, keys = [treasury], clients = [payroll], types = [Transfer], recipients = ["*"]
	transaction { coin = 20 }, day { coin = 40 } }`;
const LARGE = `{ name = large, keys = [treasury], clients = [payroll], types = [Transfer], recipients = ["*"]
	transaction { coin = 200 }, day { coin = 300 }, approval = [ops] }`;

/** @param sockets of the clients, by their names */
function policies(sockets: Readonly<Record<string, string>>, rules: readonly string[]): Policies {
	const clients = Object.entries(sockets).map(([name, socket]) => `${name} { socket = "${at(socket).at}" }`);
	return parsePolicies(
		`${FREE}, clients { ${clients.join(", ")} }, rules = [${rules.join(", ")}]`,
		"p.conf",
		KEYS,
	);
}

const FIRST = { payroll: "payroll", ops: "ops" };

async function start(held: Policies): Promise<void> {
	signer = await Signer.start({
		keys: [KEY.slice()],
		directory: join(directory, "state"),
		desk: new PolicyDesk(held),
		now: () => NOW_MS,
	});
}

beforeEach(async () => {
	directory = mkdtempSync(join(tmpdir(), "coin-signer-"));
	await start(policies(FIRST, [SMALL, LARGE]));
});
afterEach(async () => {
	vi.restoreAllMocks();
	await signer.close().catch(() => undefined);
	rmSync(directory, { recursive: true, force: true });
});

function payment(coins: number, order = 0): Uint8Array {
	return buildTransaction(
		contractType("TransferContract"),
		TransferContract.create({ owner_address: ADDRESS, to_address: BOB, amount: BigInt(coins) * 1_000_000n }),
		{
			refBlockBytes: new Uint8Array(2),
			refBlockHash: new Uint8Array(8),
			expirationMs: BigInt(NOW_MS + 3_600_000),
			timestampMs: BigInt(order),
		},
	).rawBytes;
}

async function ask(client: string, raw: Uint8Array): Promise<TransactionAnswer> {
	const [key] = await keysOfSigner(at(client), PATIENCE_MS);
	if (!key) throw new Error("no key");
	return key.signTransaction(raw);
}

const log = (): Record<string, string>[] =>
	readFileSync(join(directory, "state", LOG_NAME), "utf8")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));

test("hold from the next decision on, and the log names those before", async () => {
	const before = policies(FIRST, [SMALL, LARGE]);
	const after = policies(FIRST, []);
	expect(await signer.adopt(before)).toBe(false);
	await ask("payroll", payment(1));
	expect(await signer.adopt(after)).toBe(true);
	await expect(ask("payroll", payment(1, 1))).rejects.toThrow("no rule has payroll sign");
	expect(log()).toMatchObject([
		{ asked: "policies", sha256: before.sha256, decision: "read" },
		{ decision: "signed" },
		{ asked: "policies", sha256: after.sha256, was: before.sha256, decision: "read" },
		{ decision: expect.stringContaining("no rule") },
	]);
	await signer.close();
	await start(before);
	expect(log().at(-1)).toMatchObject({ sha256: before.sha256, was: after.sha256 });
});

test("count on what their rules have counted today", async () => {
	await ask("payroll", payment(18));
	await signer.adopt(policies(FIRST, [LARGE, SMALL.replace("coin = 40", "coin = 35")]));
	await signer.adopt(policies(FIRST, [SMALL.replace("coin = 40", "coin = 35")]));
	await expect(ask("payroll", payment(18, 1))).rejects.toThrow("18000000sun are used");
	expect(await ask("payroll", payment(10, 2))).toHaveProperty("signature");
});

test("open sockets of new clients, close those of others with their connections, and pass a socket on", async () => {
	const open = connect(at("payroll").at);
	await new Promise((done) => open.once("connect", done));
	const cut = new Promise((done) => open.on("error", () => undefined).once("close", done));
	await keysOfSigner(at("payroll"), PATIENCE_MS);
	await signer.adopt(policies({ audit: "ops", salaries: "salaries" }, [SMALL.replace("payroll", "audit")]));
	await cut;
	expect(existsSync(at("payroll").at)).toBe(false);
	expect(await keysOfSigner(at("salaries"), PATIENCE_MS)).toHaveLength(1);
	expect(await ask("ops", payment(1))).toHaveProperty("signature");
	expect(log().at(-1)).toMatchObject({ client: "audit", decision: "signed" });
});

test("refuse what a client asked for while it still was one", async () => {
	const append = DecisionLog.prototype.append;
	const policiesRead: Promise<boolean>[] = [];
	vi.spyOn(DecisionLog.prototype, "append").mockImplementationOnce(async function (this: DecisionLog, line) {
		// While the first of two transactions is written.
		policiesRead.push(signer.adopt(policies({ ops: "ops" }, [])));
		return append.call(this, line);
	});
	const client = { name: "payroll", socket: at("payroll").at, certificate: undefined, isNode: false };
	const request = (order: number): Promise<object> =>
		signer["answer"](
			JSON.stringify({ do: "transaction", address: toBase58Check(ADDRESS), data: toHex(payment(1, order)) }),
			client,
		);
	const answers = await Promise.all([request(0), request(1)]);
	await Promise.all(policiesRead);
	expect(answers).toMatchObject([
		{ signature: expect.any(String) },
		{ error: expect.stringContaining("don't name") },
	]);
	expect(log().filter(({ decision }) => decision === "signed")).toHaveLength(1);
});

test("judge again what waits, and what was approved", async () => {
	const [raw, other] = [payment(100), payment(100, 1)];
	expect(await ask("payroll", raw)).toHaveProperty("waiting");
	expect(await ask("payroll", other)).toHaveProperty("waiting");
	await approveAt(at("ops"), toHex(sha256(raw)));
	await signer.adopt(policies(FIRST, [LARGE.replace("coin = 200", "coin = 50")]));
	expect(await pendingAt(at("ops"))).toEqual([]);
	await expect(approveAt(at("ops"), toHex(sha256(other)))).rejects.toThrow("nothing of that id waits");
	await expect(ask("payroll", raw)).rejects.toThrow("is above its 50000000sun a transaction");
	await signer.adopt(policies(FIRST, [LARGE]));
	expect(await ask("payroll", raw)).toHaveProperty("signature");
});

test("judge again what waits one by one, so that a header has its turn between two", async () => {
	const desk = new PolicyDesk(policies(FIRST, [LARGE]));
	const [asking] = desk.clients;
	if (!asking) throw new Error("no client");
	const ask = (order: number): string =>
		desk.decide(asking, KEYS.get("treasury") as string, toHex(payment(60, order)), NOW_MS).decision;
	for (const order of [1, 2, 3]) expect(ask(order)).toBe("waiting");
	const waiting = (): number =>
		(desk.listPending("payroll", undefined, NOW_MS) as { pending: [] }).pending.length;
	const after = policies(FIRST, [LARGE.replace("coin = 200", "coin = 50")]);
	const counts: number[] = [];
	for (const _ of desk.adopt(after, NOW_MS)) counts.push(waiting());
	expect(desk.policies).toBe(after);
	expect(ask(1)).toContain("is above its 50000000sun a transaction");
	expect([...counts, waiting()]).toEqual([3, 2, 1, 0]);
});

test("count an approval only of who is still the same client, also after a new start", async () => {
	const raw = payment(100);
	await ask("payroll", raw);
	await approveAt(at("ops"), toHex(sha256(raw)));
	await signer.adopt(policies({ payroll: "payroll", ops: "other" }, [LARGE]));
	expect(await ask("payroll", raw)).toHaveProperty("waiting");
	await signer.close();
	await start(policies({ payroll: "payroll", ops: "another" }, [LARGE]));
	expect(await ask("payroll", raw)).toHaveProperty("waiting");
	await approveAt(at("another"), toHex(sha256(raw)));
	expect(await ask("payroll", raw)).toHaveProperty("signature");
});

test("let nobody approve under a new name what they asked for under another", async () => {
	const raw = payment(100);
	await ask("payroll", raw);
	await signer.adopt(policies({ payroll: "ops", ops: "payroll" }, [LARGE]));
	await expect(approveAt(at("payroll"), toHex(sha256(raw)))).rejects.toThrow("nothing of that id waits");
});

test("change nothing where a socket can't be made, or the line can't be written", async () => {
	const rules = [SMALL.replace("payroll", "audit")];
	const unreachable = policies({ audit: "audit", other: "gone/other" }, rules);
	await expect(signer.adopt(unreachable)).rejects.toThrow("can't be made (its directory isn't there)");
	vi.spyOn(DecisionLog.prototype, "append").mockRejectedValueOnce(new Error("no space left"));
	await expect(signer.adopt(policies({ audit: "audit" }, rules))).rejects.toThrow("no space left");
	expect(existsSync(at("audit").at)).toBe(false);
	expect(await ask("payroll", payment(1))).toHaveProperty("signature");
	expect(log().map(({ asked }) => asked)).toEqual(["policies", "transaction"]);
});

test.skipIf(process.platform === "win32")(
	"are read of a file that nobody else can change or is writing",
	() => {
		const place = join(directory, "conf");
		mkdirSync(place);
		const path = join(place, "p.conf");
		const read = (): Policies => readPolicies(path, KEYS);
		expect(read).toThrow("p.conf can't be read (ENOENT)");
		writeFileSync(path, `clients { a { socket = s } }\nrules = [${SMALL.replace("payroll", "a")}]`);
		expect(read()).toMatchObject({ sha256: toHex(sha256(readFileSync(path))), rules: [{ name: "small" }] });
		chmodSync(path, 0o666);
		expect(read).toThrow("p.conf can be changed by others: chmod go-w");
		chmodSync(path, 0o644);
		chmodSync(place, 0o777);
		expect(read).toThrow("conf can be changed by others: chmod go-w");
		chmodSync(place, 0o1777);
		expect(read).not.toThrow();
		writeFileSync(path, Buffer.from([0x63, 0xff]));
		expect(read).toThrow("is not a text in UTF-8");
		writeFileSync(path, "x".repeat((1 << 20) + 1));
		expect(read).toThrow("has more than 1048576 bytes");
		writeFileSync(path, "clients { a { socket = s } }");
		expect(read).toThrow("rules is missing");
		expect(() => readPolicies(place, KEYS)).toThrow("is not a file");
	},
);
