/** Answers of public queries as entries: what a node of this program answers in the deployed spelling stands for the network's. */

import { expect, test } from "vitest";
import { accountIn, blockOf, burntOf, isNothing, rewardIn } from "../../../src/node/fork/public-answers.js";
import { SignedBlock } from "../../../src/protocol/block.js";
import { jsonLibrary } from "../../../src/protocol/json/json-library.js";
import { mapOrderedMessage } from "../../../src/protocol/json/message-writer.js";
import { blockJson } from "../../../src/protocol/json/transaction-json.js";
import { Account, AccountAccountResource, AccountFreezeV2 } from "../../../src/protocol/messages.js";
import { openSmall, produce, transfer, users } from "../chain/small-chain.js";

const STYLE = { visible: false, dialect: "deployed", library: jsonLibrary, longsAsText: false } as const;

test("a block with its transactions is the same bytes, and one that was changed is refused", async () => {
	const open = await openSmall();
	for (let n = 1n; n <= 3n; n++) open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, n));
	const block = produce(open);
	expect(block.transactions).toHaveLength(3);
	const text = blockJson(block, STYLE);
	expect(Buffer.from(blockOf(text)?.bytes ?? [])).toEqual(Buffer.from(block.bytes));
	expect(SignedBlock.decode(block.bytes).idHex).toBe(block.idHex);
	const later = text.replace(`"timestamp":${block.timestampMs}`, `"timestamp":${block.timestampMs + 3000n}`);
	expect(later).not.toBe(text);
	expect(() => blockOf(later)).toThrow("its id is another one");
	const other = JSON.parse(text) as { transactions: { raw_data_hex: string }[] };
	other.transactions.pop();
	expect(() => blockOf(JSON.stringify(other))).toThrow(/merkle/i);
	expect(() => blockOf('{"blockID":"00"}')).toThrow("no header");
	await open.close();
});

test("an account is as it was, but for when its usages are of, and stakes of nothing", () => {
	const account = Account.create({
		address: users[0] as Uint8Array,
		account_name: new TextEncoder().encode("ann"),
		balance: 9_007_199_254_740_993n,
		net_usage: 17n,
		latest_consume_time: 1_700_000_000_000n,
		assetV2: new Map([["1000001", 9_223_372_036_854_775_807n]]),
		account_resource: AccountAccountResource.create({ energy_usage: 5n, latest_consume_time_for_energy: 1n }),
		frozenV2: [AccountFreezeV2.create({ type: 0 }), AccountFreezeV2.create({ type: 1, amount: 7n })],
	});
	const read = accountIn(mapOrderedMessage(Account, account, STYLE), 42n) as Account;
	expect(read.balance).toBe(account.balance);
	expect(read.assetV2.get("1000001")).toBe(9_223_372_036_854_775_807n);
	expect(Buffer.from(read.account_name).toString()).toBe("ann");
	expect([read.latest_consume_time, read.account_resource?.latest_consume_time_for_energy]).toEqual([
		42n,
		42n,
	]);
	expect(read.frozenV2.map(({ amount }) => amount)).toEqual([7n]);
	expect(accountIn("{}", 42n)).toBeUndefined();
});

test("the number of an account's own token is text in the answer", () => {
	const text = `{"address":"41${"0a".repeat(20)}","asset_issued_ID":"1000001"}`;
	const read = accountIn(text, 42n) as Account;
	expect(Buffer.from(read.asset_issued_ID).toString()).toBe("1000001");
});

test("amounts beyond what numbers of JSON keep are read digit by digit", () => {
	expect(burntOf('{"burnTrxAmount": 9223372036854775807}')).toBe(9_223_372_036_854_775_807n);
	expect(burntOf('{"burnCoinAmount":0}')).toBe(0n);
	expect(rewardIn('{"reward": 9007199254740993}')).toBe(9_007_199_254_740_993n);
	for (const wrong of ["{}", '{"reward":-1}', '{"reward":1.5}', '{"reward":"1"}']) {
		expect(() => rewardIn(wrong)).toThrow("there is no amount");
	}
});

test.each(["{}", " {\n}\n", "null", "", "[]"])("%j says that there is nothing", (text) => {
	expect(isNothing(text)).toBe(true);
	expect(isNothing('{"a":1}')).toBe(false);
});
