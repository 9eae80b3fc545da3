import { describe, expect, it } from "vitest";
import type { StateView } from "../../../src/node/state/view.js";
import { createdAddress } from "../../../src/node/vm/addresses.js";
import type { Frame } from "../../../src/node/vm/frame.js";
import type { Gates } from "../../../src/node/vm/gates.js";
import { AddressMarks } from "../../../src/node/vm/machine.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import {
	Account,
	AccountAccountResource,
	AccountFreezeV2,
	AccountFrozen,
	AccountType,
	AccountUnFreezeV2,
	TransactionResultContractResult as Result,
	Vote,
} from "../../../src/protocol/messages.js";
import { assemble, creationOf, storeBytes } from "./assembler.js";
import {
	CONTRACT,
	emptyState,
	putTestAccount,
	putTestContract,
	ROOT_ID,
	runContract,
} from "./machine-fixture.js";

it("before #81, pays stakes to an heir that differs in the last byte alone, missing though it is", async () => {
	const state = await emptyState();
	putTestContract(state, CONTRACT, `73${"33".repeat(19)}44ff`);
	const frozen_balance_for_energy = AccountFrozen.create({ frozen_balance: 7_000_000n });
	state.account.put(
		CONTRACT,
		Account.create({
			address: CONTRACT,
			type: AccountType.Contract,
			balance: 5n,
			account_resource: AccountAccountResource.create({ frozen_balance_for_energy }),
		}),
	);
	const blackHole = Uint8Array.from(CONTRACT, (_, i) => (i === 0 ? 0x41 : 0xff));
	state.account.put(blackHole, Account.create({ address: blackHole }));
	const gates = { energyAdjustment: false, freezeV2: false };
	const { failure, machine } = runContract(state, { gates });
	expect(failure).toBeUndefined();
	const heir = Uint8Array.from(CONTRACT, (byte, i) => (i === 20 ? 0x44 : byte));
	expect(machine.state.account.get(heir)).toMatchObject({ balance: 7_000_000n, type: AccountType.Normal });
	expect(machine.state.account.get(blackHole)?.balance).toBe(5n);
});

it("lists the tokens in the order of the network's hash map", async () => {
	const state = await emptyState();
	putTestContract(state, CONTRACT, "6000ff");
	const assetV2 = new Map(["1000001", "1000002", "1000003"].map((id, i) => [id, BigInt(i)]));
	state.account.put(CONTRACT, Account.create({ address: CONTRACT, type: AccountType.Contract, assetV2 }));
	const { machine } = runContract(state, { gates: { freezeV2: false } });
	const [record] = machine.internal.toMessages(false, "neutral");
	expect(record?.callValueInfo.map((info) => info.tokenId)).toEqual(["", "1000003", "1000001", "1000002"]);
});

const HEIR = fromHex(`41${"55".repeat(20)}`);
const TO_HEIR = `73${"55".repeat(20)}ff`;
const NOW = 1_700_000_000_000n;
/** With #94, and stakes of the first generation alone. */
const restricted: Partial<Gates> = { restrictedSelfDestruct: true, freezeV2: false };

/** A state at {@link NOW} whose contract has this code and record. */
async function stateWith(code: string, record: Partial<Account> = {}): Promise<StateView> {
	const state = await emptyState();
	state.properties.set("latest_block_header_timestamp", NOW);
	putTestContract(state, CONTRACT, code);
	state.account.put(
		CONTRACT,
		Account.create({ address: CONTRACT, type: AccountType.Contract, balance: 100n, ...record }),
	);
	return state;
}

describe("the cost of SELFDESTRUCT", () => {
	it.each<[string, Partial<Gates>, boolean, number]>([
		["nothing before #81", { energyAdjustment: false }, false, 0],
		["a new account since #81", {}, false, 25_000],
		["nothing since #81 if the heir is there", {}, true, 0],
		["5000 since #94", { restrictedSelfDestruct: true }, true, 5_000],
		["5000 and a new account since #94", { restrictedSelfDestruct: true }, false, 30_000],
		["the same whatever #81 says", { restrictedSelfDestruct: true, energyAdjustment: false }, false, 30_000],
	])("is %s", async (_, gates, exists, cost) => {
		const state = await stateWith(TO_HEIR);
		if (exists) putTestAccount(state, HEIR);
		expect(runContract(state, { gates: { freezeV2: false, ...gates } }).used).toBe(3 + cost);
	});
});

