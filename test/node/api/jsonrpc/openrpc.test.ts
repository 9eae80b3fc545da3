import { expect, test } from "vitest";
import { methods, methodsByName } from "../../../../src/node/api/jsonrpc/method-table.js";
import { openRpcDocument } from "../../../../src/node/api/jsonrpc/openrpc.js";
import { RELEASES } from "../../../../src/node/rules/release.js";

interface Document {
	readonly methods: readonly {
		readonly name: string;
		readonly params: readonly {
			readonly name: string;
			readonly required: boolean;
			readonly schema: object;
		}[];
	}[];
}

const documented = (release: (typeof RELEASES)[number], lenient: boolean, simulate = false): Document =>
	openRpcDocument(
		[...new Set(methodsByName(release, { lenient, simulate }).values())],
		release,
	) as unknown as Document;

test.each(
	RELEASES.flatMap((release) =>
		[true, false].flatMap((lenient) => [true, false].map((simulate) => ({ release, lenient, simulate }))),
	),
)(
	"every method of $release is in the document once, with its parameters (lenient: $lenient, simulate: $simulate)",
	({ release, lenient, simulate }) => {
		const document = documented(release, lenient, simulate);
		const names = document.methods.map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
		for (const [name, { parameters }] of methodsByName(release, { lenient, simulate })) {
			const method = document.methods.find((one) => one.name === name);
			// Second names are told in the sentence of the first.
			if (method) expect(method.params.map((one) => one.name)).toEqual(parameters.map((one) => one.name));
			else expect(methods.some(({ alias }) => alias === name)).toBe(true);
		}
	},
);

test("parameters that may be missing are not required, and objects name their members", () => {
	const { methods: all } = documented(RELEASES[RELEASES.length - 1] as (typeof RELEASES)[number], false);
	const subscribe = all.find(({ name }) => name === "eth_subscribe");
	expect(subscribe?.params.map(({ required }) => required)).toEqual([true, false]);
	const logs = all.find(({ name }) => name === "eth_getLogs");
	expect(logs?.params[0]?.schema).toMatchObject({
		type: "object",
		properties: { address: {}, topics: {}, fromBlock: {} },
	});
});

test("a type that nobody described is a fault", () => {
	const method = {
		name: "x",
		alias: undefined,
		about: "",
		parameters: [{ name: "a", type: "int7" }],
		call: () => null,
	};
	expect(() => openRpcDocument([method], "4.8.2")).toThrow("no schema for the type int7");
});
