import { expect, it } from "vitest";
import type { StateView } from "../../../src/node/state/view.js";
import {
	Account,
	AccountAccountResource,
	AccountFreezeV2,
	AccountFrozen,
	AccountType,
	Vote,
} from "../../../src/protocol/messages.js";
import { CONTRACT, emptyState, putTestContract, runContract } from "./machine-fixture.js";

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
