import { expect, test } from "vitest";
import { pastEvent } from "../../../src/wallet/view/past-event.js";

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
		amount: "5",
		list: [expect.stringMatching(/^T/)],
	});
});

test("a past event without an interface is its topics and data, as any other one", () => {
	const [topic, data] = ["ab".repeat(32), "cd".repeat(64)];
	const found = pastEvent({ event_name: "", event: "", result: { "0": topic, "1": data }, result_type: {} });
	expect(found).toMatchObject({ topics: [`0x${topic}`], data: `0x${data}` });
	expect(found).not.toHaveProperty("args");
});
