import { PassThrough, Readable } from "node:stream";
import { expect, it } from "vitest";
import { runScript, shownValue } from "../../../src/terminal/console/console-prompt.js";
import { RUNS_ALONE } from "../../../src/terminal/console/names.js";
import { Failure } from "../../../src/wallet/failure.js";

const balance = Object.assign(async (who = "me") => `${who}: 5coin`, { [RUNS_ALONE]: true });
const refused = async () => {
	throw new Failure("not_found", "there is none");
};

async function script(source: string): Promise<string> {
	const lines: string[] = [];
	const terminal = {
		input: Readable.from([Buffer.from(source)]),
		output: new PassThrough(),
		history: undefined,
		print: (text: string) => void lines.push(`${text}\n`),
		note: () => undefined,
	};
	await runScript(terminal, { balance, refused });
	return lines.join("");
}

it("waits for promises, keeps variables, reads amounts and statements over several lines", async () => {
	const source = 'const b = await balance("bob")\nb\nbalance\n2coin + 1sun\nif (true) {\n  "inside"\n}\n';
	expect(
		await script(
			"{ a: 1 }\n{ let x = 2; x }\nfunction twice(n) { return 2 * n }\ntwice(4)\nlet y = 3; y\ny + 1",
		),
	).toBe("{ a: 1 }\n2\n8\n3\n4\n");
	expect(await script(source)).toBe("bob: 5coin\nme: 5coin\n2000001n\ninside\n");
});

it("ends at the first statement that fails, with its reason", async () => {
	await expect(script("1\nrefused()\n2")).rejects.toMatchObject({ code: "not_found" });
	await expect(script("nope\n2")).rejects.toThrow('"nope": nope is not defined');
	await expect(script("if (true) {")).rejects.toMatchObject({ code: "bad_value" });
});

it("refuses a script that is too long before any of it runs", async () => {
	await expect(script(`"x"\n${" ".repeat(1 << 20)}`)).rejects.toThrow("more than 1048576 bytes");
});

it("prints nothing that steers a terminal", () => {
	expect(shownValue({ name: "\u001b[2J\u202e", "\u009bkey": 1 })).not.toMatch(/\p{Cc}|\p{Cf}/u);
	expect(shownValue(new Failure("bad_value", "\u001b]0;title"))).not.toContain("\u001b");
});
