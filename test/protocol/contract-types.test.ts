import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { contractModule } from "../../src/node/contracts/modules.js";
import { toHex } from "../../src/protocol/bytes.js";
import { contractTypes, operationsMask, typesGrantedBy } from "../../src/protocol/contract-types.js";

const TABLE = join("src", "protocol", "contract-types.ts");
const names = contractTypes.map(({ name }) => name);

/** What is no list of types: rules that differ for each, under the type's name and checked by the compiler. */
const RULES = [
	// By message, those inside of other messages too.
	join("src", "protocol", "json", "byte-fields.ts"),
	// One function a type.
	join("src", "node", "api", "jsonrpc", "contract-facts.ts"),
];

/** Literals in brackets or braces, without inner ones, that hold three or more names of contract types. */
function copies(text: string): string[] {
	const plain = text.replace(/^\s*(\/?\*|\/\/).*$/gm, "");
	const isName = new RegExp(`(["'])(${names.join("|")})\\1|^\\s*(${names.join("|")}):`, "gm");
	const found: string[] = [];
	// The innermost first: what is left in their place counts for the outer one.
	for (let rest = plain; ; ) {
		const inner = /[[{][^[\]{}]*[\]}]/.exec(rest);
		if (!inner) return found;
		const held = inner[0].match(isName) ?? [];
		const isCode = /[;]|=>/.test(inner[0]);
		if (held.length >= 3 && !isCode) found.push(inner[0]);
		rest = rest.replace(inner[0], () => (isCode || held.length >= 3 ? "" : held.join(",")));
	}
}

describe("the table of contract types", () => {
	it("is not copied: no other literal lists three or more of its names", () => {
		const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
			.filter((path) => path.endsWith(".ts") && !path.includes("generated"))
			.map((path) => join("src", path))
			.filter((path) => path !== TABLE && !RULES.includes(path));
		expect(sources.length).toBeGreaterThan(700);
		expect(sources.filter((path) => copies(readFileSync(path, "utf8")).length > 0)).toEqual([]);
	});

	it.each([
		'const a = ["TransferContract", "VoteWitnessContract", "AssetIssueContract"];',
		"const a = {\n\tTransferContract: 1,\n\tVoteWitnessContract: 2,\n\tAssetIssueContract: 3,\n};",
		'const a = [["TransferContract", 1], ["VoteWitnessContract", 2], ["AssetIssueContract", 3]];',
		'const a = [{ t: "TransferContract" }, { t: "VoteWitnessContract" }, { t: "AssetIssueContract" }];',
	])("would be found copied in %j", (text) => {
		expect(copies(text)).not.toEqual([]);
	});

	it("gives the network's masks of operations", () => {
		const first = operationsMask(({ granted }) => granted === "genesis");
		const latest = operationsMask(({ granted }) => granted !== undefined);
		expect(toHex(first)).toBe(`7fff1fc0033e${"00".repeat(26)}`);
		expect(toHex(latest)).toBe(`7fff1fc0037ef30f${"00".repeat(24)}`);
		expect(typesGrantedBy(70)).toEqual([54, 55, 56, 57, 58]);
	});

	it("says of each type with a message who executes it: a module, or the machine", () => {
		for (const { name, message, handler } of contractTypes) {
			expect(handler !== undefined, name).toBe(message !== undefined);
			expect(contractModule(name) !== undefined, name).toBe(
				handler !== undefined && handler !== "VMActuator",
			);
		}
	});
});
