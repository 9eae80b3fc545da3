import { describe, expect, it } from "vitest";
import { addressOf, type DevelopmentChain, type Refusal } from "../development-chain.js";

const [ann, bob] = [addressOf("ann"), addressOf("bob")];

interface Signed {
	readonly signature: string;
	readonly address: string;
	readonly hash: string;
	readonly scheme: string;
}

export function messageTranscripts(chain: () => DevelopmentChain): void {
	describe("coin message", () => {
		it("signs a text and tells who signed it, also through a pipe", async () => {
			const signed = (await chain().value("message sign hello")) as Signed;
			expect(signed).toMatchObject({
				address: ann,
				scheme: "v2",
				signature: expect.stringMatching(/^0x[0-9a-f]{128}1[bc]$/),
			});
			expect(await chain().prints(["message", "verify", "hello", signed.signature])).toBe(`${ann}\n`);
			const piped = await chain().coin(
				["message", "verify", signed.signature, "--address", "ann"],
				"hello\n",
			);
			expect(piped).toMatchObject({ code: 0, stdout: "true\n" });
			const other = await chain().coin(["message", "verify", "hellO", signed.signature, "--address", "ann"]);
			expect(other).toMatchObject({ code: 1, stdout: "false\n", stderr: "" });
		});

		it("signs by the older scheme, and a bare hash after agreement", async () => {
			const older = (await chain().value("message sign 0xaabb --scheme v1 --signer bob")) as Signed;
			expect(older).toMatchObject({ address: bob, scheme: "v1" });
			const hash = "ab".repeat(32);
			expect(await chain().fails(`message sign ${hash} --hash`, 2)).toMatchObject({
				code: "confirmation_needed",
			});
			const bare = (await chain().value(`message sign ${hash} --hash --yes`)) as Signed;
			expect(bare).toMatchObject({ hash, scheme: "hash" });
			expect(await chain().value(`message verify ${hash} ${bare.signature} --hash`)).toBe(ann);
		});

		it.concurrent.each<Refusal>([
			["message sign abcd --hash", 2, { code: "bad_value" }],
			["message sign x --typed {}", 2, { code: "conflicting_flags" }],
			["message sign", 2, { code: "stdin_empty" }],
			["message verify hello 0x00", 2, { code: "bad_value" }],
		])("refuses %s", async (line, exit, error) => {
			expect(await chain().fails(line, exit)).toMatchObject(error);
		});
	});

	describe("coin contact", () => {
		it("labels accounts, which then stand for them everywhere", async () => {
			await chain().prints(["contact", "add", "zoe", bob, "--note", "pays for lunch"]);
			expect(await chain().values("contact list")).toEqual([
				{ label: "zoe", address: bob, note: "pays for lunch" },
			]);
			expect(await chain().value("token balance 1000002 zoe")).toBe(
				await chain().value("token balance 1000002 bob"),
			);
			expect(await chain().value("contact remove zoe")).toMatchObject({ label: "zoe", address: bob });
			expect(await chain().prints("contact list")).toBe("no contacts\n");
		});

		it("takes over a signed list of them, after agreement", async () => {
			await chain().prints(["contact", "add", "gus", bob]);
			const file = chain().home.write("contacts.json", await chain().prints("contact export --sign ann"));
			await chain().prints("contact remove gus");
			await chain().prints(["contact", "add", "gus", ann]);
			const wrong = { code: "not_authorized" };
			expect(await chain().fails(`contact import ${file} --from bob --yes`, 1)).toMatchObject(wrong);
			const changed = [{ before: { label: "gus", address: ann }, after: { label: "gus", address: bob } }];
			const asked = { code: "confirmation_needed", details: { changed } };
			expect(await chain().fails(`contact import ${file}`, 2)).toMatchObject(asked);
			expect(await chain().fails(`contact import ${file} --yes`, 2)).toMatchObject(asked);
			const taken = { signer: ann, added: [], changed, same: 0, interfaces: [] };
			expect(await chain().value(`contact import ${file} --from ann --yes`)).toEqual(taken);
			expect(await chain().value(`contact import ${file}`)).toMatchObject({ changed: [], same: 1 });
			await chain().prints("contact remove gus");
		});

		it.concurrent.each<Refusal>([
			[`contact add ann ${bob}`, 2, { code: "bad_value" }],
			[`contact add ${ann} ${bob}`, 2, { code: "bad_value" }],
			["contact remove zoe", 1, { code: "not_found" }],
		])("refuses %s", async (line, exit, error) => {
			expect(await chain().fails(line, exit)).toMatchObject(error);
		});
	});
}
