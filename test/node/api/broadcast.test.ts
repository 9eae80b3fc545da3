import { describe, expect, it } from "vitest";
import { Broadcaster, broadcastReturn } from "../../../src/node/api/broadcast.js";
import type { ApiNode, PeerFacts } from "../../../src/node/api/context.js";
import { defaultConfig, type NodeConfig } from "../../../src/node/config/config.js";
import * as errors from "../../../src/node/rules/errors.js";
import { NO_SCHEME } from "../../../src/node/rules/post-quantum.js";
import { createMemoryDatabase } from "../../../src/node/state/database.js";
import { StateDatabase } from "../../../src/node/state/state-database.js";
import { createView, type StateView } from "../../../src/node/state/view.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import {
	Any,
	FreezeBalanceContract,
	PQAuthSig,
	PQScheme,
	Transaction,
	TransactionContract,
	TransactionRaw,
	TransferContract,
} from "../../../src/protocol/messages.js";
import { transactionFieldsOf } from "../../../src/protocol/post-quantum/fields.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";

const HEAD_MS = 3_000_000n;

async function stateAt(headNumber: bigint): Promise<StateView> {
	const database = await StateDatabase.open(createMemoryDatabase());
	const seed = { genesisTimestampMs: 0n, maintenanceIntervalMs: 600_000n, committee: () => 0n };
	const state = createView(database.headBackend, seed);
	state.properties.set("latest_block_header_number", headNumber);
	state.properties.set("latest_block_header_timestamp", HEAD_MS);
	return state;
}

interface Situation {
	readonly network?: ApiNode["rules"]["network"];
	readonly node?: Partial<NodeConfig["node"]>;
	readonly minEffectiveConnection?: number;
	readonly transactionCache?: boolean;
	readonly peers?: readonly Partial<PeerFacts>[];
	readonly queued?: number;
	readonly isFull?: boolean;
	readonly pooled?: readonly SignedTransaction[];
	readonly headNumber?: bigint;
	readonly announced?: number;
	readonly upMs?: () => number;
	readonly prepare?: (state: StateView) => void;
	readonly submit?: (transaction: SignedTransaction) => void;
}

async function broadcaster(situation: Situation): Promise<Broadcaster> {
	const base = defaultConfig();
	const { minEffectiveConnection = 0, transactionCache = false } = situation;
	const config: NodeConfig = {
		...base,
		node: {
			...base.node,
			rpc: { ...base.node.rpc, minEffectiveConnection, transactionCache },
			...situation.node,
		},
	};
	const state = await stateAt(situation.headNumber ?? 1n);
	situation.prepare?.(state);
	const node: Partial<ApiNode> = {
		config,
		rules: { network: situation.network, release: config.node.release } as ApiNode["rules"],
		nowMs: () => 0,
		get upMs() {
			return situation.upMs?.() ?? 0;
		},
		view: () => state,
		pool: {
			size: 0,
			queued: situation.queued ?? 0,
			isFull: situation.isFull ?? false,
			list: () => (situation.pooled ?? []).map((each) => ({ transaction: each })),
			find: () => undefined,
		},
		submit: async (transaction) => situation.submit?.(transaction),
		network: {
			peers: () => (situation.peers ?? []) as readonly PeerFacts[],
			connectableNodes: () => [],
			announce: () => situation.announced ?? 0,
			tableSize: 0,
			nodeId: "",
			ownHost: "",
		},
		report: () => {},
	};
	return new Broadcaster(node as ApiNode);
}

function transaction(
	typeUrl = "type.googleapis.com/protocol.TransferContract",
	value: Uint8Array = new Uint8Array(0),
	type = 1,
) {
	const contract = TransactionContract.create({ type, parameter: Any.create({ type_url: typeUrl, value }) });
	const raw_data = TransactionRaw.create({ expiration: HEAD_MS + 60_000n, contract: [contract] });
	return new SignedTransaction(Transaction.create({ raw_data }));
}

const outcome = async (situation: Situation, sent = transaction()) => {
	const { code, message } = await (await broadcaster(situation)).broadcast(sent);
	return [code, message];
};
const peer = (more: Partial<PeerFacts> = {}): Partial<PeerFacts> => ({
	needSyncFromPeer: false,
	needSyncFromUs: false,
	...more,
});
const throwing = (error: Error): Situation => ({
	submit: () => {
		throw error;
	},
});

