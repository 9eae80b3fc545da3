import { describe, expect, it } from "vitest";
import { mergedAccounts } from "../../../src/node/adoption/accounts.js";
import { be64, fromKey, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { Account } from "../../../src/protocol/messages.js";

const address = (n: number): Uint8Array =>
	Buffer.concat([Uint8Array.of(0x41), Buffer.alloc(19), Uint8Array.of(n)]);
const record = (
	n: number,
	tokens: Record<string, bigint>,
	asset_optimized: boolean,
	asset = {},
): Uint8Array =>
	Account.encode(
		Account.create({
			address: address(n),
			asset_optimized,
			assetV2: new Map(Object.entries(tokens)),
			asset: new Map(Object.entries(asset)),
		}),
	);
const apart = (n: number, token: string, amount: bigint): [Uint8Array, Uint8Array] => [
	Buffer.concat([address(n), utf8(token)]),
	be64(amount),
];

function merged(
	accounts: readonly [Uint8Array, Uint8Array][],
	balances: readonly [Uint8Array, Uint8Array][],
	rows: readonly { key: Uint8Array; value: Uint8Array | null }[] = [],
	movesTokens = true,
): Record<string, unknown> {
	const entries = [...mergedAccounts({ accounts, balances, rows, movesTokens, onAccount: () => {} })];
	return Object.fromEntries(
		entries.map(([key, value]) => {
			const { assetV2, asset, asset_optimized } = Account.decode(value);
			return [key.at(-1), { tokens: Object.fromEntries(assetV2), names: asset.size, asset_optimized }];
		}),
	);
}

describe("accounts whose tokens stand apart", () => {
	it("get them back where they are marked, and only there", () => {
		const marked: [Uint8Array, Uint8Array] = [address(1), record(1, {}, true)];
		const whole: [Uint8Array, Uint8Array] = [address(2), record(2, { "1000001": 5n }, false)];
		const rows = [
			apart(1, "1000001", 7n),
			apart(1, "1000002", 8n),
			apart(2, "1000009", 9n),
			apart(3, "1", 1n),
		];
		expect(merged([marked, whole], rows)).toEqual({
			1: { tokens: { "1000001": 7n, "1000002": 8n }, names: 0, asset_optimized: true },
			2: { tokens: { "1000001": 5n }, names: 0, asset_optimized: false },
		});
	});

	it("stay byte for byte where nothing stands apart", () => {
		const value = Buffer.concat([record(1, {}, true), fromKey("\xfa\x7f\x01x")]);
		const [entry] = mergedAccounts({
			accounts: [[address(1), value]],
			balances: [],
			rows: [],
			movesTokens: true,
			onAccount: () => {},
		});
		expect(toHex(entry?.[1] as Uint8Array)).toBe(toHex(value));
	});

	it("take the record of a checkpoint over them, where 0 removes one", () => {
		const stored: [Uint8Array, Uint8Array] = [address(1), record(1, {}, true)];
		const rows = [{ key: address(1), value: record(1, { "1000001": 0n, "1000003": 3n }, true) }];
		expect(merged([stored], [apart(1, "1000001", 7n), apart(1, "1000002", 8n)], rows)).toEqual({
			1: { tokens: { "1000002": 8n, "1000003": 3n }, names: 0, asset_optimized: true },
		});
	});

	it("are written as the node would have written a record that its checkpoint holds whole", () => {
		const rows = [
			{ key: address(1), value: record(1, { "1000001": 4n, "1000002": 0n }, false, { old: 4n }) },
		];
		const stale = [apart(1, "1000009", 7n)];
		expect(merged([], stale, rows)).toEqual({
			1: { tokens: { "1000001": 4n }, names: 0, asset_optimized: true },
		});
		expect(merged([], stale, rows, false)).toEqual({
			1: { tokens: { "1000001": 4n, "1000002": 0n }, names: 1, asset_optimized: false },
		});
	});

	it("are gone with their tokens where a checkpoint deletes them, and come where it makes them", () => {
		const stored: [Uint8Array, Uint8Array] = [address(2), record(2, {}, true)];
		const rows = [
			{ key: address(1), value: record(1, {}, true) },
			{ key: address(2), value: null },
			{ key: address(3), value: record(3, {}, true) },
		];
		expect(Object.keys(merged([stored], [apart(2, "1", 1n)], rows))).toEqual(["1", "3"]);
	});

	it("are refused by address where they can't be read", () => {
		const bad: [Uint8Array, Uint8Array] = [address(1), Uint8Array.of(0xff)];
		expect(() => merged([bad], [])).toThrow(/^the store account holds no account at 410+1: /);
		const short: [Uint8Array, Uint8Array] = [address(1), be64(1n)];
		expect(() => merged([[address(1), record(1, {}, true)]], [short])).toThrow(
			"account-asset holds no balance at 41",
		);
	});
});
