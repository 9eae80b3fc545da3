import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/wallet/failure.js";
import {
	broadcastMessage,
	isFilterMissing,
	isKeptUnannounced,
	isOrderMissing,
	rangeLimitIn,
	refusalByNode,
	validationCode,
} from "../../../src/wallet/node/node-messages.js";

describe("a node's error text", () => {
	it.each([
		[
			"class org.tron.core.exception.ContractValidateException : Validate TransferContract error, no OwnerAccount.",
			"contract_validate",
			"the account that acts isn't on the chain yet (no OwnerAccount)",
		],
		[
			"ContractValidateException : Validate TransferContract error, balance is not sufficient.",
			"insufficient_funds",
			"the account has fewer coins than this takes (balance is not sufficient)",
		],
		[
			"ContractValidateException : balance < AccountUpgradeCost",
			"contract_validate",
			"the account has fewer coins than becoming a witness costs (balance < AccountUpgradeCost)",
		],
		[
			"class org.tron.core.exception.ContractValidateException : Cannot transfer TRX to yourself.",
			"contract_validate",
			"Cannot transfer COIN to yourself.",
		],
		["class java.lang.NullPointerException : null", "rpc_error", "the node failed with NullPointerException"],
		[
			"class org.tron.core.services.http.JsonFormat$ParseException : 1:18: INVALID hex String",
			"rpc_error",
			"1:18: INVALID hex String",
		],
		["this API is unavailable due to config", "rpc_error", "this API is unavailable due to config"],
	])("%s", (text, code, message) => {
		expect(refusalByNode(text)).toMatchObject({ code, message });
	});

	it("is there without the class, in the node's own spelling, for programs", () => {
		const text = "class org.tron.core.exception.ContractValidateException : Cannot transfer TRX to yourself.";
		expect(refusalByNode(text).facts.node).toEqual({
			code: "ContractValidateException",
			message: "Cannot transfer TRX to yourself.",
		});
	});
});

describe("messages without a field", () => {
	const failure = (message: string): Failure => new Failure("rpc_error", message);

	it.each([
		["eth_getLogs: exceed max block range: 5000", 5001n],
		["eth_getLogs: query returned more than 10000 results", "unknown"],
		["eth_getLogs: invalid block range params", undefined],
	])("say how many blocks a query may span: %s", (message, limit) => {
		expect(rangeLimitIn(failure(message))).toBe(limit);
	});

	it("say what isn't there", () => {
		expect(isFilterMissing(failure("eth_getFilterChanges: filter not found"))).toBe(true);
		expect(isOrderMissing(failure("order not found in store"))).toBe(true);
		expect(isFilterMissing(failure("method not found"))).toBe(false);
		expect(isOrderMissing(failure("filter not found"))).toBe(false);
	});

	it("say that a node keeps what it could not announce", () => {
		expect(isKeptUnannounced("P2P broadcast failed. Your transaction is on the way")).toBe(true);
		expect(isKeptUnannounced("Contract validate error : P2P")).toBe(false);
	});

	it("lose the prefix that repeats the code of a broadcast", () => {
		expect(broadcastMessage("Contract validate error : Cannot transfer TRX to yourself.")).toBe(
			"Cannot transfer COIN to yourself.",
		);
	});

	it("don't call a missing stake a lack of money", () => {
		expect(validationCode("insufficient delegateFrozenBalance")).toBe("contract_validate");
		expect(validationCode("balance is not sufficient")).toBe("insufficient_funds");
	});
});