describe("since #94, stakes of the first generation keep a contract from its end", () => {
	const frozen = (frozen_balance: bigint, expire_time: bigint) =>
		AccountFrozen.create({ frozen_balance, expire_time });
	const energy = (amount: bigint, expiry: bigint) =>
		AccountAccountResource.create({ frozen_balance_for_energy: frozen(amount, expiry) });

	it.each<[string, Partial<Account>, boolean]>([
		["bandwidth until later", { frozen: [frozen(5n, NOW + 1n)] }, true],
		["no bandwidth until later", { frozen: [frozen(5n, NOW), frozen(0n, NOW + 1n)] }, true],
		["bandwidth until now", { frozen: [frozen(5n, NOW)] }, false],
		["energy until later", { account_resource: energy(5n, NOW + 1n) }, true],
		["no energy until later", { account_resource: energy(0n, NOW + 1n) }, false],
		["energy until now", { account_resource: energy(5n, NOW) }, false],
		["bandwidth lent", { delegated_frozen_balance_for_bandwidth: 1n }, true],
	])("%s", async (_, record, keeps) => {
		const state = await stateWith(TO_HEIR, record);
		const frame = runContract(state, { gates: restricted });
		expect([frame.reverted, frame.failure]).toEqual([keeps, undefined]);
		// A refused one leaves the heir on the stack.
		expect(frame.sp).toBe(keeps ? 1 : 0);
		const old = runContract(state, { gates: { ...restricted, restrictedSelfDestruct: false } });
		expect(old.reverted).toBe("delegated_frozen_balance_for_bandwidth" in record);
	});

	it("unless #52 is off", async () => {
		const state = await stateWith(TO_HEIR, { frozen: [frozen(5n, NOW + 1n)] });
		expect(runContract(state, { gates: { ...restricted, freeze: false } }).reverted).toBe(false);
	});

	it("and are zeros afterwards: the first entry for bandwidth, and the one for energy", async () => {
		const state = await stateWith(TO_HEIR, {
			frozen: [frozen(2_000_000n, 1n), frozen(1_000_000n, 2n)],
			account_resource: energy(4_000_000n, 3n),
		});
		state.properties.set("TOTAL_NET_WEIGHT", 10n);
		state.properties.set("TOTAL_ENERGY_WEIGHT", 10n);
		const { machine } = runContract(state, { gates: restricted });
		expect(machine.state.account.get(HEIR)?.balance).toBe(7_000_100n);
		expect(machine.state.properties.get("TOTAL_NET_WEIGHT")).toBe(7n);
		expect(machine.state.properties.get("TOTAL_ENERGY_WEIGHT")).toBe(6n);
		expect(machine.state.account.get(CONTRACT)).toMatchObject({
			balance: 0n,
			frozen: [frozen(0n, 0n), frozen(1_000_000n, 2n)],
			account_resource: { frozen_balance_for_energy: frozen(0n, 0n) },
		});
	});

	it("and an entry for bandwidth is there afterwards even if there was none", async () => {
		const { machine } = runContract(await stateWith(TO_HEIR), { gates: restricted });
		expect(machine.state.account.get(CONTRACT)?.frozen).toEqual([frozen(0n, 0n)]);
	});
});

