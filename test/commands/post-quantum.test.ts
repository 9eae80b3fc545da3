/** Keys of post-quantum schemes, from the making to a signature among others, on chains that take them and that don't. */

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorRecord } from "./coin-process.js";
import { addressOf, DevelopmentChain } from "./development-chain.js";

let chain: DevelopmentChain;
const addresses = new Map<string, string>();
beforeAll(async () => {
	chain = (await DevelopmentChain.start(["--dev", "--network", "nile"])).withFreshModules();
	for (const [name, scheme] of [
		["vera", "fn-dsa-512"],
		["mel", "ml-dsa-44"],
	] as const) {
		const made = (await chain.value(`keystore new ${name} --scheme ${scheme} --light`)) as Record<
			string,
			string
		>;
		expect(made["scheme"]).toBe(scheme.toUpperCase().replaceAll("-", "_"));
		addresses.set(name, made["address"] as string);
		await chain.acts(`send ${made["address"]} 300coin`);
	}
});
afterAll(() => chain.stop());

const envelope = async (words: string, stdin?: string): Promise<string> => {
	const { code, stdout, stderr } = await chain.coin(words, stdin);
	expect({ words, code, stderr: code === 0 ? "" : stderr }).toEqual({ words, code: 0, stderr: "" });
	return stdout;
};

