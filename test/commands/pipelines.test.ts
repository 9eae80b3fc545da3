/**
 * Commands that go together: the pipelines of the documents run by a shell against a development chain, several people
 * who sign over files, and every line of JSON read by a parser of its own.
 */

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Outcome, PATIENCE } from "./coin-process.js";
import { addressOf, DevelopmentChain } from "./development-chain.js";

const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));

/** `jq -r` for one expression: another reader of our JSON than our own. */
const FIELD = `node -e 'process.stdin.setEncoding("utf8");let t="";process.stdin.on("data",d=>t+=d).on("end",()=>{for(const l of t.split("\\n"))if(l)console.log(process.argv[1].split(".").reduce((v,k)=>v[k],JSON.parse(l)))})'`;

let chain: DevelopmentChain;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
});
afterAll(() => chain.stop());

/** Runs a script in a shell that has `coin` and `field`, in the home of the chain. */
function shell(script: string): Promise<Outcome> {
	const prelude = `set -uo pipefail; coin() { '${process.execPath}' '${program}' "$@"; }; field() { ${FIELD} "$1"; }`;
	const child = spawn("bash", ["-c", `${prelude}\n${script}`], {
		cwd: chain.home.path,
		env: {
			PATH: process.env["PATH"] ?? "",
			HOME: chain.home.path,
			COIN_TTY: join(chain.home.path, "no-terminal"),
			COIN_TIMEOUT: PATIENCE,
			...chain.environment,
		},
		stdio: ["ignore", "pipe", "pipe"],
	});
	let [stdout, stderr] = ["", ""];
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		stdout += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code) => resolve({ code, stdout, stderr }));
	});
}

async function prints(script: string): Promise<string> {
	const { code, stdout, stderr: output } = await shell(script);
	// The people here have the keys of development chains.
	const stderr = output.replace(/^warning: everybody has the key of .*\n/gm, "");
	// What wallet sign signs is shown there.
	const said = script.includes("wallet sign") && !/error|warning/.test(stderr) ? "" : stderr;
	expect({ script, code, stderr: said }).toEqual({ script, code: 0, stderr: "" });
	return stdout;
}

describe("a pipeline", () => {
	it("builds, signs, sends and reads the result", async () => {
		expect(
			await prints(
				"coin wallet send --to bob --amount 25coin --build | coin wallet sign | coin wallet broadcast --wait | field state",
			),
		).toBe("solid\n");
	});

	it("sends what a node's own builder made, by the raw endpoint", async () => {
		const [ann, bob] = [addressOf("ann"), addressOf("bob")];
		const built = `coin rpc createtransaction --visible --owner_address ${ann} --to_address ${bob} --amount 1000000`;
		expect(
			await prints(`${built} | coin wallet sign | coin rpc broadcasttransaction --data - | field result`),
		).toBe("true\n");
	});

	it("pays a list, with one password, and tells what became irreversible", async () => {
		chain.home.write("pay.csv", "to,amount,memo\nbob,1coin,first\ncarol,2coin,\ndora,3coin,\n");
		const ids = await prints(
			"coin wallet send --batch pay.csv --build | coin wallet sign --batch | coin wallet broadcast --wait | tee done.jsonl | field txID | coin tx status - --json | field state",
		);
		expect(ids).toBe("solid\nsolid\nsolid\n");
		const done = readFileSync(join(chain.home.path, "done.jsonl"), "utf8").trim().split("\n");
		expect(done.map((line) => (JSON.parse(line) as { amount: string }).amount)).toEqual([
			"1000000",
			"2000000",
			"3000000",
		]);
	});

	it("converts there and back", async () => {
		expect(
			await prints(
				"coin convert unit 12.5coin --to sun | sed s/sun// | coin convert hex | coin convert dec | sed s/$/sun/ | coin convert unit --to coin",
			),
		).toBe("12.5coin\n");
	});

	it("ends with the first failure told once, and nothing on standard output", async () => {
		const { code, stdout, stderr } = await shell(
			`coin wallet send --to bob --amount 99999999coin --build | coin wallet sign | coin wallet broadcast | field txID; echo \${PIPESTATUS[@]} >&2`,
		);
		expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
		const lines = stderr.trim().split("\n");
		expect(lines.at(-1)).toBe("1 2 2 0");
		const codes = lines
			.slice(0, -1)
			.map((line) => (JSON.parse(line) as { error: { code: string } }).error.code);
		expect(codes.sort()).toEqual(["insufficient_funds", "stdin_empty", "stdin_empty"]);
	});
});

describe("three people and one account", () => {
	it("move to two of three, and pay over files that travel between them", async () => {
		const owners = "coin permission template 2of3 ann bob carol --account dora";
		await prints(
			`${owners} | coin permission update --from dora --file - --yes --build | coin wallet sign --signer dora --yes | coin wallet broadcast --wait > /dev/null`,
		);
		expect(await prints("coin permission show dora --json | field owner.threshold")).toBe("2\n");

		await prints("coin wallet send --from dora --to ann --amount 9_000coin --expires 12h --build > pay.json");
		await prints("coin wallet sign --yes --signer ann < pay.json > pay.ann.json");
		await prints("coin wallet sign --yes --signer carol < pay.json > pay.carol.json");
		const open = JSON.parse(await prints("coin wallet approvals --json < pay.ann.json")) as object;
		expect(open).toMatchObject({
			account: addressOf("dora"),
			weight: "1",
			missing: "1",
			ready: false,
			expired: false,
			permission: { id: 0, threshold: "2" },
			approved: [{ address: addressOf("ann"), weight: "1", name: "ann" }],
			outstanding: [{ name: "bob" }, { name: "carol" }],
			expiration: expect.stringMatching(/^\d{13}$/),
		});
		expect(await prints("coin wallet approvals < pay.ann.json")).toMatch(/\nready +false\n/);

		const early = await shell("coin wallet broadcast < pay.ann.json");
		expect(early).toMatchObject({ code: 1, stdout: "" });
		expect(early.stderr).toContain('"threshold_not_reached"');
		const twice = await shell("coin wallet sign --yes --signer ann < pay.ann.json");
		expect(twice).toMatchObject({ code: 1, stdout: "" });
		expect(twice.stderr).toContain('"already_signed"');
		const useless = await shell("coin wallet sign --signer dora < pay.ann.json");
		expect(useless).toMatchObject({ code: 1, stdout: "" });
		expect(useless.stderr).toContain('"not_authorized"');
		expect(await prints("coin wallet sign --signer ann --skip-signed < pay.ann.json")).toBe(
			readFileSync(join(chain.home.path, "pay.ann.json"), "utf8"),
		);

		const sent = "coin wallet merge pay.ann.json pay.carol.json | coin wallet broadcast --wait";
		expect(await prints(`${sent} | tee sent.json | field state`)).toBe("solid\n");
		expect(JSON.parse(readFileSync(join(chain.home.path, "sent.json"), "utf8"))).toMatchObject({
			from: addressOf("dora"),
			amount: "9000000000",
			fee: "1000000",
		});
	});

	it("see the envelope as a code, for a machine without network", async () => {
		const code = await prints("coin wallet send --to bob --amount 1coin --build | coin wallet qr --stdin");
		expect(code).toMatch(/^█{40,}\n/);
	});
});