describe("a broadcast", () => {
	it.each([
		[
			"many blocks are unsolidified",
			{ node: { unsolidifiedBlockCheck: true }, headNumber: 54n },
			12,
			"Block unsolidified.",
		],
		["no peer is connected", { minEffectiveConnection: 1 }, 10, "No connection."],
		[
			"too few peers are in sync",
			{ minEffectiveConnection: 2, peers: [peer(), peer({ needSyncFromUs: true })] },
			11,
			"Effective connection:1 lt minEffectiveConnection:2",
		],
		["the pool is full", { queued: 2001 }, 9, "Server busy."],
		["the pool has no memory left", { isFull: true }, 9, "Server busy."],
		["no peer took it", { minEffectiveConnection: 1, peers: [peer()] }, 11, "P2P broadcast failed."],
		["a peer took it", { minEffectiveConnection: 1, peers: [peer()], announced: 1 }, 0, ""],
	] satisfies readonly (readonly [string, Situation, number, string])[])(
		"while %s is answered so",
		async (_when, situation, code, message) => {
			expect(await outcome(situation)).toEqual([code, message]);
		},
	);

	it.each([
		[new errors.ValidateSignatureError("sig error"), 1, "Validate signature error: sig error"],
		[new errors.ContractValidateError("no"), 2, "Contract validate error : no"],
		[new errors.ContractCountError("two"), 2, "Contract validate error : two"],
		[new errors.ContractExecuteError("no"), 3, "Contract execute error : no"],
		[new errors.ResourceInsufficientError("secret"), 4, "Account resource insufficient error."],
		[new errors.DuplicateTransactionError("x"), 5, "Dup transaction."],
		[new errors.TaposError("x"), 6, "Tapos check error."],
		[new errors.TooBigTransactionError("Too big"), 7, "Too big"],
		[new errors.TransactionExpirationError("x"), 8, "Transaction expired"],
		[
			new errors.TooBigTransactionResultError("too big transaction result"),
			20,
			"Error: too big transaction result",
		],
		[new TypeError("a fault"), 20, "Error: a fault"],
	])("that fails with %s has the code %i", async (error, code, message) => {
		expect(await outcome(throwing(error))).toEqual([code, message]);
	});

	it("is refused without a contract, and when it expires before the next block", async () => {
		const empty = new SignedTransaction(Transaction.create({ raw_data: new TransactionRaw() }));
		expect(await outcome({}, empty)).toEqual([2, "Contract validate error : No contract!"]);
		const raw_data = TransactionRaw.create({
			expiration: HEAD_MS + 2_999n,
			contract: [new TransactionContract()],
		});
		const old = new SignedTransaction(Transaction.create({ raw_data }));
		expect(await outcome({}, old)).toEqual([8, "Transaction expired"]);
	});

	it("is repeated within the hour only where ids aren't remembered", async () => {
		let now = 0;
		const remembering = await broadcaster({ transactionCache: true, upMs: () => now });
		const codes = [];
		for (now of [0, 3_599_999, 3_600_000]) codes.push((await remembering.broadcast(transaction())).code);
		expect(codes).toEqual([0, 5, 0]);
		const forgetting = await broadcaster({});
		expect((await forgetting.broadcast(transaction())).code).toBe(0);
		expect((await forgetting.broadcast(transaction())).code).toBe(0);
	});

	it.each([
		["4.8.1", [64], 0, ""],
		["4.8.2", [64], 1, "Validate signature error: Signature size is 64"],
		["4.8.2", [65, 69], 1, "Validate signature error: Signature size is 69"],
		["4.8.2", [65, 0], 1, "Validate signature error: Signature size is 0"],
		["4.8.2", [65, 66, 67, 68], 0, ""],
		["4.8.2", [], 0, ""],
	] as const)("at release %s with signatures of %o bytes", async (release, lengths, code, message) => {
		const signature = lengths.map((length) => new Uint8Array(length));
		const sent = new SignedTransaction(Transaction.create({ ...transaction().message, signature }));
		expect(await outcome({ node: { release } }, sent)).toEqual([code, message]);
		// It is said before anything that the node itself could object to.
		if (code === 1) expect(await outcome({ node: { release }, queued: 2001 }, sent)).toEqual([code, message]);
	});

	it("spells its text for the dialect", () => {
		const result = { code: 2, message: "Cannot transfer COIN" };
		expect(Buffer.from(broadcastReturn(result, "deployed").message).toString()).toBe("Cannot transfer TRX");
		expect(Buffer.from(broadcastReturn(result, "neutral").message).toString()).toBe("Cannot transfer COIN");
	});
});

