import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NodeStart } from "../../src/commands/node/start.js";
import {
	type ChosenDevelopment,
	chooseDevelopment,
	DEVELOPMENT_FLAGS,
} from "../../src/launch/development-options.js";
import { prepareDevelopment } from "../../src/node/development/development.js";
import { markDevelopmentDirectory, readFounding } from "../../src/node/development/directory.js";

/** What these flags choose, on any free port. */
function chosen(flags: Readonly<Record<string, string>>): Promise<ChosenDevelopment> {
	const given: Readonly<Record<string, string>> = { port: "0", ...flags };
	return chooseDevelopment(
		(name) => given[name],
		[],
		() => {},
	);
}

describe("a development chain", () => {
	test("limits calls only when asked to", async () => {
		const limits = async (flags: Readonly<Record<string, string>>): Promise<boolean> =>
			prepareDevelopment((await chosen(flags)).options).config.rateLimiter.enabled;
		expect(await limits({})).toBe(false);
		expect(await limits({ "rate-limits": "true" })).toBe(true);
	});

	test("has a variable for each flag that a network refuses, the repeatable ones too", () => {
		const flags: Readonly<Record<string, { readonly env?: string }>> = NodeStart.flags;
		expect(DEVELOPMENT_FLAGS).toEqual(expect.arrayContaining(["parameter", "unlock"]));
		expect(DEVELOPMENT_FLAGS.filter((name) => !flags[name]?.env?.startsWith("COIN_DEV_"))).toEqual([]);
	});

	test("ends constant calls after the chain's time only when asked to, by flag or key", async () => {
		expect((await chosen({})).limitTime).toBe(false);
		expect((await chosen({ "vm-time-limit": "true" })).limitTime).toBe(true);
	});

	test("leaves the choice of a free port to the server that binds it", async () => {
		const { options } = await chosen({ "grpc-port": "0" });
		expect(options.ports).toEqual({ gateway: 0, grpc: 0 });
		const { rpc, http } = prepareDevelopment(options).config.node;
		expect([rpc.full, rpc.solidity.enabled, http.full.enabled]).toEqual([
			{ enabled: true, port: 0 },
			false,
			false,
		]);
	});

	test("has the rules of the main network unless another is named, and keeps them in its directory", async () => {
		const directory = mkdtempSync(join(tmpdir(), "coin-founding-"));
		try {
			expect(prepareDevelopment((await chosen({})).options).config.node.network).toBe("main");
			const { options } = await chosen({ network: "nile" });
			markDevelopmentDirectory(directory, "00", options);
			const again = await chooseDevelopment(
				(name) => (name === "port" ? "0" : undefined),
				[],
				() => {},
				[],
				readFounding(directory),
			);
			for (const each of [options, again.options])
				expect(prepareDevelopment(each).config.node.network).toBe("nile");
			await expect(chosen({ network: "other" })).rejects.toThrow("use main or nile");
		} finally {
			rmSync(directory, { recursive: true });
		}
	});
});
