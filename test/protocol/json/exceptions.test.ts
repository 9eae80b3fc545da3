import { describe, expect, it } from "vitest";
import {
	exceptionText,
	isWireError,
	NamedError,
	nullPointer,
} from "../../../src/protocol/json/exceptions.js";

class ContractValidateError extends Error {
	override readonly name = "ContractValidateException";
}

describe("an exception on the wire", () => {
	it.each([
		[
			new NamedError("JsonFormat$ParseException", "1:1: coin"),
			"class org.tron.core.services.http.JsonFormat$ParseException : 1:1: coin",
			"ParseException : 1:1: coin",
		],
		[
			new ContractValidateError("Cannot transfer COIN."),
			"class org.tron.core.exception.ContractValidateException : Cannot transfer TRX.",
			"ContractValidateException : Cannot transfer COIN.",
		],
		[nullPointer(), "class java.lang.NullPointerException : null", "NullPointerException : null"],
		[
			new NamedError("JSONException", "syntax error"),
			"class com.alibaba.fastjson.JSONException : syntax error",
			"JSONException : syntax error",
		],
		[
			new NamedError("Program$OutOfEnergyException", "x"),
			"class org.tron.core.vm.program.Program$OutOfEnergyException : x",
			"OutOfEnergyException : x",
		],
	])("is %s", (error, deployed, neutral) => {
		expect(exceptionText(error, "deployed")).toBe(deployed);
		expect(exceptionText(error, "neutral")).toBe(neutral);
	});

	it("is told from a fault of the program", () => {
		expect(isWireError(new ContractValidateError("x"))).toBe(true);
		expect(isWireError(new TypeError("x"))).toBe(false);
	});
});
