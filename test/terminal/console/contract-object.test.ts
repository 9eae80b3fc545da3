import { expect, it } from "vitest";
import { argumentText } from "../../../src/terminal/console/contract-object.js";
import { readArguments } from "../../../src/wallet/abi/argument.js";
import { parseSignature } from "../../../src/wallet/abi/signature.js";

const account = { address: "TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6" };

it("writes values as the command line's arguments", () => {
	expect(argumentText("a, b")).toBe("a, b");
	expect(argumentText(5n)).toBe("5");
	expect(argumentText(7)).toBe("7");
	expect(argumentText(true)).toBe("true");
	expect(argumentText(Uint8Array.of(1, 255))).toBe("0x01ff");
	expect(argumentText(account)).toBe(account.address);
	expect(argumentText([{ to: account, amount: 5n, note: 'say "hi"' }])).toBe(
		`[{to:${account.address},amount:5,note:"say \\"hi\\""}]`,
	);
});

it("is read back as it was meant", async () => {
	const { inputs } = parseSignature("batch((uint256 amount,string note)[] list,uint8[3] three)", "function");
	const texts = [[{ amount: 5n, note: "a,b]" }], [1, 2, 3]].map(argumentText);
	expect(await readArguments(inputs, texts, () => Promise.reject(new Error("no account")))).toEqual([
		[[5n, "a,b]"]],
		[1n, 2n, 3n],
	]);
});

it("refuses what JavaScript has rounded, and what no contract takes", () => {
	expect(() => argumentText(1e21)).toThrow("not exact");
	expect(() => argumentText(0.5)).toThrow("not exact");
	expect(() => argumentText(undefined)).toThrow("undefined can't be an argument");
	expect(() => argumentText([null])).toThrow("null can't be an argument");
	const deep: unknown[] = [];
	deep.push(deep);
	expect(() => argumentText(deep)).toThrow("nested deeper");
});
