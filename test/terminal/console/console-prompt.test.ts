import { PassThrough, Readable } from "node:stream";
import { expect, it } from "vitest";
import { runPrompt, runScript, shownValue } from "../../../src/terminal/console/console-prompt.js";
import { Coins } from "../../../src/terminal/console/contract-object.js";
import { RUNS_ALONE } from "../../../src/terminal/console/names.js";
import { Operations } from "../../../src/terminal/console/operations.js";
import { Failure } from "../../../src/wallet/failure.js";

const balance = Object.assign(async (who = "me") => `${who}: 5coin`, { [RUNS_ALONE]: true });
const refused = async () => {
	throw new Failure("not_found", "there is none");
};

function script(source: string): Promise<string> {
	return told(Readable.from([Buffer.from(source)]), runScript);
}

async function told(input: Readable, run: typeof runScript, lines: string[] = []): Promise<string> {
	const terminal = {
		input,
		output: new PassThrough().resume(),
		history: undefined,
		print: (text: string) => void lines.push(`${text}\n`),
		note: (line: string) => void lines.push(`(${line})\n`),
	};
	const operations = new Operations();
	const [paid, paidBy] = [[] as string[], { who: "me" }];
	const names = {
		balance,
		refused: operations.inOrder("refused", "action", refused),
		isPaused: operations.inOrder("isPaused", "question", async () => false),
		coins: operations.inOrder("coins", "question", async (sun: bigint = 0n) => new Coins(sun)),
		pair: operations.inOrder("pair", "question", async () => [3, 1]),
		answer: operations.inOrder("answer", "question", async () => ({ number: 7, is: "an answer" })),
		use: operations.inOrder("use", "action", async (who: string) => {
			paidBy.who = who;
		}),
		pay: operations.inOrder("pay", "action", async (amount: number) => {
			operations.act();
			await new Promise((resolve) => setImmediate(resolve));
			paid.push(`${paidBy.who} pays ${amount}`);
			return amount;
		}),
		paid: operations.inOrder("paid", "action", async () => paid.join(", ")),
	};
	await run(terminal, names, operations);
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

it("reads a line that continues a statement as part of it", async () => {
	const source =
		"if (await isPaused()) pay(1)\nelse pay(2)\ntry { await refused() }\ncatch { pay(3) }\n[1, 2]\n  .map((n) => n * 2)\npaid()";
	expect(await script(source)).toBe("[ 2, 4 ]\nme pays 2, me pays 3\n");
});

it("reads the whole script before any of it runs", async () => {
	expect(await script("const amount = 5coin\n  - 2coin\namount\npay(1)\n.then((n) => n + 1)\n")).toBe(
		"3000000n\n2\n",
	);
	const lines: string[] = [];
	const source = "console.log(1)\npay(1)\nconst a = (2";
	await expect(told(Readable.from([Buffer.from(source)]), runScript, lines)).rejects.toThrow(
		'"const a = (2": Unexpected token (line 3, column 13); nothing of the script has run',
	);
	expect(lines).toEqual([]);
});

it("takes amounts of coins for numbers of sun where something is decided by them", async () => {
	for (const [source, said] of [
		["await coins() ? 1 : 2", "2"],
		["!(await coins())", "true"],
		["await coins() || 3", "3"],
		["await coins(5n) || 3", "0.000005coin"],
		["await coins() && 3", "0n"],
		["await coins() ?? 3", "0coin"],
		["await coins(1n) && 3", "3"],
		["(await coins()) === 0coin", "true"],
		["await coins(5000000n) == 5coin", "true"],
		["5coin !== await coins(5000000n)", "false"],
		["await coins(5n) > 4sun", "true"],
		["(await coins(5n)) >= await coins(6n)", "false"],
		["(await coins()) === undefined", "false"],
		["[await coins(), await coins(2n)].filter(Boolean)", "[ 0.000002coin ]"],
		["[await coins(), await coins(2n)].findIndex((a) => a)", "1"],
		["let s; switch (await coins(2n)) { case 1sun: s = 1; break; case 2sun: s = 2 }; s", "2"],
		["let z = coins(); z ||= 7; z", "7"],
		["const b = coins(9000000n); b", "9coin"],
		["coins()", "0coin"],
		["[1coin, 0coin].includes(await coins())", "true"],
		["[await coins(2n), await coins()].indexOf(0coin)", "1"],
		["[await coins()].lastIndexOf(await coins())", "0"],
		["'abc'.includes('b') && [5, 7].indexOf(7, 1) === 1", "true"],
	] as const)
		expect(await script(source), source).toBe(`${said}\n`);
});

it("refuses to compare amounts with numbers that have no unit", async () => {
	for (const [source, text] of [
		["await coins(5n) > 4", "4"],
		["0 === await coins()", "0"],
		["const limit = 4\nif (await coins(5n) > limit) pay(1)", "limit"],
		["7 < 5coin", "7"],
		["(await answer()).number < 5coin", "(await answer()).number"],
		["5 > (await coins()) - 2coin", "5"],
		["await coins() === '0coin'", "'0coin'"],
		["switch (await coins()) { case 0: pay(1) }", "a case"],
		["switch (1) { case 1coin: pay(1) }", "1"],
		["switch (1coin) { case 1: pay(1) }", "a case"],
		["const l = 5coin; l > 5", "5"],
		["[7, 0].includes(await coins())", "7"],
		["[await coins()].includes(0)", "0"],
		["let l = 1\nif (l > 0) l = 5coin\nconst m = l * 2n - 1coin\n7 < m", "7"],
		["let l; l = true ? 5coin : 6coin; if (l > 5) pay(1)", "5"],
		["let l = 0n; l += 5coin\nl === 5", "5"],
		["let l = 5coin\nfunction show(l = 0n) {}\nif (false) l = 0n\nl > 3", "3"],
		["let l = 5coin\nl > 3; l = 0n", "3"],
		["let l, m\nl = m = undefined ?? 5coin\nl > 5n && m > 4", "4"],
		["for (const l of [1n, 5coin]) l > 3", "3"],
		["let l = 5coin\nswitch (l) { case 1: pay(1) }", "a case"],
	] as const)
		await expect(script(source), source).rejects.toMatchObject({
			message: `${text} ${text.startsWith("'") ? "is a text" : "has no unit"}, and is compared with an amount of coins`,
		});
	await expect(script("await coins(5n) > 4")).rejects.toMatchObject({
		facts: { hint: "write 4coin or 4sun" },
	});
	expect(await script("5n > 4\n6coin / 2coin > 2")).toBe("true\ntrue\n");
	// What was set to something else in between is no amount.
	expect(await script("let l = 5coin; l = 7; l > 5\nl = 5coin\nl = 9n\nl > 5\n")).toBe(
		"true\n5000000n\n9n\ntrue\n",
	);
	expect(await script("let l = 5coin\nfunction f(l) { switch (l) { case 1: return 'one' } }\nf(1)")).toBe(
		"one\n",
	);
});

it("refuses to compare amounts of tokens, whose smallest units it doesn't know", async () => {
	for (const source of [
		"7n > 1@gold",
		"1@gold === '1@gold'",
		"let l = 1@gold\nl == (await coins())",
		"switch (7n) { case 1@gold: pay(1) }",
		"[1@gold].includes(7n)",
		"[7n].indexOf(1@gold)",
		"if (1@gold) pay(1)",
		"2n * 1@gold",
		"'' + 1@gold",
	])
		await expect(script(source), source).rejects.toMatchObject({
			code: "bad_value",
			message: "1@gold: amounts of tokens are arguments only",
		});
	expect(await script("let l = 5@gold\nl !== undefined && JSON.stringify([l ?? 1])\nl")).toBe(
		'["5@gold"]\n5@gold\n',
	);
});

it("waits for what variables are set to, also in patterns and by assignments that decide", async () => {
	for (const [source, said] of [
		["const [q, r] = pair(); q - r", "2"],
		["let number; ({ number } = answer()); number", "7"],
		["let ok = true; ok &&= isPaused(); ok", "false"],
		["let no; no ??= answer(); no.number", "7"],
		["let n = 0; n ||= answer(); n.number", "7"],
	] as const)
		expect(await script(source.replaceAll("; ", "\n")).then((text) => text.split("\n").at(-2)), source).toBe(
			said,
		);
});

it("reads assignments that decide once, in blocks without semicolons too, and ends at .exit", async () => {
	expect(await script("var d = {}; var k = 'x'\nd[k] ??= 5\nd.x &&= 6\nd.x")).toBe("5\n6\n6\n");
	const block =
		"var count\nfor (const n of [1, 2]) {\n  await pay(n)\n  count ||= 1\n}\npaid()\n.exit\npay(9)";
	expect(await script(block)).toContain("me pays 1, me pays 2");
	expect(await script("{ const b = await balance('bob'); console.log(b) }")).toContain("bob: 5coin");
	for (const target of ["d[i++]", "d[(await pay(1)).x]", "pay(1).x"])
		await expect(script(`pay(3)\nvar i = 0; var d = {}\n${target} ??= 1`)).rejects.toMatchObject({
			code: "bad_value",
			message: expect.stringContaining("is computed"),
			facts: expect.not.objectContaining({ sent: true }),
		});
	await expect(script("(1 ?? 2)()")).rejects.toThrow("(1 ?? 2)(): is not a function");
	expect(await script("Boolean(...[1])")).toBe("true\n");
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

it("reads a pasted block as one, and a line behind another once that has ended", async () => {
	for (const [source, said] of [
		["if (1 > 2) {\n pay(7)\n}\nconsole.log(await paid())", "\n"],
		["function twice(n) {\n return 2 * n\n}\nconsole.log(twice(4))", "8\n"],
		["if (await isPaused() ||\n1 < 2)\n(pay)(7)\nconsole.log(await paid())", "me pays 7\n"],
		["use('you')\npay(1)\nawait pay(\n2)\nconsole.log(await paid())", "you pays 1, you pays 2\n"],
		[
			"if (false) {\n nonsense here\n pay(7)\n}\n",
			"SyntaxError: Unexpected identifier 'here'\n(lines behind that, which were not run: 2)\n",
		],
		[
			"if (await isPaused()) pay(1)\nelse pay(2)\n",
			"SyntaxError: Unexpected token 'else'; the line before it was complete and has run: write both on one line\n",
		],
		[
			"nosuch()\npay(7)\n",
			"ReferenceError: nosuch is not defined\n(lines behind that, which were not run: 1)\n",
		],
	] as const)
		expect(await pasted(source, said)).toBe(said);
});

it("keeps an amount in a variable where the statement failed that would have set it to something else", async () => {
	const compares = "console.log((() => { try { return l > 3 } catch { return 'refused' } })())";
	const failed = "ReferenceError: nosuch is not defined\n";
	const said = await pasted("let l = 5coin\nl = nosuch()", failed, compares);
	expect(said).toBe(`${failed}refused\n`);
});

/** What the prompt says of a paste, as far as it ends so, and then of a line that says "true" or "refused". */
async function pasted(source: string, end: string, then?: string): Promise<string> {
	const input = new PassThrough();
	const lines: string[] = [];
	const prompt = told(input, runPrompt, lines);
	const said = async (pattern: (text: string) => boolean): Promise<void> => {
		while (!pattern(lines.join(""))) await new Promise((resolve) => setImmediate(resolve));
	};
	input.write(`${source}\n`);
	await said((text) => text.endsWith(end));
	if (then !== undefined) {
		input.write(`${then}\n`);
		await said((text) => /(?:true|refused)\n$/.test(text));
	}
	input.write(".exit\n");
	return prompt;
}

it("refuses what isn't waited for, where it would be taken for something else", async () => {
	const refusal = { code: "bad_value", message: "isPaused() is not waited for" };
	for (const source of [
		"if (isPaused()) pay(1)",
		"isPaused() ? pay(1) : 0",
		"isPaused() && pay(1)",
		"!isPaused()",
		"isPaused() > 5coin",
		"isPaused() + 1n",
		"[isPaused()]",
		"String(isPaused())",
		"[...isPaused()]",
		"{ const [a] = isPaused(); a }",
		"for (const each of isPaused) pay(1)",
	])
		await expect(script(source)).rejects.toMatchObject(refusal);
	for (const [source, hint] of [
		["answer.number", "(await answer()).number"],
		["answer().number", "(await answer()).number"],
		["answer('x').number", "(await answer(…)).number"],
	] as const)
		await expect(script(source)).rejects.toMatchObject({ facts: { hint: expect.stringContaining(hint) } });
});

it("refuses a function in place of its result where something is decided by it, and nowhere else", async () => {
	for (const source of [
		"if (isPaused) pay(1)",
		"while ( isPaused ) pay(1)",
		"isPaused && pay(1)",
		"isPaused ? pay(1) : 0",
		"!isPaused || pay(1)",
		"const b = !isPaused",
		"isPaused === true || pay(1)",
		"isPaused > 5",
		"({ a: isPaused ? pay(1) : 2, b: 3 })",
		"function f() { if (isPaused) pay(1) }; f()",
		"isPaused &&= pay(1)",
		"Boolean(isPaused) && pay(1)",
	])
		await expect(script(`${source}\npay(2)`), source).rejects.toMatchObject({
			message: "isPaused is a function, which a condition takes for true",
			facts: { hint: "write await isPaused()" },
		});
	const allowed = '"if (isPaused) x" // && isPaused\ntypeof isPaused === "function"\n';
	expect(await script(`${allowed}!(await isPaused())`)).toBe("if (isPaused) x\ntrue\ntrue\n");
});

it("refuses promises of the user's own functions where something is decided by them", async () => {
	const ok = "async function ok() { return (await answer()).number > 100 }\n";
	for (const source of [
		"if (ok()) pay(1)",
		"ok() && pay(1)",
		"[1].some(async () => false) && pay(1)",
		"[ok()].filter(Boolean).length && pay(1)",
		"[ok(), ok()].every(Boolean) && pay(1)",
	]) {
		await expect(script(`${ok}${source}`), source).rejects.toThrow("is not waited for");
		await expect(script(`${ok}let p = 0\nif (true) p = ok()\nif (p) pay(1)`)).rejects.toThrow(
			"p is not waited for",
		);
	}
	expect(await script(`${ok}if (await ok()) pay(1)\npaid()\n[3, 4].filter((n) => n > 3)`)).toBe("\n[ 4 ]\n");
});

it("takes what is waited for, also in a variable", async () => {
	expect(await script("if (await isPaused()) pay(1)\n(await answer()).number\n!(await isPaused())")).toBe(
		"7\ntrue\n",
	);
	expect(await script("const a = answer()\na.number\nlet p = isPaused()\nif (p) pay(1)\npaid()")).toBe(
		"7\n\n",
	);
	expect(await script("const [a, p] = await Promise.all([answer(), pay(3)]); a.number + p")).toBe("10\n");
	expect(await script("let f = async(n) => n; let g = function(n) { return n }; f(1)")).toBe("1\n");
});

it("prints what a script logs, and suggests names close by", async () => {
	expect(await script('console.log("hello", 5)\n1 + 1\n')).toBe("hello 5\n2\n");
	await expect(script("balanec()")).rejects.toThrow("balanec is not defined; did you mean balance?");
	await expect(script("5e18 / 2")).rejects.toThrow("5e18 * 2n, not 5e18 * 2");
});
