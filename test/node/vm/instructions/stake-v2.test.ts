import { describe, expect, it } from "vitest";
import type { StateView } from "../../../../src/node/state/view.js";
import type { Gates } from "../../../../src/node/vm/gates.js";
import { toHex } from "../../../../src/protocol/bytes.js";
import {
	Account,
	AccountAccountResource,
	AccountFreezeV2,
	AccountType,
	AccountUnFreezeV2,
	TransactionResultContractResult as Result,
} from "../../../../src/protocol/messages.js";
import { assemble } from "../assembler.js";
import { CONTRACT, emptyState, putTestContract, runContract } from "../machine-fixture.js";

const NOW = 1_700_000_000_000n;
const COIN = 1_000_000n;

async function stateWith(text: string, record: Partial<Account> = {}): Promise<StateView> {
	const state = await emptyState();
	state.properties.set("latest_block_header_timestamp", NOW);
	state.properties.set("UNFREEZE_DELAY_DAYS", 14n);
	putTestContract(state, CONTRACT, toHex(assemble(text)));
	state.account.put(
		CONTRACT,
		Account.create({ address: CONTRACT, type: AccountType.Contract, balance: 10n * COIN, ...record }),
	);
	return state;
}

const RETURN = "PUSH0 MSTORE 0x20 PUSH0 RETURN";
const late: Partial<Gates> = { endsOddStakes: true, restrictedSelfDestruct: true };

describe("block version 37", () => {
	const stake = AccountFreezeV2.create({ type: 1, amount: 5n * COIN });
	const debts: Partial<Account>[] = [
		{ delegated_frozenV2_balance_for_bandwidth: -1n },
		{ account_resource: AccountAccountResource.create({ delegated_frozenV2_balance_for_energy: -1n }) },
	];

	it.each<[string, string, number]>([
		["UNFREEZEBALANCEV2", `0x${COIN.toString(16)} 0x01 UNFREEZEBALANCEV2`, 1],
		["WITHDRAWEXPIREUNFREEZE", "WITHDRAWEXPIREUNFREEZE", 0],
		["CANCELALLUNFREEZEV2", "CANCELALLUNFREEZEV2", 1],
	])("ends a transaction by %s of a contract that lends less than nothing", async (_, text, result) => {
		for (const debt of debts) {
			const state = await stateWith(`${text} ${RETURN}`, { frozenV2: [stake], ...debt });
			expect(runContract(state).output[31]).toBe(result);
			expect(() => runContract(state, { gates: late })).toThrow(
				expect.objectContaining({
					result: Result.OUT_OF_TIME,
					message: "CPU timeout for invalid delegated V2 balance",
					name: "VmAbort",
				}),
			);
		}
		const healthy = await stateWith(`${text} ${RETURN}`, {
			frozenV2: [stake],
			delegated_frozenV2_balance_for_bandwidth: 1n,
		});
		expect(runContract(healthy, { gates: late }).output[31]).toBe(result);
	});

	it("looks at that last: what fails before fails as ever", async () => {
		const tooMuch = `0x${(6n * COIN).toString(16)} 0x01 UNFREEZEBALANCEV2 ${RETURN}`;
		const state = await stateWith(tooMuch, { frozenV2: [stake], ...debts[0] });
		expect(runContract(state, { gates: late }).output[31]).toBe(0);
		const full = await stateWith(`WITHDRAWEXPIREUNFREEZE ${RETURN}`, {
			...debts[0],
			balance: 2n ** 63n - 1n,
			unfrozenV2: [AccountUnFreezeV2.create({ unfreeze_amount: 1n, unfreeze_expire_time: NOW })],
		});
		expect(runContract(full, { gates: late }).output[31]).toBe(0);
	});

	it("ends a transaction by a stake of a contract that has destroyed itself in it", async () => {
		// Called by itself with a byte of input it ends, to itself; then it stakes.
		const text = (amount: bigint): string => `CALLDATASIZE @inner JUMPI
			PUSH0 PUSH0 0x01 PUSH0 PUSH0 ADDRESS GAS CALL POP 0x${amount.toString(16)} 0x01 FREEZEBALANCEV2 ${RETURN}
			inner: ADDRESS SUICIDE`;
		const state = await stateWith(text(COIN));
		expect(runContract(state, { gates: { restrictedSelfDestruct: true } }).output[31]).toBe(1);
		expect(() => runContract(state, { gates: late })).toThrow(
			expect.objectContaining({
				result: Result.OUT_OF_TIME,
				message: "CPU timeout for FreezeBalanceV2 after SELFDESTRUCT",
			}),
		);
		const tooMuch = await stateWith(text(11n * COIN));
		expect(runContract(tooMuch, { gates: late }).output[31]).toBe(0);
		const whole = await stateWith(`0x${COIN.toString(16)} 0x01 FREEZEBALANCEV2 ${RETURN}`);
		expect(runContract(whole, { gates: late }).output[31]).toBe(1);
	});
});
