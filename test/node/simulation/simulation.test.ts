import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { OpenChain } from "../../../src/node/chain/open-chain.js";
import { createContractMachine } from "../../../src/node/contract-runner.js";
import { type AccountEdit, applyAccountEdits } from "../../../src/node/simulation/account-edits.js";
import { type Movement, movementsOf } from "../../../src/node/simulation/movements.js";
import { type ExecutionMode, Simulation } from "../../../src/node/simulation/simulation.js";
import { Simulator } from "../../../src/node/simulation/simulator.js";
import { accountChanges } from "../../../src/node/simulation/state-changes.js";
import { storeDefinitions } from "../../../src/node/state/definition.js";
import { StateLayer } from "../../../src/node/state/layer.js";
import { CallTrace } from "../../../src/node/tracing/call-trace.js";
import { TraceBudget } from "../../../src/node/tracing/limits.js";
import { TouchedState } from "../../../src/node/tracing/touched-state.js";
import { readSlot } from "../../../src/node/vm/storage-keys.js";
import { EMPTY, toHex } from "../../../src/protocol/bytes.js";
import {
	AccountPermissionUpdateContract,
	FreezeBalanceV2Contract,
	Key,
	Permission,
	ResourceCode,
	TransactionInfo,
	TransactionResultContractResult,
	TransferContract,
	TriggerSmartContract,
	VoteWitnessContract,
	VoteWitnessContractVote,
} from "../../../src/protocol/messages.js";
import { addressOfPrivateKey } from "../../../src/protocol/signature.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import {
	balance,
	openSmall,
	produce,
	produceMany,
	signed,
	smallConfig,
	transfer,
	users,
} from "../chain/small-chain.js";
import { assemble } from "../vm/assembler.js";

const [ann, bob, eve] = users as [Uint8Array, Uint8Array, Uint8Array];
const COMMITTEE = `allowMultiSign = 1, allowDelegateResource = 1, unfreezeDelayDays = 14, allowSameTokenName = 1
	allowNewResourceModel = 1, changeDelegation = 1, allowConstantinople = 1, allowShanghai = 1, allowCancun = 1`;
const config = smallConfig(COMMITTEE.replaceAll("\n", ","));
const machine = createContractMachine(config, false);
const contract = Uint8Array.from([...ann.subarray(0, 1), ...Buffer.alloc(20, 0xcc)]);

const openChain = (): Promise<OpenChain> => openSmall({ config, machine: machine.run });

const plan = { edits: [] as readonly AccountEdit[] };
const edit = (address: Uint8Array, more: Partial<AccountEdit> = {}): AccountEdit => ({
	address,
	slots: [],
	clearsStorage: false,
	tokens: [],
	...more,
});

/** A movement with its addresses as text. */
const written = ({ from, to, contract: of, ...more }: Movement) => ({
	...more,
	...(of ? { contract: toHex(of) } : {}),
	from: from && toHex(from),
	to: to && toHex(to),
});
const [annText, bobText, contractText] = [ann, bob, contract].map(toHex);

function execute(
	simulation: Simulation,
	transaction: SignedTransaction,
	mode: ExecutionMode = "charged",
	deadlineMs = Number.POSITIVE_INFINITY,
) {
	const budget = new TraceBudget(0);
	const trace = new CallTrace({ onlyTop: false, withLog: true }, budget);
	const touched = new TouchedState(budget);
	const observer = { ...touched.observer, ...trace.observer };
	const done = simulation.execute(transaction, { mode, observer, deadlineMs, energyLimit: 1_000_000n });
	const { info, changes } = done;
	return {
		...done,
		accounts: accountChanges(changes, touched),
		movements: info
			? movementsOf({
					transaction,
					info,
					changes,
					root: trace.root,
					blackHole: addressOfPrivateKey(Buffer.from("3e7".padStart(64, "0"), "hex")),
				}).map(written)
			: [],
	};
}

/** Of every entry of the state. */
async function stateHash(open: OpenChain): Promise<string> {
	const hash = createHash("sha256");
	for (const store of storeDefinitions) {
		const rows: string[] = [];
		for await (const [key, value] of open.database.dump(store)) rows.push(`${key}=${toHex(value)}`);
		hash.update(`${store.name}:${rows.sort().join("\n")}`, "latin1");
	}
	return hash.digest("hex");
}

const call = (open: OpenChain, data = "", value = 0n, feeLimitSun = 100_000_000n): SignedTransaction =>
	signed(
		open,
		0,
		"TriggerSmartContract",
		TriggerSmartContract.create({
			owner_address: ann,
			contract_address: contract,
			call_value: value,
			data: Buffer.from(data, "hex"),
		}),
		{ feeLimitSun },
	);

