import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromBase58Check } from "../../../../../src/protocol/address.js";
import { toHex } from "../../../../../src/protocol/bytes.js";
import { assemble, creationOf } from "../../../vm/assembler.js";
import {
	DevelopmentNode,
	type Json,
	type RpcAnswer,
	STORE,
	setArguments,
	word,
} from "../../development/development-node.js";
import { startHttpNode } from "../../http-node.js";

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const COIN = `0x${"ee".repeat(20)}`;

/** An address without its prefix. */
const bare = (base58: string): string =>
	`0x${toHex(fromBase58Check(base58)?.subarray(1) ?? new Uint8Array(0))}`;
const topic = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`;

/** Sends what it is sent on to the address in its data, writes its time into slot 0 and returns it with its number. */
const PASSING = toHex(
	assemble(`0x00 0x00 0x00 0x00 CALLVALUE 0x00 CALLDATALOAD GAS CALL POP
	TIMESTAMP DUP1 0x00 SSTORE 0x00 MSTORE NUMBER 0x20 MSTORE 0x05 0x00 0x00 LOG1 0x40 0x00 RETURN`),
);
/** Reverts with `Error("no")`. */
const REFUSING = toHex(
	assemble(`0x08c379a0${"0".repeat(56)} 0x00 MSTORE 0x20 0x04 MSTORE 0x02 0x24 MSTORE
	0x6e6f${"0".repeat(60)} 0x44 MSTORE 0x64 0x00 REVERT`),
);
const PLACE = `0x${"c0".repeat(20)}`;

let chain: DevelopmentNode;
let ann: string;
let bob: string;

beforeAll(async () => {
	chain = await DevelopmentNode.start();
	[ann, bob] = [0, 1].map((n) => `0x${chain.account(n).hex.slice(2)}`) as [string, string];
});
afterAll(() => chain.stop());

interface SimulatedCall {
	readonly status: string;
	readonly returnData: string;
	readonly gasUsed: string;
	readonly logs: readonly Json[];
	readonly error?: Json;
}
interface SimulatedBlock extends Json {
	readonly number: string;
	readonly timestamp: string;
	readonly hash: string;
	readonly parentHash: string;
	readonly calls: readonly SimulatedCall[];
}

const simulate = async (blocks: readonly object[], more: object = {}, block = "latest") =>
	(await chain.result("eth_simulateV1", [{ blockStateCalls: blocks, ...more }, block])) as SimulatedBlock[];
const refused = async (simulation: unknown, method = "eth_simulateV1", ...more: unknown[]) =>
	(await chain.rpc(method, [simulation, ...more], "/jsonrpc")).error;

describe("eth_simulateV1", () => {
	it("answers blocks with what their calls came to, and changes nothing", async () => {
		const before = await chain.result("eth_getBalance", [bob, "latest"]);
		const head = (await chain.result("eth_getBlockByNumber", ["latest", false])) as SimulatedBlock;
		const [first, second] = await simulate(
			[
				{
					stateOverrides: { [PLACE]: { code: `0x${PASSING}` } },
					calls: [
						{ from: ann, to: PLACE, value: "0x5", data: `0x${word(BigInt(bob))}` },
						{ from: ann, to: bob, value: "0x7" },
						{ to: `0x${"00".repeat(20)}` },
					],
				},
				{
					stateOverrides: { [PLACE]: { code: `0x${REFUSING}` } },
					blockOverrides: { number: `0x${(Number(head.number) + 2).toString(16)}`, time: "0x7fffffff" },
					calls: [{ from: ann, to: PLACE }],
				},
			],
			{ traceTransfers: true, returnFullTransactions: true },
		);
		expect(first).toMatchObject({
			parentHash: head.hash,
			transactions: [{ from: ann, to: PLACE, value: "0x5" }, { to: bob }, {}],
		});
		const [passed, paid, nothing] = first?.calls ?? [];
		const transferLog = (from: string, to: string, value: number) => ({
			address: COIN,
			topics: [TRANSFER, topic(from), topic(to)],
			data: `0x${word(value)}`,
			blockHash: first?.hash,
		});
		expect(passed).toMatchObject({
			status: "0x1",
			returnData: `0x${word(BigInt(first?.timestamp ?? 0))}${word(BigInt(first?.number ?? 0))}`,
			logs: [
				{ ...transferLog(ann, PLACE, 5), logIndex: "0x0" },
				{ ...transferLog(PLACE, bob, 5), logIndex: "0x1" },
				{ address: PLACE, topics: [`0x${word(5)}`], logIndex: "0x2", transactionIndex: "0x0" },
			],
		});
		expect(Number(passed?.gasUsed)).toBeGreaterThan(9_000);
		expect(paid).toMatchObject({
			status: "0x1",
			gasUsed: "0x0",
			logs: [{ ...transferLog(ann, bob, 7), transactionIndex: "0x1" }],
		});
		expect(nothing).toMatchObject({ status: "0x1", returnData: "0x", logs: [] });
		expect(second).toMatchObject({
			parentHash: first?.hash,
			timestamp: "0x7fffffff",
			calls: [
				{
					status: "0x0",
					logs: [],
					error: { code: 3, message: "execution reverted: no", data: expect.stringMatching(/^0x08c379a0/) },
				},
			],
		});
		expect(await chain.result("eth_getBalance", [bob, "latest"])).toBe(before);
		expect(await chain.result("eth_getCode", [PLACE, "latest"])).toBe("0x");
	});

	it("deploys contracts and calls them, and fills gaps between numbers", async () => {
		const creation = `0x${toHex(creationOf(Buffer.from(PASSING, "hex")))}`;
		const head = Number(await chain.result("eth_blockNumber", []));
		const blocks = await simulate([
			{
				calls: [
					{ from: ann, data: creation },
					{ from: ann, input: creation },
				],
			},
			{ blockOverrides: { number: `0x${(head + 4).toString(16)}`, feeRecipient: bob }, calls: [] },
		]);
		expect(blocks.map(({ number, calls }) => [Number(number) - head, calls.length])).toEqual([
			[1, 2],
			[2, 0],
			[3, 0],
			[4, 0],
		]);
		expect(blocks[0]?.calls.map(({ returnData, status }) => [returnData, status])).toEqual([
			[`0x${PASSING}`, "0x1"],
			[`0x${PASSING}`, "0x1"],
		]);
		expect(blocks[3]).toMatchObject({ miner: bob });
	});

	it("charges the sender where it validates", async () => {
		const contract = bare(await chain.deploy(STORE, word(1)));
		const poor = `0x${"77".repeat(20)}`;
		const call = { from: poor, to: contract, data: "0x" };
		const free = await simulate([{ calls: [call] }]);
		expect(free[0]?.calls[0]?.status).toBe("0x0");
		expect(await refused({ blockStateCalls: [{ calls: [call] }], validation: true })).toMatchObject({
			code: -38014,
			message: expect.stringContaining("no account"),
		});
		const rich = { [poor]: { balance: "0x3b9aca00" } };
		const charged = await simulate(
			[
				{ stateOverrides: rich, calls: [{ from: poor, to: bob, value: "0x1" }] },
				{ calls: [{ from: poor, to: bob, value: "0x3b9ac9ff" }] },
			],
			{ validation: true },
		);
		expect(charged.map(({ calls }) => calls[0]?.status)).toEqual(["0x1", "0x1"]);
	});

	it("shares the energy limit of a block among its calls", async () => {
		const block = {
			stateOverrides: { [PLACE]: { code: `0x${PASSING}` } },
			blockOverrides: { gasLimit: "0x7530" },
			calls: [{ to: PLACE }, { to: PLACE }, { to: PLACE }],
		};
		const [shared] = await simulate([block]);
		expect(shared?.calls.map(({ status }) => status)).toContain("0x0");
		const greedy = { ...block, calls: [{ to: PLACE, gas: "0x7531" }] };
		expect(await refused({ blockStateCalls: [greedy] })).toMatchObject({ code: -38015 });
	});

	it("refuses what can't be", async () => {
		const head = Number(await chain.result("eth_blockNumber", []));
		const at = (blockOverrides: object) => ({ blockStateCalls: [{ blockOverrides }] });
		const having = (account: object) => ({ blockStateCalls: [{ stateOverrides: { [ann]: account } }] });
		const calls = (...each: object[]) => ({ blockStateCalls: [{ calls: each }] });
		for (const [simulation, code, message] of [
			[at({ number: `0x${head.toString(16)}` }), -38020, "numbers must rise"],
			[at({ time: "0x1" }), -38021, "times must rise"],
			[at({ number: `0x${(head + 400).toString(16)}` }), -38026, "at most 256 blocks"],
			[calls(...Array.from({ length: 1_001 }, () => ({ to: bob }))), -38026, "at most 1000 calls"],
			[calls({ from: `0x${"12".repeat(20)}`, to: bob, value: "0x1" }), -38014, "insufficient funds"],
			[at({ prevRandao: `0x${word(5)}` }), -32602, "prevRandao"],
			[at({ colour: "0x1" }), -32602, "unknown member blockStateCalls[0].blockOverrides.colour"],
			[having({ movePrecompileToAddress: bob }), -32602, "can't be moved"],
			[having({ nonce: "0x5" }), -32602, "no nonce"],
			[having({ state: {}, stateDiff: {} }), -32602, "both state and stateDiff"],
			[having({ balance: `0x${word(2n ** 70n)}` }), -32602, "a whole number from 0 to"],
			[having({ stateDiff: { [`0x${word(1)}`]: `0x${word(1)}` } }), -32602, "no contract"],
			[having({ tokens: { 1000009: "5" } }), -32602, "no token 1000009"],
			[{ blockStateCalls: [] }, -32602, "blockStateCalls is empty"],
			[{ blockStateCalls: {} }, -32602, "blockStateCalls must be a list"],
			[calls({ to: "0x12" }), -32602, "blockStateCalls[0].calls[0].to must be an address"],
			[calls({ to: bob, data: "0x1" }), -32602, "must be bytes in hexadecimal"],
			[7, -32602, "must be an object"],
		] as const) {
			expect({ simulation, error: await refused(simulation) }).toMatchObject({
				error: { code, message: expect.stringContaining(message) },
			});
		}
		expect(await refused({ blockStateCalls: [{}] }, "eth_simulateV1", "0xfffffff")).toMatchObject({
			message: "there is no such block",
		});
	});

	it("ends when its time is over", async () => {
		const endless = toHex(assemble("again: @again JUMP"));
		const error = await refused({
			blockStateCalls: [
				{
					stateOverrides: { [PLACE]: { code: `0x${endless}` } },
					calls: Array.from({ length: 40 }, () => ({ to: PLACE })),
				},
			],
		});
		expect(error).toMatchObject({
			code: -32000,
			message: expect.stringMatching(
				/the simulation takes longer than 2000 ms \(node\.jsonrpc\.debugTimeoutMs\)/,
			),
		});
	});
});

describe("calls on another state", () => {
	const placed = (code: string, more: object = {}) => ({ [PLACE]: { code: `0x${code}`, ...more } });
	/** Returns slot 1, and its own balance. */
	const TELLING = toHex(assemble("0x01 SLOAD 0x00 MSTORE SELFBALANCE 0x20 MSTORE 0x40 0x00 RETURN"));

	it("see accounts and blocks that are not", async () => {
		const slots = { stateDiff: { "0x1": `0x${word(33)}` }, balance: "0x9" };
		const call = { from: ann, to: PLACE };
		expect(await chain.result("eth_call", [call, "latest", placed(TELLING, slots)])).toBe(
			`0x${word(33)}${word(9)}`,
		);
		expect(await chain.result("eth_call", [call, "latest", {}])).toBe("0x");
		const later = { number: "0x777", time: "0x7fffffff" };
		expect(await chain.result("eth_call", [call, "latest", placed(PASSING), later])).toBe(
			`0x${word(0x7fffffff)}${word(0x777)}`,
		);
		expect(Number(await chain.result("eth_estimateGas", [call, "latest", placed(PASSING)]))).toBeGreaterThan(
			20_000,
		);
		const error = (await chain.rpc("eth_call", [call, "latest", { [PLACE]: { colour: 1 } }], "/jsonrpc"))
			.error;
		expect(error).toMatchObject({ code: -32602, message: `unknown member ${PLACE}.colour` });
	});

	it("are traced", async () => {
		const options = {
			tracer: "callTracer",
			stateOverrides: placed(PASSING),
			blockOverrides: { number: "0x777", time: "0x7fffffff", feeRecipient: bob },
		};
		const frame = await chain.result("debug_traceCall", [{ from: ann, to: PLACE }, "latest", options]);
		expect(frame).toMatchObject({ output: `0x${word(0x7fffffff)}${word(0x777)}` });
	});
});

describe("a node of a network", () => {
	const asked = async (settings: string, method: string, params: readonly unknown[]) => {
		const node = await startHttpNode(
			`node.jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0, ${settings} }`,
		);
		try {
			const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
			return (await node.ask("/jsonrpc", { server: "jsonrpc", body })).json as unknown as RpcAnswer;
		} finally {
			await node.close();
		}
	};
	const simulation = { blockStateCalls: [{ calls: [{ to: PLACE }] }] };
	const call = [{ to: PLACE, data: "0x" }, "latest", { [PLACE]: { code: `0x${PASSING}` } }];

	it("simulates only where it is told to", async () => {
		for (const method of ["eth_simulateV1", "coin_simulate"]) {
			expect((await asked("", method, [simulation])).error).toMatchObject({ code: -32601 });
		}
		expect((await asked("", "eth_call", call)).error).toMatchObject({ code: -32602 });
		expect((await asked("lenient = true", "eth_call", call)).error).toMatchObject({
			code: -32602,
			message: expect.stringContaining("node.jsonrpc.simulate is off"),
		});
		for (const settings of ["simulate = true", "debug = true"]) {
			expect((await asked(settings, "eth_simulateV1", [simulation])).result).toMatchObject([
				{ calls: [{ status: "0x1" }] },
			]);
		}
		expect((await asked("simulate = true", "eth_estimateGas", [call[0]])).error).toBeDefined();
	});
});

interface SimulatedTransaction extends Json {
	readonly txID: string;
	readonly status: string;
	readonly receipt: Json;
	readonly changes: readonly (Json & { readonly address: string })[];
}

const coinSimulate = async (simulation: object, block = "latest") =>
	(await chain.result("coin_simulate", [simulation, block])) as {
		readonly number: number;
		readonly transactions: readonly SimulatedTransaction[];
	}[];

describe("coin_simulate", () => {
	it("executes transactions of any type, in each form", async () => {
		const [from, to] = [chain.account(0), chain.account(1)];
		const built = await chain.post("/wallet/createtransaction", {
			owner_address: from.hex,
			to_address: to.hex,
			amount: 12,
		});
		const stake = {
			type: "FreezeBalanceV2Contract",
			parameter: { owner_address: to.hex, frozen_balance: 5_000_000, resource: "ENERGY" },
		};
		const [block] = await coinSimulate({
			blocks: [
				{
					transactions: [
						built,
						{ raw_data_hex: built["raw_data_hex"], signature: ["00".repeat(65), "00".repeat(65)] },
						built["raw_data_hex"],
						stake,
					],
				},
			],
		});
		const [first, twice, third, staked] = block?.transactions ?? [];
		expect(first).toMatchObject({
			txID: built["txID"],
			status: "success",
			receipt: { id: built["txID"], blockNumber: block?.number },
			movements: [{ asset: "coin", from: from.hex, to: to.hex, amount: "12" }],
		});
		// Signed by nobody it is as long as if it were signed: the sent one pays for the same bytes.
		const sent = await chain.act("createtransaction", { to_address: to.address, amount: 12 }, from);
		const paidFor = ({ receipt }: Json) => (receipt as Json)["net_usage"];
		expect(paidFor(first?.receipt ?? {})).toBe(paidFor(await chain.info(String(sent["txid"]))));
		expect(third?.receipt["receipt"]).toEqual(first?.receipt["receipt"]);
		// A second signature has a fee.
		expect(twice?.receipt["fee"]).toBeGreaterThan(0);
		expect(staked).toMatchObject({
			status: "success",
			movements: [{ asset: "coin", from: to.hex, to: null, amount: "5000000" }],
			changes: [
				{
					address: to.hex,
					balance: { before: expect.any(String), after: expect.any(String) },
					stakes: { energy: { before: "0", after: "5000000" } },
				},
			],
		});
	});

	it("tells storage, permissions and votes, with addresses as text", async () => {
		const owner = chain.account(2);
		const contract = await chain.deploy(STORE, word(1));
		const built = (await chain.post("/wallet/triggersmartcontract", {
			visible: true,
			owner_address: owner.address,
			contract_address: contract,
			function_selector: "set(uint256,string)",
			parameter: setArguments(9),
			fee_limit: 1_000_000_000,
			call_value: 0,
		})) as { transaction: Json };
		const key = { address: chain.account(3).address, weight: 1 };
		const permissions = {
			type: "AccountPermissionUpdateContract",
			parameter: {
				owner_address: owner.address,
				owner: { type: 0, permission_name: "owner", threshold: 1, keys: [key] },
				actives: [
					{
						type: 2,
						permission_name: "pay",
						threshold: 1,
						operations: `02${"00".repeat(31)}`,
						keys: [key],
					},
				],
			},
		};
		const simulation = { visible: true, blocks: [{ transactions: [built.transaction, permissions] }] };
		const [block] = await coinSimulate(simulation);
		const [called, permitted] = block?.transactions ?? [];
		expect(called).toMatchObject({ status: "success", receipt: { receipt: { result: "SUCCESS" } } });
		const changed = called?.changes.find(({ address }) => address === contract);
		expect(Object.values(changed?.["storage"] as Json)).toContainEqual({
			before: expect.anything(),
			after: word(9),
		});
		const logs = called?.receipt["log"] as Json[];
		expect(logs[0]?.["address"]).toBe(contract);
		expect(permitted?.changes.find(({ address }) => address === owner.address)).toMatchObject({
			permissions: { after: { owner: { keys: [key] }, actives: [{ permission_name: "pay", id: 2 }] } },
		});
	});

	it("sees what is put in place of the state, and keeps it from block to block", async () => {
		const owner = chain.account(4);
		const unstake = {
			type: "UnfreezeBalanceV2Contract",
			parameter: { owner_address: owner.hex, unfreeze_balance: 3_000_000, resource: "BANDWIDTH" },
		};
		const withdraw = { type: "WithdrawExpireUnfreezeContract", parameter: { owner_address: owner.hex } };
		const now = Date.now();
		const blocks = await coinSimulate({
			blocks: [
				{
					accounts: { [owner.address]: { stakes: { bandwidth: 4_000_000 }, balance: "20000000" } },
					transactions: [unstake, withdraw],
				},
				// Rules read the time of the block before theirs.
				{ timestamp: now + 40 * 86_400_000, transactions: [] },
				{ transactions: [withdraw] },
			],
		});
		expect(blocks.flatMap(({ transactions }) => transactions.map(({ status }) => status))).toEqual([
			"success",
			"refused",
			"success",
		]);
		expect(blocks[0]?.transactions[1]).toMatchObject({
			error: { code: "ContractValidateException", message: expect.stringContaining("no unFreeze balance") },
		});
		expect(blocks[2]?.transactions[0]).toMatchObject({
			movements: [{ asset: "coin", from: null, to: owner.hex, amount: "3000000" }],
			changes: expect.arrayContaining([
				expect.objectContaining({ unstaking: { before: "3000000", after: "0" } }),
			]),
		});
	});

	it("checks signatures, permissions and expiry where it is to", async () => {
		const [from, to] = [chain.account(5), chain.account(6)];
		const built = await chain.post("/wallet/createtransaction", {
			owner_address: from.hex,
			to_address: to.hex,
			amount: 1,
		});
		const check = async (transaction: object, more: object = {}) => {
			const blocks = [{ ...more, transactions: [transaction] }];
			return (await coinSimulate({ validation: true, blocks }))[0]?.transactions[0];
		};
		expect(await check(built)).toMatchObject({
			status: "refused",
			error: { code: "ValidateSignatureException", message: expect.any(String) },
		});
		const { sign } = await import("../../../../../src/protocol/signature.js");
		const signature = (n: number) => [
			toHex(sign(Buffer.from(String(built["txID"]), "hex"), chain.account(n).privateKey)),
		];
		expect(await check({ ...built, signature: signature(6) })).toMatchObject({ status: "refused" });
		expect(await check({ ...built, signature: signature(5) })).toMatchObject({ status: "success" });
		const permissions = { owner: { threshold: 1, keys: [{ address: to.hex, weight: 1 }] } };
		expect(
			await check({ ...built, signature: signature(6) }, { accounts: { [from.hex]: { permissions } } }),
		).toMatchObject({ status: "success" });
		await chain.rpc("dev_mine", [1]);
	});

	it("leaves changes away on request, and refuses what it can't read", async () => {
		const stake = { type: "FreezeBalanceV2Contract", parameter: { owner_address: chain.account(0).hex } };
		const [block] = await coinSimulate({ changes: false, blocks: [{ transactions: [stake] }] });
		expect(block?.transactions[0]).not.toHaveProperty("changes");
		expect(block?.transactions[0]).toMatchObject({ status: "refused" });
		for (const [transaction, message] of [
			["zz", "blocks[0].transactions[0] must be bytes in hexadecimal"],
			["0aff", "blocks[0].transactions[0]: "],
			[{ type: "NoContract", parameter: {} }, "must be a type of transactions"],
			[{ type: "TransferContract" }, "blocks[0].transactions[0].parameter must be an object"],
			[{ type: "TransferContract", parameter: { amount: "x" } }, "blocks[0].transactions[0].parameter: "],
			[{ raw_data: 5 }, "blocks[0].transactions[0]: "],
			[{ raw_data_hex: "0a", signature: 5 }, "signature must be a list"],
			[17, "blocks[0].transactions[0] must be an object"],
		] as const) {
			const error = await refused({ blocks: [{ transactions: [transaction] }] }, "coin_simulate");
			expect({ transaction, error }).toMatchObject({
				error: { code: -32602, message: expect.stringContaining(message) },
			});
		}
		for (const simulation of [{}, { blocks: [] }, { blocks: [{ colour: 1 }] }, null, "x"]) {
			expect(await refused(simulation, "coin_simulate")).toMatchObject({ code: -32602 });
		}
	});
});

it("simulations are part of the document", async () => {
	const { methods } = (await chain.result("rpc.discover", [])) as { methods: { name: string }[] };
	expect(methods.map(({ name }) => name)).toEqual(
		expect.arrayContaining(["eth_simulateV1", "coin_simulate"]),
	);
});