describe("keys of post-quantum schemes", () => {
	it("send, and are shown as signers; what it costs is known before", async () => {
		const planned = (await chain.value("send bob 1coin --from mel --dry-run")) as {
			readonly cost: { readonly bytes: string | number; readonly totalSun: string };
			readonly simulation: { readonly status: string };
		};
		expect(planned.simulation).toMatchObject({ status: "success", feeSun: planned.cost.totalSun });
		const { txID, bandwidth } = await chain.acts("send bob 1coin --from mel");
		expect(Number(bandwidth)).toBe(Number(planned.cost.bytes));
		expect(await chain.value(`tx show ${txID}`)).toMatchObject({ signers: [addresses.get("mel")] });
		const sent = await chain.acts("send bob 1coin --from vera");
		expect(Number(sent["bandwidth"])).toBeLessThanOrEqual(64 + 140 + 1574);
		const everything = await chain.acts("send bob max --from mel");
		expect(BigInt(String(everything["amount"]))).toBeGreaterThan(298_000_000n);
	});

	it("sign with others for one permission, in a pipe and side by side", async () => {
		const carol = addressOf("carol");
		await chain.acts(
			`permission update carol --owner 3/carol:1,vera:1,mel:1 --active active=2/vera:1,mel:1 --yes`,
		);
		const built = await envelope("send bob 2coin --from carol --build");
		const piped = await envelope(
			"wallet sign --signer mel",
			await envelope("wallet sign --signer vera", built),
		);
		const few = JSON.parse((await chain.coin("wallet approvals --json", piped)).stdout) as object;
		expect(few).toMatchObject({ weight: "2", missing: "1", ready: false, signatures: 2 });
		const own = await envelope("wallet sign --signer carol", built);
		const [files] = [[chain.home.write("own.json", own), chain.home.write("piped.json", piped)]];
		const merged = await envelope(`wallet merge ${files.join(" ")}`);
		const signers = [carol, addresses.get("vera"), addresses.get("mel")];
		expect(JSON.parse((await chain.coin("tx decode --json", merged)).stdout)).toMatchObject({ signers });
		const sent = await chain.coin("wallet broadcast --wait --json", merged);
		expect(JSON.parse(sent.stdout)).toMatchObject({ state: "solid", result: "SUCCESS" });
		await chain.acts("send bob 2coin --from carol --permission active --signer vera --signer mel");
	});

	it("are not ready where the chain takes no signatures of theirs", async () => {
		const signed = await envelope(
			"wallet sign --signer vera",
			await envelope("send bob 1coin --from vera --build"),
		);
		await chain.prints("dev set-param getAllowFnDsa512=0");
		const shown = JSON.parse((await chain.coin("wallet approvals --json", signed)).stdout) as object;
		await chain.prints("dev set-param getAllowFnDsa512=1");
		const reason = "this chain takes no signatures of FN_DSA_512";
		expect(shown).toMatchObject({ missing: "0", ready: false, reason });
		await chain.prints("dev set-param getAllowFnDsa512=0");
		for (const words of ["send vera 1coin", "account create vera"]) {
			const { message } = await chain.fails(words, 2);
			expect(message).toContain(
				"vera is a key of yours of FN_DSA_512, whose signatures this chain doesn't take",
			);
		}
		const list = chain.home.write("list.csv", "to,amount\nbob,1coin\nvera,1coin\n");
		expect((await chain.fails(`send --batch ${list} --yes`, 2))["message"]).toContain("can't be spent");
		await chain.prints("dev set-param getAllowFnDsa512=1");
		const again = JSON.parse((await chain.coin("wallet approvals --json", signed)).stdout) as object;
		expect(again).toMatchObject({ ready: true });
	});

	it("are refused once a byte of their signature is another", async () => {
		const signed = await envelope(
			"wallet sign --signer vera",
			await envelope("send bob 1coin --from vera --build"),
		);
		const json = JSON.parse(signed) as { pq_auth_sig: { signature: string; note?: string }[] };
		const [entry] = json.pq_auth_sig as [{ signature: string; note?: string }];
		entry.signature = entry.signature.replace(/^39../, (start) => `39${start.endsWith("0") ? "11" : "00"}`);
		expect(await chain.coin(["wallet", "approvals", "--json"], JSON.stringify(json))).toMatchObject({
			code: 2,
		});
		entry.note = "mine";
		const { stderr } = await chain.coin(["wallet", "approvals", "--json"], JSON.stringify(json));
		expect(stderr).toContain("the member pq_auth_sig.note");
	});

	it("can't do what needs a key from a signature, and say so", async () => {
		const { code, stderr } = await chain.coin("message sign hi --signer vera");
		expect(code).toBe(2);
		expect(stderr).toContain("works with secp256k1 keys only, and vera");
	});

	it("sign through an agent without a password, alone and beside others, until it is locked", async () => {
		const runtime = join(chain.home.path, "run");
		mkdirSync(runtime, { mode: 0o700 });
		const environment = {
			...chain.environment,
			XDG_RUNTIME_DIR: runtime,
			COIN_TTY: chain.home.write("terminal", ""),
		};
		const unlock = ["keystore", "unlock", "vera", "mel", "ann", "--for", "1h"];
		const { code, stdout, stderr } = await chain.home.run(unlock, "", environment);
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const [, socket = ""] = /^export COIN_AGENT='(.*)'\n$/.exec(stdout) ?? [];
		const keyless = {
			...environment,
			COIN_AGENT: socket,
			COIN_PASSWORD_FILE: join(chain.home.path, "no-such-file"),
		};
		const coin = (line: string) => chain.home.run(line.split(" "), "", keyless);
		await chain.acts("send vera 20coin");
		await chain.acts("send mel 20coin");
		const shared = await chain.coin("permission update dora --owner 3/ann:1,vera:1,mel:1 --yes --wait");
		expect(shared.code, shared.stderr).toBe(0);
		for (const [line, notes] of [
			["send bob 1coin --from vera", ["vera"]],
			["send bob 1coin --from mel", ["mel"]],
			["send bob 1coin --from dora --signer mel --signer ann --signer vera", ["mel", "ann", "vera"]],
		] as const) {
			const sent = await coin(`${line} --wait --json`);
			expect({ line, code: sent.code }).toEqual({ line, code: 0 });
			expect(JSON.parse(sent.stdout)).toMatchObject({ state: "solid", result: "SUCCESS" });
			for (const name of notes) expect(sent.stderr).toContain(`${name} signs (unlocked): 1coin from`);
		}
		expect((await coin("keystore lock")).stdout).toBe("the agent has forgotten its keys and ended\n");
		expect(readdirSync(runtime)).toEqual([]);
		const refused = await coin("send bob 1coin --from vera --json");
		expect(errorRecord(refused)).toMatchObject({ code: "bad_value", sent: false });
	});

	it("go to the network's own form of a key file and back", async () => {
		const plain = join(chain.home.path, "mel.json");
		await chain.prints(`keystore export key mel --yes --out ${plain}`);
		expect(JSON.parse(readFileSync(plain, "utf8"))).toMatchObject({
			scheme: "ML_DSA_44",
			address: addresses.get("mel"),
		});
		await chain.prints("keystore delete mel --yes --purge");
		const back = await chain.coin(
			["keystore", "import", "key", "mel", "-", "--light"],
			readFileSync(plain, "utf8"),
		);
		expect(back).toMatchObject({ code: 0, stderr: "" });
		expect(await chain.value("keystore verify mel")).toBe(true);
	});
});

describe("where the chain doesn't take them", () => {
	it("nothing is signed or sent, and no account is handed to such a key by mistake", async () => {
		const main = await DevelopmentChain.start();
		try {
			await main.value("keystore new vera --scheme fn-dsa-512 --light");
			await main.acts("send vera 300coin --force");
			const refusal = await main.fails("send bob 1coin --from vera", 1);
			expect(refusal).toMatchObject({ code: "not_authorized", sent: false });
			expect(refusal["message"]).toContain("this chain takes no signatures of FN_DSA_512");
			expect(await main.fails("permission update ann --owner 1/vera:1 --yes", 1)).toMatchObject({
				code: "owner_lockout",
				details: { check: "owner_unsignable" },
			});
		} finally {
			await main.stop();
		}
	});
});