describe("since #94, a contract of an earlier transaction", () => {
	it("gives coins and tokens to a heir that is created, and stays", async () => {
		const state = await stateWith(TO_HEIR, { assetV2: new Map([["1000001", 7n]]) });
		const { machine } = runContract(state, { gates: restricted });
		expect(machine.destroyedContracts).toEqual([]);
		expect(machine.state.account.get(HEIR)).toMatchObject({ balance: 100n, type: AccountType.Normal });
		expect(machine.state.account.get(HEIR)?.assetV2.get("1000001")).toBe(7n);
		expect(machine.state.code.get(CONTRACT)).toBeDefined();
		const [record] = machine.internal.toMessages(false, "neutral");
		expect(record?.callValueInfo).toMatchObject([{ callValue: 100n }, { callValue: 7n, tokenId: "1000001" }]);
	});

	it("can be called again in the same transaction", async () => {
		const state = await stateWith(TO_HEIR);
		const caller = fromHex(`41${"66".repeat(20)}`);
		putTestContract(
			state,
			caller,
			toHex(assemble(`${callOf(CONTRACT)} POP ${callOf(CONTRACT)} PUSH0 MSTORE 0x20 PUSH0 RETURN`)),
		);
		const frame = runOther(state, caller, restricted);
		expect(toHex(frame.output)).toBe("01".padStart(64, "0"));
		expect(frame.machine.internal.toMessages(false, "neutral").map(({ note }) => asText(note))).toEqual([
			"call",
			"suicide",
			"call",
			"suicide",
		]);
	});

	it("moves nothing to itself, and keeps votes and stakes", async () => {
		const votes = [Vote.create({ vote_address: HEIR, vote_count: 1n })];
		const stakes = [AccountFrozen.create({ frozen_balance: 5n })];
		const state = await stateWith("30ff", { votes, frozen: stakes, allowance: 9n });
		const { machine, failure } = runContract(state, { gates: restricted });
		expect(failure).toBeUndefined();
		expect(machine.state.account.get(CONTRACT)).toMatchObject({
			balance: 100n,
			votes,
			frozen: stakes,
			allowance: 9n,
		});
		expect(machine.destroyedContracts).toEqual([]);
		expect(machine.internal.toMessages(false, "neutral")).toHaveLength(1);
	});

	it("settles its reward first, and names it with its end", async () => {
		const votes = [Vote.create({ vote_address: HEIR, vote_count: 1n })];
		const state = await stateWith(TO_HEIR, { votes, allowance: 9n, old_coin_power: -1n });
		const { machine } = runContract(state, { gates: restricted });
		expect(machine.state.account.get(CONTRACT)).toMatchObject({
			balance: 0n,
			allowance: 0n,
			votes: [],
			old_coin_power: 0n,
		});
		expect(machine.state.account.get(HEIR)?.balance).toBe(109n);
		expect(machine.state.votes.get(CONTRACT)).toMatchObject({ old_votes: votes, new_votes: [] });
		const [record] = machine.internal.toMessages(false, "neutral");
		expect(record?.callValueInfo[0]?.callValue).toBe(109n);
	});

	it("keeps the old power without votes", async () => {
		const state = await stateWith(TO_HEIR, { old_coin_power: -1n });
		const { machine } = runContract(state, { gates: restricted });
		expect(machine.state.account.get(CONTRACT)?.old_coin_power).toBe(-1n);
	});

	it("adds waited-out unstaking to the value of its end, and refuses to end while some waits", async () => {
		const entry = (expireMs: bigint) =>
			AccountUnFreezeV2.create({ unfreeze_amount: 30n, unfreeze_expire_time: expireMs });
		const gates = { ...restricted, freezeV2: true };
		const ready = runContract(await stateWith(TO_HEIR, { unfrozenV2: [entry(NOW)] }), { gates });
		expect(ready.machine.state.account.get(HEIR)?.balance).toBe(130n);
		const [record] = ready.machine.internal.toMessages(false, "neutral");
		expect(record?.callValueInfo[0]?.callValue).toBe(130n);
		const waiting = runContract(await stateWith(TO_HEIR, { unfrozenV2: [entry(NOW + 1n)] }), { gates });
		expect(waiting.reverted).toBe(true);
	});

	it("leaves stakes of its second generation, but none of those that were unstaked whole", async () => {
		const frozenV2 = [9_000_000n, 0n].map((amount, type) => AccountFreezeV2.create({ type, amount }));
		const gates = { ...restricted, freezeV2: true };
		const { machine } = runContract(await stateWith(TO_HEIR, { frozenV2 }), { gates });
		expect(machine.state.account.get(HEIR)?.frozenV2).toEqual([frozenV2[0]]);
	});

	it("pays a precompile's address like any other", async () => {
		const { machine } = runContract(await stateWith("6002ff"), { gates: restricted });
		expect(machine.state.account.get(fromHex("02".padStart(42, "0").replace(/^00/, "41")))?.balance).toBe(
			100n,
		);
	});
});

