import { describe, expect, it } from "vitest";
import type { Gates } from "../../../src/node/vm/gates.js";
import { prepareCall } from "../../../src/node/vm/preparation.js";
import { TriggerSmartContract } from "../../../src/protocol/messages.js";
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
