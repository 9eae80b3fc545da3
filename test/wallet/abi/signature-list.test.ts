import { describe, expect, it } from "vitest";
import { describeItem } from "../../../src/abi/parameter.js";
import {
	commonInterface,
	joinedInterfaces,
	readSignatureList,
	searchSignatures,
} from "../../../src/wallet/abi/signature-list.js";

const find = (text: string, list = commonInterface()) => searchSignatures(list, text);

describe("the list of common signatures", () => {
	it("has each item once, and none that can't be read", () => {
		const items = commonInterface();
		expect(items.length).toBeGreaterThan(250);
		expect(joinedInterfaces(items).map(describeItem).sort()).toEqual(items.map(describeItem).sort());
	});

	// Selectors and topics that are published with the standards.
	it.each([
		["0xa9059cbb", "transfer(address to, uint256 value) returns (bool)"],
		["0x095ea7b3", "approve(address spender, uint256 value) returns (bool)"],
		["0x42842e0e", "safeTransferFrom(address from, address to, uint256 tokenId)"],
		[
			"0x38ed1739",
			"swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)",
		],
		["0x2f2ff15d", "grantRole(bytes32 role, address account)"],
		["0x08c379a0", "Error(string message)"],
		[
			"0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
			"Transfer(address indexed from, address indexed to, uint256 value)",
		],
	])("knows %s", (selector, signature) => {
		expect(find(selector)).toMatchObject([{ selector, signature }]);
	});

	it("takes the selector out of call data", () => {
		expect(find(`0xa9059cbb${"00".repeat(64)}`)[0]?.signature).toMatch(/^transfer\(/);
	});

	it("answers a signature with its selector, known or not", () => {
		expect(find("transfer(address,uint256)")).toMatchObject([{ selector: "0xa9059cbb" }]);
		expect(find("neverHeardOf(uint8)")).toEqual([
			{
				selector: expect.stringMatching(/^0x[0-9a-f]{8}$/),
				kind: "function",
				signature: "neverHeardOf(uint8)",
			},
		]);
	});

	it("finds by name", () => {
		expect(find("safeTransferFrom")).toHaveLength(3);
		expect(find("nothing")).toEqual([]);
	});

	it.each([["0xa9059cb"], ["0xzz"], ["0xa9059cbb00"], ["a b"], [""], ["transfer(address"]])(
		"refuses %j",
		(text) => {
			expect(() => find(text)).toThrow();
		},
	);
});

describe("lists of one's own", () => {
	it("read signatures, with selectors and remarks, and interfaces", () => {
		const list = readSignatureList(
			"# mine\n0x6d4ce63c get() returns (uint256)\n\nevent Told(uint256 indexed a)\nerror No(uint8)\n",
		);
		expect(list.map(({ kind, name }) => [kind, name])).toEqual([
			["function", "get"],
			["event", "Told"],
			["error", "No"],
		]);
		expect(find("0x6d4ce63c", list)).toHaveLength(1);
		expect(readSignatureList('[{"type":"function","name":"x","inputs":[]}]')).toHaveLength(1);
	});

	it("say which line can't be read", () => {
		expect(() => readSignatureList("get()\nset(")).toThrow("line 2 of the list");
	});

	it("come before the common one", () => {
		const own = readSignatureList("transfer(address recipient,uint256 amount)");
		expect(find("0xa9059cbb", joinedInterfaces(own, commonInterface()))[0]?.signature).toContain("recipient");
	});
});
