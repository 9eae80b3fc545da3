import { describe, expect, test } from "vitest";
import {
	type DeclaredType,
	flag,
	integer,
	list,
	record,
	since,
	TypeMismatch,
	text,
} from "../../../../src/node/api/jsonrpc/declared-types.js";
import { readRawJson } from "../../../../src/node/api/jsonrpc/json-reader.js";
import type { Release } from "../../../../src/node/rules/release.js";

const MISMATCH = Symbol("mismatch");

function read(type: DeclaredType<unknown>, json: string, release: Release = "4.8.0"): unknown {
	try {
		return type.read(readRawJson(json), release);
	} catch (error) {
		if (error instanceof TypeMismatch) return MISMATCH;
		throw error;
	}
}

const filter = record({ from: text, visible: flag, later: since("4.8.2", text) });

test("a member of a later release is none of an earlier one", () => {
	expect(read(filter, '{"later":5}', "4.8.1")).toBe(MISMATCH);
	expect(read(filter, '{"later":5}', "4.8.2")).toEqual({ later: "5" });
});

describe("a declared type", () => {
	test.each<[string, DeclaredType<unknown>, string, unknown]>([
		["text", text, '"x"', "x"],
		["text", text, "null", null],
		["text", text, "5", "5"],
		["text", text, "-0", "0"],
		["text", text, "99999999999999999999", "99999999999999999999"],
		["text", text, "true", "true"],
		["text", text, "1.5", "1.5"],
		["text", text, "1e2", "100.0"],
		["text", text, "1e7", "1.0E7"],
		["text", text, "0.00012", "1.2E-4"],
		["text", text, "{}", MISMATCH],
		["text", text, "[]", MISMATCH],
		["flag", flag, "true", true],
		["flag", flag, '"TRUE"', true],
		["flag", flag, '"false"', false],
		["flag", flag, "0", false],
		["flag", flag, "-3", true],
		["flag", flag, "null", null],
		["flag", flag, '""', null],
		["flag", flag, '"x"', MISMATCH],
		["flag", flag, "{}", MISMATCH],
		["int64", integer(64), "5", 5n],
		["int64", integer(64), '"-7"', -7n],
		["int64", integer(64), "5.9", 5n],
		["int64", integer(64), "9223372036854775807", 9223372036854775807n],
		["int64", integer(64), "9223372036854775808", MISMATCH],
		["int64", integer(64), '"0x5"', MISMATCH],
		["int64", integer(64), '""', null],
		["int64", integer(64), "null", null],
		["int64", integer(64), "true", MISMATCH],
		["int32", integer(32), "2147483648", MISMATCH],
		["list", list, '["a",null]', ["a", null]],
		["list", list, '"a"', ["a"]],
		["list", list, "null", null],
		["record", filter, '{"from":5,"visible":"true"}', { from: "5", visible: true }],
		["record", filter, '{"from":null}', { from: null }],
		["record", filter, "{}", {}],
		["record", filter, "null", null],
		["record", filter, '{"nosuch":1}', MISMATCH],
		["record", filter, '{"from":{}}', MISMATCH],
		["record", filter, "[]", MISMATCH],
		["record", filter, '"x"', MISMATCH],
	])("%s reads the right value of its kind of JSON", (_name, type, json, expected) => {
		expect(read(type, json)).toEqual(expected);
	});
});
