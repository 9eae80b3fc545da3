import { beforeEach, describe, expect, test } from "vitest";
import { delegationKeyV2, unlockExpired } from "../../../src/node/resources/delegated-resource.js";
import {
	delegationIndexV1,
	delegationIndexV2,
	indexDelegationV1,
	indexDelegationV2,
	partnerKeys,
	unindexDelegationV1,
	unindexDelegationV2,
} from "../../../src/node/resources/delegation-index.js";
import type { StateView } from "../../../src/node/state/view.js";
import { DelegatedResource } from "../../../src/protocol/messages.js";
import { address, GENESIS_MS, openState, setHead } from "../consensus/chain-state.js";

const [a, b, c, d] = [address(1), address(2), address(3), address(4)] as const;

let state: StateView;
beforeEach(async () => {
	state = await openState(0);
});

const indexOf = async (generation: 1 | 2, account: Uint8Array) => {
	const keys = await partnerKeys(state, generation, account);
	return (generation === 1 ? delegationIndexV1 : delegationIndexV2)(state, account, keys);
};

const lists = ({ toAccounts, fromAccounts }: ReturnType<typeof delegationIndexV1>) => ({
	to: toAccounts.map((each) => each[20]),
	from: fromAccounts.map((each) => each[20]),
});

describe("the index of generation 1", () => {
	test("is one record an account at first, without repetition", async () => {
		indexDelegationV1(state, a, b);
		indexDelegationV1(state, a, c);
		indexDelegationV1(state, a, b);
		expect(lists(await indexOf(1, a))).toEqual({ to: [2, 3], from: [] });
		expect(lists(await indexOf(1, b))).toEqual({ to: [], from: [1] });
		unindexDelegationV1(state, a, b);
		expect(lists(await indexOf(1, a))).toEqual({ to: [3], from: [] });
		expect(state.delegatedResourceAccountIndex.get(b)).toMatchObject({ account: b, fromAccounts: [] });
	});

	test("is split into pairs at the next change once it is optimised", async () => {
		indexDelegationV1(state, a, b);
		indexDelegationV1(state, d, a);
		indexDelegationV1(state, a, c);
		state.properties.set("ALLOW_DELEGATE_OPTIMIZATION", 1n);
		setHead(state, 5n, GENESIS_MS + 15_000n);
		indexDelegationV1(state, a, d);
		expect(state.delegatedResourceAccountIndex.has(a)).toBe(false);
		expect(state.delegatedResourceAccountIndex.has(d)).toBe(false);
		expect(state.delegatedResourceAccountIndex.has(b)).toBe(true);
		expect(lists(await indexOf(1, a))).toEqual({ to: [2, 3, 4], from: [4] });
		unindexDelegationV1(state, a, b);
		expect(state.delegatedResourceAccountIndex.has(b)).toBe(false);
		expect(lists(await indexOf(1, a))).toEqual({ to: [3, 4], from: [4] });
	});

	test("of an account without delegations names only the account", async () => {
		expect(await indexOf(1, a)).toMatchObject({ account: a, toAccounts: [], fromAccounts: [] });
	});
});

test("the index of generation 2 lists the latest delegation last", async () => {
	for (const [at, to] of [c, b, d, c].entries()) {
		setHead(state, BigInt(at), GENESIS_MS + BigInt(at));
		indexDelegationV2(state, a, to);
	}
	expect(lists(await indexOf(2, a))).toEqual({ to: [2, 4, 3], from: [] });
	expect(lists(await indexOf(2, c))).toEqual({ to: [], from: [1] });
	unindexDelegationV2(state, a, b);
	expect(lists(await indexOf(2, a))).toEqual({ to: [4, 3], from: [] });
});

describe("unlocking", () => {
	const put = (locked: boolean, init: Partial<DelegatedResource>) =>
		state.delegatedResource.put(
			delegationKeyV2(a, b, locked),
			DelegatedResource.create({ from: a, to: b, ...init }),
		);
	const get = (locked: boolean) => state.delegatedResource.get(delegationKeyV2(a, b, locked));

	test("waits for the moment after the expiry", () => {
		put(true, {
			frozen_balance_for_bandwidth: 5n,
			expire_time_for_bandwidth: 100n,
			expire_time_for_energy: 100n,
		});
		unlockExpired(state, a, b, 100n);
		expect(get(false)).toBeUndefined();
		unlockExpired(state, a, b, 101n);
		expect(get(true)).toBeUndefined();
		expect(get(false)).toMatchObject({ frozen_balance_for_bandwidth: 5n, expire_time_for_bandwidth: 0n });
	});

	test("adds to what is unlocked already and leaves the other resource locked", () => {
		put(false, { frozen_balance_for_energy: 1n });
		put(true, {
			frozen_balance_for_energy: 2n,
			expire_time_for_energy: 50n,
			frozen_balance_for_bandwidth: 4n,
			expire_time_for_bandwidth: 200n,
		});
		unlockExpired(state, a, b, 100n);
		expect(get(false)).toMatchObject({ frozen_balance_for_energy: 3n, frozen_balance_for_bandwidth: 0n });
		expect(get(true)).toMatchObject({
			frozen_balance_for_energy: 0n,
			expire_time_for_energy: 0n,
			frozen_balance_for_bandwidth: 4n,
			expire_time_for_bandwidth: 200n,
		});
	});

	test("writes an unlocked record of nothing while the only lock still runs", () => {
		put(true, { frozen_balance_for_bandwidth: 4n, expire_time_for_bandwidth: 200n });
		unlockExpired(state, a, b, 100n);
		expect(get(true)).toMatchObject({ frozen_balance_for_bandwidth: 4n });
		expect(get(false)).toMatchObject({ frozen_balance_for_bandwidth: 0n, frozen_balance_for_energy: 0n });
	});
});
