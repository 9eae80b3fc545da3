/** The walk of docs/proofs.md as it stands there, and what is refused on its way. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readProof, writeProof } from "../../src/protocol/inclusion/proof.js";
import { type InclusionFacts, inclusionFacts, textOf } from "../protocol/inclusion/real-proof.js";
import { DevelopmentChain } from "./development-chain.js";

let chain: DevelopmentChain;
beforeAll(async () => {
	chain = await DevelopmentChain.start();
});
afterAll(() => chain.stop());

const file = (name: string): string => join(chain.home.path, name);
const inHome = (line: string): string =>
	line.replaceAll(/\b(witnesses\.json|\w+\.proof)\b/g, (name) => file(name));

describe("docs/proofs.md", () => {
	it("is a walk that proves a payment", async () => {
		const lines = [...readFileSync("docs/proofs.md", "utf8").matchAll(/^ {4}coin (.*)$/gm)].map(
			([, words]) => words as string,
		);
		const [start, keys, send, verify, prove, again, ...more] = lines as string[];
		expect([start, more]).toEqual(["node start --dev", []]);
		await chain.prints(inHome(keys as string));
		const sent = await chain.coin(inHome(send as string));
		expect(sent).toMatchObject({
			code: 0,
			stderr: `the proof of the payment is in ${file("payment.proof")}\n`,
		});
		const { txID } = JSON.parse(sent.stdout) as { txID: string };
		const text = await chain.prints(inHome(verify as string));
		expect(text).toMatch(
			new RegExp(
				`^transaction +${txID}\n +25coin from \\S+ to \\S+\nrecorded +SUCCESS\nblock +\\d+ 0000\\w+\n +\\S+Z\nproven +it is in this block, and`,
			),
		);
		await chain.prints(inHome((prove as string).replace("<id>", txID)));
		const view = await chain.value(inHome((again as string).replace(" --json", "")));
		expect(view).toMatchObject({ txID, result: "SUCCESS", irreversible: true, witnesses: { needed: 1 } });
		// The development chain's one witness needs no block after it.
		expect(readProof(readFileSync(file("again.proof"), "utf8")).headers.length).toBe(1);
		expect(readFileSync(file("again.proof"), "utf8")).toBe(await chain.prints(`tx prove ${txID}`));
	});
});

describe("proofs of the commands", () => {
	it("hold for contracts among other transactions of a block", async () => {
		await chain.prints("dev mine --blocks 1");
		const { txID } = await chain.acts("send bob 1coin --memo hello");
		await chain.prints(`tx prove ${txID} --out ${file("memo.proof")} --witnesses ${file("witnesses.json")}`);
		const view = await chain.value(`tx verify ${file("memo.proof")} --witnesses ${file("witnesses.json")}`);
		expect(view).toMatchObject({ txID, from: expect.any(String) });
	});

	it("are checked without a configuration or a node", async () => {
		const [, , payment] = inclusionFacts as InclusionFacts[];
		writeFileSync(file("main.proof"), textOf(payment as InclusionFacts));
		const { code, stdout } = await chain.home.run([
			"tx",
			"verify",
			file("main.proof"),
			"--witnesses",
			"main",
			"--json",
		]);
		expect(code).toBe(0);
		expect(JSON.parse(stdout)).toMatchObject({ txID: payment?.id, witnesses: { trusted: 27, needed: 19 } });
	});

	it("are refused where they prove nothing", async () => {
		const set = file("witnesses.json");
		const { transaction, ...rest } = readProof(readFileSync(file("payment.proof"), "utf8"));
		const changed = Uint8Array.from(transaction);
		changed[30] = (changed[30] as number) ^ 1;
		writeFileSync(file("changed.proof"), writeProof({ ...rest, transaction: changed }));
		for (const [line, exit, code] of [
			[`tx verify ${file("changed.proof")} --witnesses ${set}`, 1, "proof_invalid"],
			[`tx verify ${set} --witnesses ${set}`, 1, "proof_invalid"],
			[`tx verify ${file("payment.proof")} --witnesses main`, 1, "proof_invalid"],
			[`tx verify ${file("payment.proof")} --witnesses ${file("payment.proof")}`, 2, "bad_value"],
			[`tx verify ${file("none.proof")} --witnesses ${set}`, 2, "bad_value"],
			[`tx verify ${file("payment.proof")}`, 2, "usage"],
			[`tx prove ${"ab".repeat(32)}`, 1, "not_found"],
		] as const)
			expect({ line, error: await chain.fails(line, exit) }).toMatchObject({ line, error: { code } });
	});

	it("are not written over another file, and nothing is paid then", async () => {
		const before = await chain.value("account balance bob");
		const error = await chain.fails(`send bob 1coin --wait --proof ${file("payment.proof")}`, 2);
		expect(error).toMatchObject({ code: "bad_value", sent: false });
		expect(await chain.fails(`send bob 1coin --wait --proof ${file("no/such")}`, 2)).toMatchObject({
			sent: false,
		});
		expect(await chain.value("account balance bob")).toEqual(before);
		expect(await chain.fails(`send bob 1coin --proof ${file("p.proof")}`, 2)).toMatchObject({
			code: "usage",
		});
		expect(existsSync(file("p.proof"))).toBe(false);
	});
});