describe("since #94, a contract of the same transaction", () => {
	const child = (body: string): Uint8Array => creationOf(assemble(body));
	const create = (code: Uint8Array): string =>
		`${storeBytes(code)} 0x${code.length.toString(16)} PUSH0 PUSH0 CREATE`;
	const CREATED = createdAddress(ROOT_ID, 0);

	it("is deleted if it ends after its creation", async () => {
		const code = `${create(child(`0x${"55".repeat(20)} SUICIDE`))} DUP1 0x00 0x00 0x00 0x00 0x00 DUP6 GAS CALL STOP`;
		const state = await stateWith(toHex(assemble(code)));
		const { machine, failure } = runContract(state, { gates: restricted });
		expect(failure).toBeUndefined();
		expect(machine.destroyedContracts).toEqual([CREATED]);
	});

	it("is deleted if it ends in its own constructor", async () => {
		const code = create(assemble(`0x${"55".repeat(20)} SUICIDE`));
		const { machine } = runContract(await stateWith(toHex(assemble(`${code} STOP`))), { gates: restricted });
		expect(machine.destroyedContracts).toEqual([CREATED]);
	});

	it("leaves its coins to the black hole if it is its own heir", async () => {
		const code = assemble("ADDRESS SUICIDE");
		const text = `${storeBytes(code)} 0x${code.length.toString(16)} PUSH0 0x07 CREATE STOP`;
		const state = await stateWith(toHex(assemble(text)));
		const blackHole = fromHex(`41${"ff".repeat(20)}`);
		putTestAccount(state, blackHole);
		const { machine } = runContract(state, { gates: restricted });
		expect(machine.destroyedContracts).toEqual([CREATED]);
		expect(machine.state.account.get(blackHole)?.balance).toBe(7n);
	});

	it("is known by marks that are counted, and taken back with the frames that made them", () => {
		const marks = new AddressMarks();
		marks.add(CREATED);
		const mark = marks.length;
		marks.add(CREATED);
		marks.add(HEIR);
		marks.revert(mark);
		expect([marks.has(CREATED), marks.has(HEIR)]).toEqual([true, false]);
		marks.revert(0);
		expect(marks.has(CREATED)).toBe(false);
	});

	it("leaves no mark if the frame that made it is undone", async () => {
		const inner = assemble(`0x${"55".repeat(20)} SUICIDE`);
		const callee = fromHex(`41${"66".repeat(20)}`);
		const state = await stateWith(toHex(assemble(`${callOf(callee)} STOP`)));
		putTestContract(state, callee, toHex(assemble(`${create(inner)} PUSH0 PUSH0 REVERT`)));
		const { machine } = runContract(state, { gates: restricted });
		expect(machine.destroyedContracts).toEqual([]);
		expect(machine.created.length).toBe(0);
		expect(machine.ended.length).toBe(0);
	});
});

describe("from block version 37 on", () => {
	const late = { ...restricted, endsOddStakes: true };
	const caller = fromHex(`41${"66".repeat(20)}`);

	it("an heir that has ended in the transaction ends it", async () => {
		const state = await stateWith(TO_HEIR);
		putTestContract(state, HEIR, `73${"44".repeat(20)}ff`);
		const text = `${callOf(HEIR)} ${callOf(CONTRACT)} STOP`;
		putTestContract(state, caller, toHex(assemble(text)));
		expect(() => runOther(state, caller, late)).toThrow(
			expect.objectContaining({ result: Result.OUT_OF_TIME }),
		);
		expect(runOther(state, caller, restricted).failure).toBeUndefined();
		// In the other order the heir is still whole.
		putTestContract(state, caller, toHex(assemble(`${callOf(CONTRACT)} ${callOf(HEIR)} STOP`)));
		expect(runOther(state, caller, late).failure).toBeUndefined();
	});

	it("a contract may be its own heir once", async () => {
		const state = await stateWith("30ff");
		expect(runContract(state, { gates: late }).failure).toBeUndefined();
		putTestContract(state, caller, toHex(assemble(`${callOf(CONTRACT)} ${callOf(CONTRACT)} STOP`)));
		expect(() => runOther(state, caller, late)).toThrow(
			expect.objectContaining({ result: Result.OUT_OF_TIME }),
		);
	});

	it("the end of a frame that was undone doesn't count", async () => {
		const state = await stateWith(TO_HEIR);
		const undone = fromHex(`41${"67".repeat(20)}`);
		putTestContract(state, HEIR, `73${"44".repeat(20)}ff`);
		putTestContract(state, undone, toHex(assemble(`${callOf(HEIR)} PUSH0 PUSH0 REVERT`)));
		putTestContract(state, caller, toHex(assemble(`${callOf(undone)} ${callOf(CONTRACT)} STOP`)));
		expect(runOther(state, caller, late).failure).toBeUndefined();
	});
});

