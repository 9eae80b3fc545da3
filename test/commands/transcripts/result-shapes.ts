import { describe, expect, it } from "vitest";
import type { DevelopmentChain } from "../development-chain.js";

/** The part of JSON Schema that the shapes of results use. */
interface Schema {
	readonly type?: string;
	readonly pattern?: string;
	readonly items?: Schema;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly additionalProperties?: Schema;
	readonly anyOf?: readonly Schema[];
}

/** What in a value isn't as the schema says; members that it doesn't name count too. */
function misfits(value: unknown, schema: Schema, place = "$"): string[] {
	if (schema.anyOf) {
		const all = schema.anyOf.map((option) => misfits(value, option, place));
		return all.some((found) => found.length === 0) ? [] : all.flat();
	}
	if (schema.type === undefined) return [];
	const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
	const isKind = kind === schema.type || (schema.type === "integer" && Number.isInteger(value));
	if (!isKind) return [`${place} is ${kind}, not ${schema.type}`];
	if (schema.pattern && !new RegExp(schema.pattern).test(value as string))
		return [`${place} is ${String(value)}`];
	if (Array.isArray(value)) {
		return value.flatMap((item, index) => misfits(item, schema.items ?? {}, `${place}[${index}]`));
	}
	if (kind !== "object") return [];
	const members = value as Readonly<Record<string, unknown>>;
	const missing = (schema.required ?? []).filter((name) => !(name in members));
	return [
		...missing.map((name) => `${place}.${name} is missing`),
		...Object.entries(members).flatMap(([name, member]) => {
			const known = schema.properties?.[name] ?? schema.additionalProperties;
			return known ? misfits(member, known, `${place}.${name}`) : [`${place}.${name} is in no schema`];
		}),
	];
}

/** Comes after topics that voted, proposed and staked. */
export function resultShapeTranscripts(chain: () => DevelopmentChain): void {
	describe("results are what --json-schema says", () => {
		it("or the difference is told", () => {
			const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a", "b"] };
			expect(misfits({ a: 1, c: 2 }, schema)).toEqual([
				"$.b is missing",
				"$.a is number, not string",
				"$.c is in no schema",
			]);
		});

		it.each([
			"account show ann",
			"account show producer --raw",
			"account show carol",
			"account resources ann",
			"account balance ann",
			"account delegated ann",
			"block show 1",
			"block show 2 --receipts",
			"contract show TWer2Ygk5TEheHp3TPuYeqxmB6SsGZmaL6 --or-null",
			"stake show carol",
			"stake list carol",
			"vote show carol",
			"reward show producer",
			"witness list",
			"witness show producer",
			"witness show ann --or-null",
			"proposal list",
			"proposal show 1",
			"token list",
			"tx pending",
		])("coin %s", async (line) => {
			const words = line.split(" ").slice(0, 2).join(" ");
			const { properties } = JSON.parse(await chain().prints(`${words} --json-schema`)) as {
				properties: { result?: Schema; resultLine?: Schema };
			};
			const schema = properties.result ?? properties.resultLine;
			expect(schema).toBeDefined();
			const values = await chain().values(line);
			expect(values.flatMap((value) => misfits(value, schema as Schema))).toEqual([]);
		});

		it("coin tx show, receipt and status", async () => {
			const { txID } = (await chain().acts("stake freeze 3coin --for energy --from ann")) as { txID: string };
			for (const words of ["tx show", "tx receipt", "tx status", "tx wait"]) {
				const { properties } = JSON.parse(await chain().prints(`${words} --json-schema`)) as {
					properties: { resultLine: Schema };
				};
				expect(misfits(await chain().value(`${words} ${txID}`), properties.resultLine)).toEqual([]);
			}
		});
	});
}
