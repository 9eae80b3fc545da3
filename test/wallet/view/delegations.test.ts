import { expect, test } from "vitest";
import { fromHex } from "../../../src/protocol/bytes.js";
import { delegationsOf } from "../../../src/wallet/view/delegations.js";
import { answering } from "../answering-client.js";

const [ANN, BOB] = ["11", "22"].map((byte) => `41${byte.repeat(20)}`) as [string, string];

test("delegations of both generations are single amounts, in either direction", async () => {
	const { client, asked } = answering({
		getdelegatedresourceaccountindexv2: { account: ANN, toAccounts: [BOB], fromAccounts: [BOB] },
		getdelegatedresourceaccountindex: { account: ANN, toAccounts: [BOB] },
		getdelegatedresourcev2: ({ fromAddress, toAddress }) => ({
			delegatedResource: [
				{ from: String(fromAddress), to: String(toAddress), frozen_balance_for_bandwidth: 5n },
				{
					from: String(fromAddress),
					to: String(toAddress),
					frozen_balance_for_energy: 7n,
					expire_time_for_energy: 99n,
				},
			],
		}),
		getdelegatedresource: {},
	});
	const given = await delegationsOf(client, fromHex(ANN), "solidity", "given");
	expect(
		given.map(({ resource, amount, lockedUntil, version }) => [resource, amount, lockedUntil, version]),
	).toEqual([
		["bandwidth", 5n, undefined, 2],
		["energy", 7n, 99n, 2],
	]);
	expect(asked.at(-1)).toEqual({
		endpoint: "getdelegatedresource",
		request: { fromAddress: ANN, toAddress: BOB },
		view: "solidity",
	});
	const received = await delegationsOf(client, fromHex(ANN), "full", "received");
	expect(received.map(({ from }) => from)).toEqual([given[0]?.to, given[0]?.to]);
	expect(received[0]?.to).toBe(given[0]?.from);
});
