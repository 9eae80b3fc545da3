import { beforeEach, describe, expect, it } from "vitest";
import { isPrecise } from "../../../src/node/contracts/exchange-withdraw.js";
import { findExchange } from "../../../src/node/exchange/pair.js";
import { pageOfExchanges } from "../../../src/node/exchange/queries.js";
import type { StateView } from "../../../src/node/state/view.js";
import { COIN_ID, tokenBytes } from "../../../src/node/tokens/token-id.js";
import {
	ExchangeCreateContract,
	ExchangeInjectContract,
	ExchangeTransactionContract,
	ExchangeWithdrawContract,
} from "../../../src/protocol/messages.js";
import { check, giveAccount, openTokenState, run } from "./contract-chain.js";

const FEE = 1_024_000_000n;
const A = tokenBytes("1000001");
const B = tokenBytes("1000002");

let state: StateView;
let owner: Uint8Array;

beforeEach(async () => {
	state = await openTokenState();
	owner = giveAccount(state, 1, 10_000n + FEE, { "1000001": 10n ** 18n, "1000002": 10n ** 18n });
});

function create(first: Uint8Array, firstBalance: bigint, second: Uint8Array, secondBalance: bigint): bigint {
	return run(
		state,
		"ExchangeCreateContract",
		ExchangeCreateContract.create({
			owner_address: owner,
			first_token_id: first,
			first_token_balance: firstBalance,
			second_token_id: second,
			second_token_balance: secondBalance,
		}),
	).exchange_id;
}

const balances = (id: bigint): readonly [bigint | undefined, bigint | undefined] => {
	const pair = findExchange(state, id);
	return [pair?.first_token_balance, pair?.second_token_balance];
};

describe("a pair", () => {
	it("is opened with the creator's coins and tokens, and the fee is burnt", () => {
		const id = create(COIN_ID, 10_000n, A, 50_000n);
		expect(id).toBe(1n);
		expect(state.account.existing(owner).balance).toBe(0n);
		expect(state.account.existing(owner).assetV2.get("1000001")).toBe(10n ** 18n - 50_000n);
		expect(state.properties.get("BURN_COIN_AMOUNT")).toBe(FEE);
		expect(state.properties.get("LATEST_EXCHANGE_NUM")).toBe(1n);
	});

	it("grows and shrinks in its ratio, and closes when it is emptied", () => {
		const id = create(A, 100n, B, 5_000n);
		const inject = ExchangeInjectContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: B,
			quant: 50n,
		});
		expect(run(state, "ExchangeInjectContract", inject).exchange_inject_another_amount).toBe(1n);
		expect(balances(id)).toEqual([101n, 5_050n]);
		const withdraw = ExchangeWithdrawContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: A,
			quant: 101n,
		});
		expect(run(state, "ExchangeWithdrawContract", withdraw).exchange_withdraw_another_amount).toBe(5_050n);
		expect(balances(id)).toEqual([0n, 0n]);
		expect(() => check(state, "ExchangeInjectContract", inject)).toThrow("has been closed");
	});

	it("accepts an injection in the checks that the effect can't multiply", () => {
		const id = create(A, 10n ** 14n, B, 10n ** 14n);
		const inject = ExchangeInjectContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: A,
			quant: 10n ** 14n,
		});
		expect(() => check(state, "ExchangeInjectContract", inject)).not.toThrow();
		expect(() => run(state, "ExchangeInjectContract", inject)).toThrow("long overflow");
	});

	it("can pay out more than it holds", () => {
		const id = create(A, 1n, B, 10n ** 15n);
		const trade = ExchangeTransactionContract.create({
			owner_address: owner,
			exchange_id: id,
			token_id: A,
			quant: 999_999_999_999_999n,
			expected: 1n,
		});
		expect(run(state, "ExchangeTransactionContract", trade).exchange_received_amount).toBe(
			1_000_000_000_000_098n,
		);
		expect(balances(id)).toEqual([10n ** 15n, -98n]);
	});

	it.each([
		[{ token_id: tokenBytes("x") }, "token id is not a valid number"],
		[{ token_id: COIN_ID }, "token is not in exchange"],
		[{ exchange_id: 9n }, "Exchange[9] not exists"],
		[{ quant: 0n }, "token quant must greater than zero"],
		[{ expected: 0n }, "token expected must greater than zero"],
		[{ quant: 10n ** 15n }, "token balance must less than 1000000000000000"],
		[{ expected: 1_000n }, "token required must greater than expected"],
	])("refuses a trade with %o", (change, message) => {
		const id = create(A, 1_000n, B, 1_000n);
		const trade = { owner_address: owner, exchange_id: id, token_id: A, quant: 10n, expected: 1n, ...change };
		expect(() =>
			check(state, "ExchangeTransactionContract", ExchangeTransactionContract.create(trade)),
		).toThrow(message);
	});
});

describe("a withdrawal", () => {
	// protocol/exchange §5.
	it.each([
		[10_000_000n, 1_000_000_000_000n, 1_000_000n, true],
		[3n, 10_000n, 1n, true],
		[3n, 9_997n, 1n, false],
		[3n, 100_000n, 1n, true],
	])("from %d and %d of %d is precise enough: %s", (balance, otherBalance, quant, precise) => {
		const side = { balance, otherBalance, otherId: B };
		expect(isPrecise(side, quant, (otherBalance * quant) / balance)).toBe(precise);
	});
});

describe("a page of pairs", () => {
	it.each([
		[0n, 2n, [1n, 2n]],
		[1n, 9n, [2n, 3n]],
		[0n, 0n, []],
		[3n, 1n, undefined],
		[-1n, 1n, undefined],
		[0n, -1n, undefined],
	])("after %d of %d", (offset, limit, ids) => {
		state.properties.set("EXCHANGE_CREATE_FEE", 0n);
		for (let i = 0; i < 3; i++) create(A, 10n, B, 10n);
		expect(pageOfExchanges(state, offset, limit)?.exchanges.map((pair) => pair.exchange_id)).toEqual(ids);
	});
});
