import { expect, test } from "vitest";
import { pastEvent } from "../../../src/wallet/view/past-event.js";

test("a past event has the forms of any other one", () => {
	const row = {
		block_number: 7n,
		transaction_id: "ab",
		event_index: 2n,
		contract_address: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC",
		event_name: "Sent",
		result: {
			to: `0x${"22".repeat(20)}`,
			tag: "abcd",
			amount: "5",
			"0": "x",
			list: [`0x${"22".repeat(20)}`],
		},
		result_type: { to: "address", tag: "bytes2", amount: "uint256", list: "address[]" },
	};
	const { logIndex, args } = pastEvent(row);
	expect(logIndex).toBe(2);
	expect(args).toEqual({
		to: expect.stringMatching(/^T/),
		tag: "0xabcd",
		amount: "5",
		list: [expect.stringMatching(/^T/)],
	});
});
