import { expect, test } from "vitest";
import { readEach } from "../../../src/terminal/base/node-questions.js";
import { Failure } from "../../../src/wallet/failure.js";

test("a list leaves out blank lines and comments, and names every line that stands for nothing", async () => {
	const read = (value: string): string => {
		if (value.length > 1) throw new Failure("bad_value", `"${value}" is long`);
		return value;
	};
	const list = (text: string): Promise<string[]> => readEach({ text, fromStdin: true }, read);
	expect(await list("a\r\n\n# no\n b \n")).toEqual(["a", "b"]);
	await expect(list("a\n\nbc\nd\nef\n")).rejects.toMatchObject({
		code: "bad_value",
		message: 'line 3: "bc" is long; line 5: "ef" is long',
		facts: { index: 1, details: { line: 3, refused: [{ line: 3 }, { line: 5 }] } },
	});
	let asked = 0;
	const nobody = (value: string): never => {
		asked += 1;
		throw new Failure("wallet_not_found", `no key is called ${value}`, {
			hint: `coin contact add ${value}`,
		});
	};
	const text = `${"ab".repeat(32)}\n${"x\n".repeat(100)}`;
	const refusal: unknown = await readEach({ text, fromStdin: true }, nobody).catch((error: unknown) => error);
	expect(refusal).toMatchObject({
		message: expect.stringMatching(/^line 1: .*; lines 6-20 can't be read either$/),
	});
	expect(asked).toBe(20);
	expect(JSON.stringify([refusal, (refusal as Failure).message])).not.toContain("abab");
	await expect(readEach({ text: "bc", fromStdin: false }, read)).rejects.toThrow(/^"bc" is long$/);
});
