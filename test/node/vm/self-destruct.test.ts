import { expect, it } from "vitest";
import {
	Account,
	AccountAccountResource,
	AccountFrozen,
	AccountType,
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