describe("the rule against unknown fields", () => {
	const filter: Situation = { prepare: (state) => state.properties.set("ALLOW_PROTO_FILTER_NUM", 1n) };
	const url = "type.googleapis.com/protocol.TransferContract";

	it.each([
		[
			"a known parameter",
			transaction(url, TransferContract.encode(TransferContract.create({ amount: 5n }))),
			0,
			"",
		],
		[
			"an unknown field in the parameter",
			transaction(url, fromHex("2001")),
			20,
			"Error: protobuf inconsistent",
		],
		["a type without a message", transaction(url, new Uint8Array(0), 3), 20, "Error: protobuf inconsistent"],
		[
			"a parameter of another type",
			transaction("x/protocol.VoteWitnessContract"),
			20,
			"Error: Type of the Any message does not match the given class.",
		],
		[
			"an enum number without a name: the contract itself may mind",
			transaction(
				"x/protocol.FreezeBalanceContract",
				FreezeBalanceContract.encode(FreezeBalanceContract.create({ resource: 7 })),
				11,
			),
			0,
			"",
		],
	])("judges %s", async (_what, sent, code, message) => {
		expect(await outcome(filter, sent)).toEqual([code, message]);
	});

	it("judges the transaction itself up to release 4.8.1; 4.8.2 drops what it doesn't know there", async () => {
		const bytes = Buffer.concat([transaction().bytes, fromHex("3801")]);
		const sent: Uint8Array[] = [];
		const submit = (one: SignedTransaction) => void sent.push(one.bytes);
		const old = { ...filter, submit, node: { release: "4.8.1" } } as const;
		expect(await outcome(old, SignedTransaction.decode(bytes))).toEqual([20, "Error: protobuf inconsistent"]);
		expect(sent).toEqual([]);
		expect(await outcome({ ...filter, submit }, SignedTransaction.decode(bytes))).toEqual([0, ""]);
		expect(sent.map(toHex)).toEqual([toHex(transaction().bytes)]);
	});

	describe("post-quantum signatures", () => {
		const entry = (more: Partial<PQAuthSig> = {}) =>
			PQAuthSig.create({
				scheme: PQScheme.FN_DSA_512,
				public_key: new Uint8Array(896),
				signature: new Uint8Array(667),
				...more,
			});
		const carrier = (entries: readonly PQAuthSig[], signature = transaction().message.signature) => {
			const message = Transaction.create({ ...transaction().message, signature });
			message.$unknown = transactionFieldsOf(entries);
			return new SignedTransaction(message);
		};
		const allowed = (state: StateView) => void state.properties.set("ALLOW_ML_DSA_44", 1n);
		const nile = { network: "nile", prepare: allowed } as const;
		const text = (why: string) => [1, `Validate signature error: ${why}`];

		it("go with a transaction on Nile, and are dropped elsewhere", async () => {
			for (const [network, kept] of [
				["nile", true],
				["main", false],
			] as const) {
				const sent: SignedTransaction[] = [];
				const submit = (one: SignedTransaction) => void sent.push(one);
				expect(await outcome({ ...nile, network, submit }, carrier([entry()]))).toEqual([0, ""]);
				expect(sent.map(({ message }) => message.$unknown !== undefined)).toEqual([kept]);
			}
		});

		it.each<[string, SignedTransaction, string, Situation?]>([
			["no scheme is allowed", carrier([entry()]), NO_SCHEME, { network: "nile" }],
			[
				"there are too many of both kinds",
				carrier(Array(6).fill(entry()), []),
				"total signature count 6 exceeds 5",
			],
			["the scheme is none", carrier([entry({ scheme: 3 })]), "pq_auth_sig size is out of bounds"],
			[
				"a key is short",
				carrier([entry({ public_key: new Uint8Array(895) })]),
				"pq_auth_sig size is out of bounds",
			],
			[
				"a signature is long",
				carrier([entry({ signature: new Uint8Array(668) })]),
				"pq_auth_sig size is out of bounds",
			],
		])("are refused where %s", async (_, sent, why, situation = nile) => {
			expect(await outcome(situation, sent)).toEqual(text(why));
		});

		it("are refused, whoever handed them in, where there are more than are read", async () => {
			const [code, message] = await outcome(nile, carrier(Array(65).fill(entry()), []));
			expect(code).toBe(20);
			expect(message).toMatch(/^Error: /);
		});

		it("wait for a place in the pool, other transactions don't", async () => {
			const pooled = Array<SignedTransaction>(1000).fill(carrier([entry()]));
			expect(await outcome({ ...nile, pooled }, carrier([entry()]))).toEqual([9, "PQ pending pool is full."]);
			expect(await outcome({ ...nile, pooled })).toEqual([0, ""]);
		});
	});

	it("finds what is inside in release 4.8.2 when the transaction is in the pool", async () => {
		const sent: SignedTransaction[] = [];
		const submit = (one: SignedTransaction) => void sent.push(one);
		const odd = transaction("x/protocol.TransferContract", fromHex("2001"));
		expect(await outcome({ ...filter, submit }, odd)).toEqual([20, "Error: protobuf inconsistent"]);
		expect(sent).toHaveLength(1);
	});
});
