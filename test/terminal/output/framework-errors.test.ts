import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command, Config, Flags, Help } from "@oclif/core";
import { afterAll, describe, expect, it } from "vitest";
import {
	isAboutWords,
	isFrameworkError,
	isUnknownCommand,
	plainMessage,
	surplusArgument,
	unknownFlag,
} from "../../../src/terminal/output/framework-errors.js";

class Probe extends Command {
	static override flags = { json: Flags.boolean(), size: Flags.integer() };

	/** Runs as a command line does. */
	go(): Promise<unknown> {
		return this._run();
	}

	async run(): Promise<void> {
		await this.parse(Probe);
	}

	protected override async catch(error: Error): Promise<never> {
		throw error;
	}
}

/** A program of its own: the framework reads the commands of this one from its build. */
const program = mkdtempSync(join(tmpdir(), "coin-framework-"));
writeFileSync(
	join(program, "package.json"),
	JSON.stringify({ name: "probe", version: "1.0.0", oclif: { bin: "probe" } }),
);
afterAll(() => rmSync(program, { recursive: true }));

/** What the framework throws at a command line. */
async function thrownBy(words: readonly string[]): Promise<unknown> {
	const config = await Config.load(program);
	return new Probe([...words], config).go().then(
		() => undefined,
		(error: unknown) => error,
	);
}

describe("errors of the framework", () => {
	it("name the flag that a command doesn't have", async () => {
		const error = await thrownBy(["--jsno", "--size", "4"]);
		expect(isFrameworkError(error)).toBe(true);
		expect(unknownFlag(error)).toBe("--jsno");
		expect(isUnknownCommand(error)).toBe(false);
	});

	it("name the argument that is one too many", async () => {
		expect(surplusArgument(await thrownBy(["one", "two"]))).toBe("one");
		expect(surplusArgument(await thrownBy(["--jsno"]))).toBeUndefined();
	});

	it("name no flag where another word is wrong", async () => {
		const error = await thrownBy(["--size", "big"]);
		expect(isFrameworkError(error)).toBe(true);
		expect(unknownFlag(error)).toBeUndefined();
	});

	it("say that there is no such command", async () => {
		const config = await Config.load(program);
		const error = await config.runCommand("no:such").catch((thrown: unknown) => thrown);
		expect(isUnknownCommand(error)).toBe(true);
	});

	it("say it of help, too", async () => {
		const help = new Help(await Config.load(program));
		const error = await help.showHelp(["no", "such"]).catch((thrown: unknown) => thrown);
		expect(isUnknownCommand(error)).toBe(true);
	});

	it("are not other errors", () => {
		expect(isFrameworkError(new Error("command x not found"))).toBe(false);
		expect(unknownFlag(Object.assign(new Error(), { flags: ["--x"] }))).toBeUndefined();
		expect(isUnknownCommand(new Error("command x not found"))).toBe(false);
	});
});

describe("the parser's refusals", () => {
	it("are told apart where there are several", () => {
		const message =
			"The following errors occurred:\n  Missing required flag name\n  Missing required flag end\nSee more help with --help";
		expect(plainMessage(message)).toBe("--name is missing; --end is missing");
		expect(
			["--name is missing", "Unexpected argument: 5coin", "Flag --x expects a value"].map(isAboutWords),
		).toEqual([true, true, false]);
		expect(plainMessage("Missing 1 required arg:\namount  how much")).toBe(
			"Missing 1 required arg: amount  how much",
		);
	});
});