it("deletes several contracts in the order of the network's hash map", async () => {
	// As recorded: the first to end was deleted second.
	const [first, second] = [
		"41fcbec9d07920197bd7d97a73ffa720b05dbe1815",
		"41c5452b05ad8366a777806dc4c01ca6ffbb3c039a",
	].map(fromHex) as [Uint8Array, Uint8Array];
	const { machine } = runContract(await stateWith("00"));
	machine.destroyed.push(first, second, first);
	expect(machine.destroyedContracts).toEqual([second, first]);
});

/** Code that calls a contract with all its energy, without value, and leaves the result on the stack. */
function callOf(address: Uint8Array): string {
	return `PUSH0 PUSH0 PUSH0 PUSH0 PUSH0 0x${toHex(address.subarray(1))} GAS CALL`;
}

/** Runs another contract than that of the fixture. */
function runOther(state: StateView, address: Uint8Array, gates: Partial<Gates>): Frame {
	return runContract(state, { gates, address });
}

const asText = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** Calls the contract 41 44… so often, which ends; an account that votes, has used resources, and holds coins. */
async function endOften(times: number, heir: "ADDRESS" | "CALLER"): Promise<StateView> {
	const state = await emptyState();
	const target = Uint8Array.from(CONTRACT, (_, i) => (i === 0 ? 0x41 : 0x44));
	const call = `6000600060006000600073${"44".repeat(20)}5af150`;
	putTestContract(state, CONTRACT, `${call.repeat(times)}00`);
	putTestContract(state, target, heir === "ADDRESS" ? "30ff" : "33ff");
	const blackHole = Uint8Array.from(CONTRACT, (_, i) => (i === 0 ? 0x41 : 0xff));
	state.account.put(blackHole, Account.create({ address: blackHole }));
	state.account.put(
		target,
		Account.create({
			address: target,
			type: AccountType.Contract,
			balance: 5n,
			allowance: 7n,
			old_coin_power: 3n,
			votes: [Vote.create({ vote_address: CONTRACT, vote_count: 1n })],
			net_usage: 1000n,
			latest_consume_time: 2n,
			frozenV2: [AccountFreezeV2.create({ type: 0, amount: 9_000_000n })],
			account_resource: AccountAccountResource.create({ energy_usage: 500n }),
		}),
	);
	state.properties.set("UNFREEZE_DELAY_DAYS", 14n);
	state.properties.set("ALLOW_TVM_VOTE", 1n);
	const { failure, machine } = runContract(state, { gates: { vote: true } });
	expect(failure).toBeUndefined();
	return machine.state;
}

it.each(["ADDRESS", "CALLER"] as const)(
	"that happens again and again changes nothing more (heir %s)",
	async (heir) => {
		const [once, often] = await Promise.all([endOften(1, heir), endOften(5, heir)]);
		for (const byte of [0x33, 0x44, 0xff]) {
			const address = Uint8Array.from(CONTRACT, (_, i) => (i === 0 ? 0x41 : byte));
			expect(often.account.get(address)).toEqual(once.account.get(address));
		}
		const ended = once.account.existing(Uint8Array.from(CONTRACT, (_, i) => (i === 0 ? 0x41 : 0x44)));
		expect(ended).toMatchObject({ balance: 0n, allowance: 0n, votes: [], frozenV2: [], net_usage: 0n });
	},
);