/** Adds 1 to slot 1, sends what came to bob, logs it as a transfer of ORC-20; with any data it reverts with 4 bytes. */
const COUNTER = assemble(`CALLDATASIZE @fail JUMPI
	0x01 SLOAD 0x01 ADD DUP1 0x01 SSTORE 0x00 MSTORE
	0x00 0x00 0x00 0x00 CALLVALUE 0x${toHex(bob.subarray(1))} GAS CALL POP
	0x${toHex(bob.subarray(1))} 0x${toHex(ann.subarray(1))}
	0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef 0x20 0x00 LOG3
	0x20 0x00 RETURN fail: 0x04 0x00 REVERT`);
const slot = (n: number): Uint8Array => Buffer.from(n.toString(16).padStart(64, "0"), "hex");

describe("a simulation", () => {
	test("comes to the receipts of a real block, and changes no entry of the state", async () => {
		const open = await openChain();
		produceMany(open, 3);
		const permission = (name: string, address: Uint8Array) =>
			Permission.create({
				permission_name: name,
				threshold: 1n,
				keys: [Key.create({ address, weight: 1n })],
			});
		const transactions = [
			transfer(open, 0, bob, 5_000_000n),
			signed(
				open,
				1,
				"FreezeBalanceV2Contract",
				FreezeBalanceV2Contract.create({
					owner_address: bob,
					frozen_balance: 7_000_000n,
					resource: ResourceCode.COIN_POWER,
				}),
			),
			signed(
				open,
				1,
				"VoteWitnessContract",
				VoteWitnessContract.create({
					owner_address: bob,
					votes: [
						VoteWitnessContractVote.create({
							vote_address: open.rules.genesisWitnesses[0]?.address as Uint8Array,
							vote_count: 3n,
						}),
					],
				}),
			),
			signed(
				open,
				2,
				"AccountPermissionUpdateContract",
				AccountPermissionUpdateContract.create({
					owner_address: eve,
					owner: permission("owner", bob),
					actives: [
						Permission.create({
							...permission("active", ann),
							type: 2,
							operations: Buffer.alloc(32, "02".padEnd(64, "0"), "hex"),
						}),
					],
				}),
			),
		];
		const before = await stateHash(open);
		const simulation = new Simulation(open, machine, open.chain.head);
		simulation.begin(plan);
		const results = transactions.map((transaction) => execute(simulation, transaction, "checked"));
		expect(results.map(({ refusal }) => refusal?.message)).toEqual(transactions.map(() => undefined));
		const { block, infos, state } = simulation.end();
		expect(block.number).toBe(4n);
		expect(toHex(state.account.get(eve)?.owner_permission?.keys[0]?.address ?? EMPTY)).toBe(bobText);
		expect(await stateHash(open)).toBe(before);

		for (const transaction of transactions) open.chain.pushTransaction(transaction);
		const real = produce(open);
		const recorded = infos.map(({ id }) => {
			const ret = open.chain.state.transactionResult.get(
				Buffer.from(real.number.toString(16).padStart(16, "0"), "hex"),
			);
			return ret?.transactioninfo.find((info) => Buffer.compare(info.id, id) === 0);
		});
		expect(infos.map((info) => TransactionInfo.encode(info))).toEqual(
			recorded.map((info) => info && TransactionInfo.encode(info)),
		);
		await open.close();
	});

	test("tells what each transaction changed and moved, fees left aside", async () => {
		const open = await openChain();
		produceMany(open, 2);
		const stranger = Uint8Array.from([...ann.subarray(0, 1), ...Buffer.alloc(20, 9)]);
		const simulation = new Simulation(open, machine, open.chain.head);
		simulation.begin(plan);
		const paid = execute(simulation, transfer(open, 0, stranger, 4n));
		// The recipient had to be created.
		expect(paid.info?.fee).toBe(100_000n);
		expect(paid.movements).toEqual([{ asset: "coin", from: annText, to: toHex(stranger), amount: 4n }]);
		const now = balance(open, ann);
		// That of the fees stands between them.
		expect(paid.accounts.map(({ address }) => toHex(address))).toEqual([
			annText,
			expect.any(String),
			toHex(stranger),
		]);
		expect(paid.accounts[0]?.amounts.get("balance")).toEqual({ before: now, after: now - 100_004n });
		expect(paid.accounts[2]?.exists).toEqual({ before: false, after: true });

		const frozen = execute(
			simulation,
			signed(
				open,
				1,
				"FreezeBalanceV2Contract",
				FreezeBalanceV2Contract.create({ owner_address: bob, frozen_balance: 7_000_000n, resource: 1 }),
			),
		);
		expect(frozen.movements).toEqual([{ asset: "coin", from: bobText, to: undefined, amount: 7_000_000n }]);
		expect(frozen.accounts[0]?.stakes).toEqual(new Map([["energy", { before: 0n, after: 7_000_000n }]]));
		simulation.end();
		await open.close();
	});

	test("runs contracts that only it has, with their storage", async () => {
		const open = await openChain();
		produceMany(open, 2);
		const before = await stateHash(open);
		const simulation = new Simulation(open, machine, open.chain.head);
		simulation.begin({ edits: [edit(contract, { code: COUNTER, slots: [[slot(1), slot(41)]] })] });
		const done = execute(simulation, call(open, "", 3n));
		expect(done.refusal).toBeUndefined();
		expect(toHex(done.info?.contractResult[0] ?? EMPTY)).toBe(toHex(slot(42)));
		expect(done.info?.receipt?.energy_usage_total).toBeGreaterThan(5_000n);
		expect(done.info?.fee).toBeGreaterThan(0n);
		expect(done.movements).toEqual([
			{ asset: "coin", from: annText, to: contractText, amount: 3n },
			{ asset: "coin", from: contractText, to: bobText, amount: 3n },
			{ asset: "orc20", contract: contractText, from: annText, to: bobText, amount: 42n },
		]);
		const changed = done.accounts.find(({ address }) => Buffer.compare(address, contract) === 0);
		expect(changed?.storage).toEqual([{ slot: slot(1), before: slot(41), after: slot(42) }]);
		const failed = execute(simulation, call(open, "00"));
		expect(failed.info).toMatchObject({
			result: 1,
			receipt: { result: TransactionResultContractResult.REVERT },
		});
		expect(failed.info?.fee).toBeGreaterThan(0n);
		expect(failed.movements).toEqual([]);
		simulation.end();

		// All of the storage is another one, from the next block on.
		simulation.begin({ edits: [edit(contract, { clearsStorage: true, slots: [[slot(7), slot(8)]] })] });
		expect(toHex(execute(simulation, call(open)).info?.contractResult[0] ?? EMPTY)).toBe(toHex(slot(1)));
		const stored = { address: contract, creationId: EMPTY, version: 0 };
		expect(readSlot(simulation.state, stored, 7)).toEqual(slot(8));
		simulation.end();
		expect(await stateHash(open)).toBe(before);
		await open.close();
	});

	test("leaves out what no block would take, and goes on", async () => {
		const open = await openChain();
		produceMany(open, 2);
		const simulation = new Simulation(open, machine, open.chain.head);
		simulation.begin(plan);
		const refused = execute(simulation, transfer(open, 0, bob, balance(open, ann)));
		expect(refused.info).toBeDefined();
		const again = execute(simulation, transfer(open, 0, eve, 10n));
		expect(again.refusal?.message).toMatch(/insufficient|not sufficient/);
		expect(again.accounts).toEqual([]);
		expect(execute(simulation, transfer(open, 1, eve, 10n)).refusal).toBeUndefined();
		const { block } = simulation.end();
		expect(block.transactions).toHaveLength(2);
		await open.close();
	});

	test("asks for signatures, reference and expiry only where it is to check them", async () => {
		const open = await openChain();
		const [first] = produceMany(open, 2);
		const good = transfer(open, 0, bob, 10n);
		const unsigned = new SignedTransaction({ ...good.message, signature: [] } as never);
		const simulation = new Simulation(open, machine, first as never);
		simulation.begin(plan);
		expect(execute(simulation, unsigned, "checked").refusal?.className).toBe("TaposException");
		simulation.end();
		const now = new Simulation(open, machine, open.chain.head);
		now.begin({ edits: [], timestampMs: open.chain.head.timestampMs + 90_000_000n });
		expect(execute(now, unsigned, "checked").refusal?.className).toBe("ValidateSignatureException");
		expect(execute(now, unsigned, "charged").refusal).toBeUndefined();
		expect(execute(now, good, "checked").refusal?.className).toBe("DupTransactionException");
		now.end();
		now.begin(plan);
		expect(execute(now, transfer(open, 1, ann, 1n), "checked").refusal?.className).toBe(
			"TransactionExpirationException",
		);
		await open.close();
	});

	test("of a free call asks nobody to pay", async () => {
		const open = await openChain();
		produceMany(open, 2);
		const poor = Uint8Array.from([...ann.subarray(0, 1), ...Buffer.alloc(20, 0x77)]);
		const simulation = new Simulation(open, machine, open.chain.head);
		simulation.begin({ edits: [edit(contract, { code: COUNTER })] });
		const parameter = TriggerSmartContract.create({ owner_address: poor, contract_address: contract });
		const transaction = signed(open, 0, "TriggerSmartContract", parameter);
		const done = execute(simulation, transaction, "free");
		expect(done.info).toMatchObject({ fee: 0n, result: 0, receipt: { energy_fee: 0n } });
		expect(done.info?.receipt?.energy_usage_total).toBeGreaterThan(5_000n);
		expect(simulation.state.account.has(poor)).toBe(false);
		const gift = TransferContract.create({ owner_address: ann, to_address: poor, amount: 5n });
		expect(execute(simulation, signed(open, 0, "TransferContract", gift), "free").info?.fee).toBe(0n);
		expect(simulation.state.account.get(poor)?.balance).toBe(5n);
		const tooMuch = TransferContract.create({ owner_address: poor, to_address: ann, amount: 6n });
		expect(
			execute(simulation, signed(open, 0, "TransferContract", tooMuch), "free").refusal?.message,
		).toMatch("not sufficient");
		await open.close();
	});
});

