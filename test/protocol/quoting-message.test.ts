import { describe, expect, it } from "vitest";
import { ContractValidateError } from "../../src/node/rules/errors.js";
import { messageText } from "../../src/protocol/json/exceptions.js";
import { quoting, spellMessage } from "../../src/protocol/quoting-message.js";

describe("a message with quotations", () => {
	const message = quoting`No coin named ${"mycoin"} of ${"Coin, COIN"}.`;

	it.each([
		["deployed", "No trx named mycoin of Coin, COIN."],
		["neutral", "No coin named mycoin of Coin, COIN."],
	] as const)("has its own words respelled for the %s dialect", (dialect, text) => {
		expect(spellMessage(message, dialect)).toBe(text);
		expect(messageText(new ContractValidateError(message), dialect)).toBe(text);
	});

	it("stays one behind other words", () => {
		expect(message.after("COIN: ").spell("deployed")).toBe("TRX: No trx named mycoin of Coin, COIN.");
	});

	it("is all the program's own without quotations", () => {
		expect(spellMessage("a coin", "deployed")).toBe("a trx");
		expect(messageText(new ContractValidateError("a coin"), "deployed")).toBe("a trx");
	});

	it("is an error's neutral message", () => {
		expect(new ContractValidateError(message).message).toBe("No coin named mycoin of Coin, COIN.");
	});
});
