import { describe, expect, it } from "vitest";
import { execute } from "../../../src/node/vm/execution.js";
import type { Gates } from "../../../src/node/vm/gates.js";
import { prepareCall, prepareDeploy } from "../../../src/node/vm/preparation.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import {
	CreateSmartContract,
	TransactionResultContractResult as Result,
	SmartContract,
	TriggerSmartContract,
} from "../../../src/protocol/messages.js";
import type { SignedTransaction } from "../../../src/protocol/transaction.js";
import {
	CALLER,
	CONTRACT,
	emptyState,
	putTestAccount,
	putTestContract,
	ROOT_ID,
	runContract,
} from "./machine-fixture.js";

const OTHER = Uint8Array.from(CALLER, (byte, i) => (i === 20 ? 1 : byte));

/** Prepares a call of {@link CONTRACT} with a record that old rules let in. */
async function prepare(
	call: Partial<TriggerSmartContract>,
	origin: Uint8Array,
	gates: Partial<Gates>,
	constantEnergy?: bigint,
) {
	const state = await emptyState();
	state.properties.set("ALLOW_CREATION_OF_CONTRACTS", 1n);
	putTestAccount(state, CALLER, 1_000_000n);
	putTestAccount(state, OTHER);
	putTestContract(state, CONTRACT, "00", { origin_address: origin, origin_energy_limit: -1n });
	const { machine } = runContract(state, { gates: { freezeV2: false, ...gates } });
	const parameter = TriggerSmartContract.create({
		owner_address: CALLER,
		contract_address: CONTRACT,
		...call,
	});
	const transaction = {
		id: ROOT_ID,
		owner: CALLER,
		parameter,
		raw: { fee_limit: 1_000_000n },
		message: { ret: [] },
	} as unknown as SignedTransaction;
	return prepareCall(machine, transaction, { constantEnergy, needsResult: false });
}

describe("preparing a call", () => {
	it("shows negative amounts of before block version 5 as 64 bits", async () => {
		const call = { call_value: -1n, call_token_value: -2n, token_id: -3n };
		const old = { energyLimit: false, multiSign: false };
		const { root } = await prepare(call, CALLER, old, 1000n);
		expect(root.context).toMatchObject({
			callValue: 2n ** 64n - 1n,
			tokenValue: 2n ** 64n - 2n,
			tokenId: 2n ** 64n - 3n,
		});
	});

	it("refuses a deployer's negative limit only where the deployer takes part", async () => {
		await expect(prepare({}, OTHER, {})).rejects.toThrow("originEnergyLimit can't be < 0");
		expect((await prepare({}, CALLER, {})).limit.limit).toBe(10_000n);
	});
});

/** Prepares and runs a deploy of this contract, without code. */
async function deploy(contract: Partial<SmartContract>, gates: Partial<Gates>) {
	const state = await emptyState();
	state.properties.set("ALLOW_CREATION_OF_CONTRACTS", 1n);
	putTestAccount(state, CALLER, 1_000_000n);
	putTestContract(state, CONTRACT, "00");
	const { machine } = runContract(state, { gates: { freezeV2: false, ...gates } });
	const new_contract = SmartContract.create({
		origin_address: CALLER,
		origin_energy_limit: 1n,
		bytecode: fromHex("00"),
		...contract,
	});
	const transaction = {
		id: ROOT_ID,
		owner: CALLER,
		parameter: CreateSmartContract.create({ owner_address: CALLER, new_contract }),
		raw: { fee_limit: 1_000_000n },
		message: { ret: [] },
	} as unknown as SignedTransaction;
	const prepared = prepareDeploy(machine, transaction, { constantEnergy: undefined, needsResult: false });
	execute(prepared.root);
	return prepared;
}

describe("preparing a deploy", () => {
	const late = { endsOddStakes: true };
	const refusal = "contractName's length cannot be greater than 32";

	it.each<[string, string, boolean]>([
		["32 letters", "a".repeat(32), true],
		["33 letters", "a".repeat(33), false],
		["16 letters of two bytes", "é".repeat(16), true],
		["17 letters of two bytes", "é".repeat(17), false],
		["11 signs of three bytes", "合".repeat(11), false],
		["8 signs of four bytes", "𝄞".repeat(8), true],
		["9 signs of four bytes", "𝄞".repeat(9), false],
	])("takes a name of %s, or not, before and from block version 37 on", async (_, name, passes) => {
		for (const gates of [{}, late]) {
			if (passes) expect((await deploy({ name }, gates)).root.failure).toBeUndefined();
			else await expect(deploy({ name }, gates)).rejects.toThrow(refusal);
		}
	});

	it.each<[string, Partial<SmartContract>]>([
		["code hash", { code_hash: new Uint8Array(32) }],
		["transaction's id", { trx_hash: fromHex("01") }],
	])("ends as out of time with a %s from block version 37 on", async (_, record) => {
		expect((await deploy(record, {})).root.failure).toBeUndefined();
		const { root, isCreation } = await deploy(record, late);
		expect(root.failure).toMatchObject({
			result: Result.OUT_OF_TIME,
			message: "CPU timeout for contract hash fields",
		});
		expect([isCreation, root.remaining, root.began]).toEqual([true, 0, false]);
	});

	it.each([
		["60006000f30001", "01"],
		["60006000f300", undefined],
		["6000", "00".repeat(32)],
	])("before #26 finds in %s the code %s, of which an empty one has no row", async (bytecode, code) => {
		const { machine, address } = await deploy({ bytecode: fromHex(bytecode) }, { constantinople: false });
		const stored = machine.state.code.get(address);
		expect(stored && toHex(stored)).toBe(code);
	});

	it("marks the contract as made by the transaction", async () => {
		const { machine, address } = await deploy({}, {});
		expect(machine.created.has(address)).toBe(true);
	});
});
