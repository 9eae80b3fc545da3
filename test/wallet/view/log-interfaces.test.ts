/** Which interface names a log: that of its contract, that of the contract behind it, and only then what is common. */

import { describe, expect, test } from "vitest";
import { decodeLog } from "../../../src/abi/log.js";
import { topicOf } from "../../../src/abi/selector.js";
import { fromHex } from "../../../src/protocol/bytes.js";
import { readInterface } from "../../../src/wallet/abi/interface.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";
import { logInterfaces } from "../../../src/wallet/view/contract-outcome.js";
import { answering } from "../answering-client.js";

const PROXY = "11".repeat(20);
const word = (digits: string): Uint8Array => fromHex(digits.padStart(64, "0"));

const transfer = (from: string) => ({
	type: "Event",
	name: "Transfer",
	inputs: [
		{ indexed: true, name: from, type: "address" },
		{ indexed: true, name: "to", type: "address" },
		{ name: "value", type: "uint256" },
	],
});
const LOG = {
	topics: [topicOf(parseSignature("Transfer(address,address,uint256)", "event")), word("aa"), word("bb")],
	data: word("05"),
};
const UPGRADED = {
	topics: [topicOf(parseSignature("Upgraded(address)", "event")), word("33")],
	data: new Uint8Array(0),
};

/** A node with a minimal proxy, whose own record has no events. @param behind the contract that it hands calls to */
function proxied(behind: { is: string }): NodeClient {
	const { client } = answering(
		{
			getcontract: ({ value }) => ({
				contract_address: String(value),
				...(value === `41${PROXY}` ? {} : { abi: { entrys: [transfer(`of${String(value).slice(2, 4)}`)] } }),
			}),
			getcontractinfo: ({ value }) => ({
				smart_contract: { contract_address: String(value) },
				runtimecode: `363d3d373d3d3d363d73${behind.is.repeat(20)}5af43d82803e903d91602b57fd5bf3`,
			}),
		},
		{ contactsFile: "/nowhere/contacts", http: "http://node", dialect: "neutral" },
	);
	return Object.assign(client, {
		baseUrl: () => "http://node",
		send: async () => ({ status: 404, body: new Uint8Array(0) }),
	});
}

/** What the first of the log's addresses is called. */
async function nameOf(interfaces: ReturnType<typeof logInterfaces>): Promise<string | undefined> {
	return Object.keys(decodeLog(await interfaces(fromHex(PROXY), LOG), LOG)?.args ?? {})[0];
}

describe("a log of a proxy", () => {
	test("is named by the contract behind it, before what is common to all", async () => {
		expect(await nameOf(logInterfaces(proxied({ is: "22" })))).toBe("of22");
	});

	test("is named first by the interface that was given", async () => {
		const given = readInterface(JSON.stringify([transfer("given")]));
		expect(await nameOf(logInterfaces(proxied({ is: "22" }), given))).toBe("given");
	});

	test("is named by the next contract behind it once it is upgraded", async () => {
		const behind = { is: "22" };
		const interfaces = logInterfaces(proxied(behind));
		expect(await nameOf(interfaces)).toBe("of22");
		behind.is = "33";
		expect(await nameOf(interfaces)).toBe("of22");
		await interfaces(fromHex(PROXY), UPGRADED);
		expect(await nameOf(interfaces)).toBe("of33");
	});
});
