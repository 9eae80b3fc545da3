import { PassThrough, Readable } from "node:stream";
import { expect, it } from "vitest";
import { runScript, shownValue } from "../../../src/terminal/console/console-prompt.js";
import { RUNS_ALONE } from "../../../src/terminal/console/names.js";
import { Operations } from "../../../src/terminal/console/operations.js";
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
	const operations = new Operations();
	const [paid, paidBy] = [[] as string[], { who: "me" }];
	const names = {
		balance,
		refused: operations.inOrder(refused),
		use: operations.inOrder(async (who: string) => {
			paidBy.who = who;
		}),
		pay: operations.inOrder(async (amount: number) => {
			operations.act();
			await new Promise((resolve) => setImmediate(resolve));
			paid.push(`${paidBy.who} pays ${amount}`);
			return amount;
		}),
		paid: operations.inOrder(async () => paid.join(", ")),
	};
	await runScript(terminal, names, operations);
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
	await expect(script("5coin * 2")).rejects.toThrow("5coin * 2n, not 5coin * 2");
	await expect(script("nope\n2")).rejects.toThrow('"nope": nope is not defined');
	await expect(script("if (true) {")).rejects.toMatchObject({ code: "bad_value" });
});

it("does one thing after the other, awaited or not", async () => {
	expect(await script('use("you"); pay(1); paid()')).toBe("you pays 1\n");
	expect(await script("[1, 2].forEach((n) => pay(n)); 0\npaid()")).toBe("0\nme pays 1, me pays 2\n");
	expect(await script("try { await refused() } catch { pay(3) }; paid()")).toBe("me pays 3\n");
});

it("fails where something failed that nobody waited for, and says whether something was sent", async () => {
	await expect(script("refused(); pay(1)")).rejects.toMatchObject({ code: "not_found" });
	await expect(script("refused(); 1")).rejects.toMatchObject({ code: "not_found" });
	await expect(script("pay(1); nosuch")).rejects.toMatchObject({
		code: "bad_value",
		message: "ReferenceError: nosuch is not defined; what the statement sent before it was sent",
		facts: { sent: true },
	});
	await expect(script("pay(1); refused()")).rejects.toMatchObject({ facts: { sent: true } });
});

it("refuses a script that is too long before any of it runs", async () => {
	await expect(script(`"x"\n${" ".repeat(1 << 20)}`)).rejects.toThrow("more than 1048576 bytes");
});

it("prints nothing that steers a terminal", () => {
	expect(shownValue({ name: "\u001b[2J\u202e", "\u009bkey": 1 })).not.toMatch(/\p{Cc}|\p{Cf}/u);
	expect(shownValue(new Failure("bad_value", "\u001b]0;title"))).not.toContain("\u001b");
});
