import { expect, test } from "vitest";
import { commandSchema } from "../../../src/terminal/schema/command-schema.js";
import {
	either,
	lines,
	list,
	map,
	one,
	orNull,
	record,
	schemaOf,
} from "../../../src/terminal/schema/result-shape.js";

test("a shape's schema tells members that may be absent, lists, maps and choices", () => {
	const shape = record({ id: "int64", "name?": "text", parts: list("hex"), tokens: map("int64") });
	expect(schemaOf(shape)).toEqual({
		type: "object",
		properties: {
			id: { type: "string", pattern: "^-?[0-9]+$" },
			name: { type: "string" },
			parts: { type: "array", items: { type: "string", pattern: "^(0x)?([0-9a-f]{2})*$" } },
			tokens: { type: "object", additionalProperties: { type: "string", pattern: "^-?[0-9]+$" } },
		},
		required: ["id", "parts", "tokens"],
	});
	expect(orNull("boolean")).toEqual(one(either("boolean", "null")));
	expect(schemaOf(orNull("boolean").shape)).toEqual({ anyOf: [{ type: "boolean" }, { type: "null" }] });
});

const command = {
	id: "chain:import",
	summary: "Import",
	strict: true,
	args: { file: { name: "file", required: true, description: "a file" } },
	flags: {
		mode: { name: "mode", type: "option", options: ["a", "b"], default: "a", env: "COIN_MODE" },
		names: { name: "names", type: "option", multiple: true, required: true },
		fast: { name: "fast", type: "boolean", default: false },
		secret: { name: "secret", type: "boolean", hidden: true },
	},
} as const;

test("a command's schema has its words, its visible flags and what it prints", () => {
	const described = commandSchema(command, one("text"));
	expect(described).toMatchObject({
		title: "coin chain import",
		properties: {
			arguments: { required: ["file"], additionalProperties: false },
			flags: {
				properties: {
					mode: { type: "string", enum: ["a", "b"], default: "a", environment: "COIN_MODE" },
					names: { type: "array", items: { type: "string" } },
					fast: { type: "boolean" },
				},
				required: ["names"],
			},
			result: { type: "string" },
			error: { properties: { code: { exitCodes: { usage: 2 } } } },
		},
	});
	expect(JSON.stringify(described)).not.toContain("secret");
	const loose = commandSchema({ ...command, strict: false }, lines("text"));
	expect(loose).toMatchObject({
		properties: { arguments: { additionalProperties: true }, resultLine: { type: "string" } },
	});
	expect(commandSchema(command, undefined)).not.toHaveProperty("properties.result");
});
