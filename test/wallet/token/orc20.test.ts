import { describe, expect, it } from "vitest";
import { encodeCall } from "../../../src/abi/coder.js";
import { fromHex, utf8 } from "../../../src/protocol/bytes.js";
import { keccak256 } from "../../../src/protocol/hash.js";
import { TransactionInfo, TransactionInfoLog } from "../../../src/protocol/messages.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import { Failure } from "../../../src/wallet/failure.js";
import type { NodeClient } from "../../../src/wallet/node/node-client.js";
import { Orc20, TRANSFER } from "../../../src/wallet/token/orc20.js";
import { explainRevert, receiptView } from "../../../src/wallet/view/contract-outcome.js";

const contract = fromHex(`41${"77".repeat(20)}`);
const word = (value: bigint): string => value.toString(16).padStart(64, "0");

/** A node that knows one token: the answers of its constant calls by selector, and the interface stored with it. */
function node(abi?: object): NodeClient {
	const selector = (signature: string): string =>
		Buffer.from(keccak256(utf8(signature)).subarray(0, 4)).toString("hex");
	const answers: Readonly<Record<string, string>> = {
		[selector("decimals()")]: word(2n),
		[selector("symbol()")]: `${word(32n)}${word(3n)}${Buffer.from("GLD").toString("hex").padEnd(64, "0")}`,
	};
	const call = async (endpoint: string, request: { data?: string }): Promise<object> =>
		endpoint === "getcontract"
			? { name: "Gold", ...(abi ? { abi } : {}) }
			: { result: { result: true }, constant_result: [answers[String(request.data).slice(0, 8)]] };
	// No sources are stored there either.
	const rest = {
		baseUrl: () => "http://node.example",
		send: async () => ({ status: 404, body: Buffer.alloc(0) }),
	};
	return { settings: {}, call, ...rest } as unknown as NodeClient;
}

describe("an amount of an ORC-20 token", () => {
	const token = new Orc20(node(), contract);

	it.each([
		["1.5", 150n],
		["1.5GLD", 150n],
		["1.5 GLD", 150n],
		["7raw", 7n],
		["0", 0n],
	])("%s is in the token's decimals", async (text, expected) => {
		expect(await token.readAmount(text, false)).toBe(expected);
	});

	it.each([
		["1.5SLV", "is an amount of SLV, not of GLD"],
		["1.555", "has 3 fraction digits, at most 2 exist"],
	])("%s is refused", async (text, message) => {
		await expect(token.readAmount(text, false)).rejects.toThrow(message);
	});

	it("needs smallest units without a node", async () => {
		await expect(token.readAmount("1.5", true)).rejects.toThrow("such as 500raw");
		expect(await token.readAmount("5raw", true)).toBe(5n);
	});
});

describe("what an ORC-20 token answers", () => {
	const error = parseSignature("Frozen(address account)", "error");
	const abi = { entrys: [{ type: "Error", name: "Frozen", inputs: [{ name: "account", type: "address" }] }] };

	it("is read by the interface that the chain stores", async () => {
		const items = await new Orc20(node(abi), contract).interface(TRANSFER, false);
		const data = await encodeCall(error, [`0x${"11".repeat(20)}`]);
		const refused = new Failure("contract_revert", "the contract refused the call", {
			details: { data: `0x${Buffer.from(data).toString("hex")}` },
		});
		expect(await explainRevert(refused, items)).toMatchObject({ facts: { details: { error: "Frozen" } } });
	});

	it("has its transfers decoded where no interface is stored", async () => {
		const items = await new Orc20(node(), contract).interface(TRANSFER, false);
		const receipt = TransactionInfo.create({
			log: [
				TransactionInfoLog.create({
					address: contract.subarray(1),
					topics: [
						keccak256(utf8("Transfer(address,address,uint256)")),
						fromHex(word(1n)),
						fromHex(word(2n)),
					],
					data: fromHex(word(150n)),
				}),
			],
		});
		expect(await receiptView(receipt, TRANSFER, items)).toMatchObject({
			logs: [{ event: "Transfer", args: { value: 150n } }],
		});
	});
});