describe("simulated blocks", () => {
	test("follow each other, and fill gaps", async () => {
		const open = await openChain();
		const [first] = produceMany(open, 3);
		const simulation = new Simulation(open, machine, first as never);
		const time = first?.timestampMs ?? 0n;
		expect(simulation.begin({ edits: [], number: 4n, witness: bob })).toMatchObject([
			{ block: { number: 2n, timestampMs: time + 3_000n } },
			{ block: { number: 3n, timestampMs: time + 6_000n } },
		]);
		const { block, state } = simulation.end();
		expect(block).toMatchObject({ number: 4n, timestampMs: time + 9_000n });
		expect(block.witness).toEqual(bob);
		expect(state.properties.headNumber).toBe(4n);
		expect(state.properties.headId).toEqual(block.id);
		for (const [wrong, fault] of [
			[{ number: 4n }, "number"],
			[{ timestampMs: time + 9_000n }, "time"],
			[{ number: 7n, timestampMs: time + 15_000n }, "time"],
			[{ number: 1_000n }, "blocks"],
			[{ edits: [edit(bob, { slots: [[slot(1), slot(1)]] })] }, "override"],
			[{ edits: [edit(bob, { tokens: [[1_000_001n, 5n]] })] }, "override"],
		] as const) {
			expect(() => simulation.begin({ edits: [], ...wrong })).toThrow(
				expect.objectContaining({ name: "SimulationError", fault }),
			);
		}
		await open.close();
	});

	test("end a cycle when its time has come", async () => {
		const open = await openChain();
		produceMany(open, 2);
		const { properties } = open.chain.state;
		const due = properties.get("NEXT_MAINTENANCE_TIME");
		const simulation = new Simulation(open, machine, open.chain.head);
		simulation.begin({ edits: [], timestampMs: due + 1_000n });
		expect(simulation.end().state.properties.get("NEXT_MAINTENANCE_TIME")).toBeGreaterThan(due);
		expect(properties.get("NEXT_MAINTENANCE_TIME")).toBe(due);
		await open.close();
	});

	test("stay on their block while the chain goes on, until it is gone", async () => {
		const open = await openChain();
		produceMany(open, 2);
		const simulation = new Simulation(open, machine, open.chain.head);
		simulation.begin(plan);
		const had = balance(open, bob);
		open.chain.pushTransaction(transfer(open, 0, bob, 1_000n));
		produce(open);
		const { changes } = execute(simulation, transfer(open, 2, bob, 5n));
		expect(changes.before.account.get(bob)?.balance).toBe(had);
		expect(changes.after.account.get(bob)?.balance).toBe(had + 5n);
		produceMany(open, 12);
		expect(() => simulation.state).toThrow("is gone: node.history.state");
		await open.close();
	});

	test("take as long as they may", async () => {
		const open = await openChain();
		produceMany(open, 2);
		const run = new Simulator(open, machine).begin(open.chain.head, {
			queue: async (work) => work(),
			timeoutMs: 30,
		});
		const endless = edit(contract, { code: assemble("again: @again JUMP") });
		const rich = call(open, "", 0n, 1_000_000_000n);
		// In one step: what comes before may take as long as it does.
		await expect(
			run.step((simulation, deadlineMs) => {
				simulation.begin({ edits: [endless] });
				return execute(simulation, rich, "charged", deadlineMs);
			}),
		).rejects.toThrow("the simulation takes longer than 30 ms");
		await open.close();
	});
});

test("edits of an account stand beside what it has", async () => {
	const open = await openChain();
	produceMany(open, 2);
	const layer = new StateLayer(open.chain.state);
	const { view } = applyAccountEdits(layer, [
		edit(bob, { balanceSun: 7n, stakes: { energySun: 5_000_000n, votes: 2n } }),
		edit(contract, { code: COUNTER }),
	]);
	expect(view.account.get(bob)).toMatchObject({ balance: 7n });
	expect(view.account.get(bob)?.frozenV2).toMatchObject([
		{ type: ResourceCode.ENERGY, amount: 5_000_000n },
		{ type: ResourceCode.COIN_POWER, amount: 2_000_000n },
	]);
	expect(view.code.get(contract)).toEqual(COUNTER);
	expect(balance(open, bob)).not.toBe(7n);
	await open.close();
});
