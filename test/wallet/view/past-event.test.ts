import { expect, test } from "vitest";
import { viewAddress } from "../../../src/abi/coder.js";
import { topicOf } from "../../../src/abi/selector.js";
import { fromHex, toHex } from "../../../src/protocol/bytes.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";
import { type PastEvent, pastEvent, pastEvents } from "../../../src/wallet/view/past-event.js";

test("a past event has the forms of any other one", () => {
	const row = {
		block_number: 7n,
		transaction_id: "ab",
		event_index: 2n,
		contract_address: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
		event_name: "Sent",
		event: "Sent(address indexed to, bytes2 tag, uint256 amount, address[] list)",
		result: {
			to: `0x${"22".repeat(20)}`,
			tag: "abcd",
			amount: "5",
			"0": "x",
			list: [`0x${"22".repeat(20)}`],
		},
		result_type: { to: "address", tag: "bytes2", amount: "uint256", list: "address[]" },
	};
	const { logIndex, event, signature, args } = pastEvent(row);
	expect([logIndex, event, signature]).toEqual([2, "Sent", "Sent(address,bytes2,uint256,address[])"]);
	expect(args).toEqual({
		to: expect.stringMatching(/^T/),
		tag: "0xabcd",
		amount: 5n,
		list: [expect.stringMatching(/^T/)],
	});
});

test("structures of a past event are shown as those of a log that was just decoded", () => {
	const who = "22".repeat(20);
	const { args } = pastEvent({
		event_name: "Paid",
		event: "Paid((address who, bytes2 tag, (bool done, int8)[] steps) order, bool last)",
		result: { order: { who: `0x${who}`, tag: "abcd", steps: [["true", "-5"]] }, last: "false" },
		result_type: { order: "(address,bytes2,(bool,int8)[])", last: "bool" },
	});
	expect(args).toEqual({
		order: { who: viewAddress(fromHex(who)), tag: "0xabcd", steps: [[true, -5n]] },
		last: false,
	});
});

test("a past event without an interface is its topics and data, as any other one", () => {
	const [topic, data] = ["ab".repeat(32), "cd".repeat(64)];
	const found = pastEvent({ event_name: "", event: "", result: { "0": topic, "1": data }, result_type: {} });
	expect(found).toMatchObject({ topics: [`0x${topic}`], data: `0x${data}` });
	expect(found).not.toHaveProperty("args");
});

test("a past event whose interface the index doesn't know is read by the one that is known here", () => {
	const item = parseSignature("Sent(uint256 amount)", "event");
	const result = { "0": toHex(topicOf(item)), "1": "5".padStart(64, "0") };
	const found = pastEvent({ event_name: "", event: "", result, result_type: {} }, [item]);
	expect(found).toMatchObject({ event: "Sent", signature: "Sent(uint256)", args: { amount: 5n } });
	expect(found).not.toHaveProperty("topics");
});

test("events are given in the chain's order, and looked for by name here where the index knows none", async () => {
	const item = parseSignature("Sent(uint256 amount)", "event");
	const asked: (string | null)[][] = [];
	const client = {
		settings: {},
		baseUrl: () => "http://node.example",
		send: async ({ url }: { url: string }) => {
			const { searchParams } = new URL(url);
			asked.push(["event_name", "order_by"].map((name) => searchParams.get(name)));
			const result = { "0": toHex(topicOf(item)), "1": "5".padStart(64, "0") };
			const data = searchParams.has("event_name")
				? []
				: [{ event_name: "", result }, { event_name: "Other" }];
			return { status: 200, body: Buffer.from(JSON.stringify({ data })) };
		},
	} as unknown as NodeClient;
	const found: PastEvent[] = [];
	const contract = fromHex(`41${"22".repeat(20)}`);
	for await (const event of pastEvents(client, contract, [item], { name: "Sent", isOldestFirst: true }))
		found.push(event);
	expect(found).toMatchObject([{ event: "Sent" }]);
	expect(asked).toEqual([
		["Sent", "block_timestamp,asc"],
		[null, "block_timestamp,asc"],
	]);
});
