import { readFile } from "node:fs/promises";
import { Args } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { argumentOrStdin } from "../../terminal/input/stdin.js";
import { Failure } from "../../wallet/failure.js";

export default class DevLoad extends DevelopmentCommand {
	static override summary = "Replace the whole state of a development chain by a dumped one";
	static override args = {
		file: Args.string({
			description: "what dev dump printed or wrote; - for standard input",
			required: true,
			ignoreStdin: true,
		}),
	};
	static override flags = developmentFlags;

	async run(): Promise<void> {
		const { args, flags } = await this.parse(DevLoad);
		const data = args.file === "-" ? await this.piped() : (await read(args.file)).toString("base64");
		this.printDone(
			await this.change(flags, "dev_loadState", [data]),
			"the dumped state is the chain's; its snapshots are gone",
		);
	}

	private async piped(): Promise<string> {
		const input = await argumentOrStdin("-", "the state", false);
		const text = input?.text ?? "";
		if (!text.trim().startsWith("{"))
			throw new Failure("bad_value", "standard input holds no dump: pipe what dev dump prints");
		return Buffer.from(text.trim()).toString("base64");
	}
}

async function read(path: string): Promise<Buffer> {
	try {
		return await readFile(path);
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new Failure("bad_value", `${path} can't be read (${code ?? "unknown error"})`);
	}
}
