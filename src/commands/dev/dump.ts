import { rename, writeFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { DevelopmentCommand, developmentFlags } from "../../terminal/base/development-command.js";
import { printJson } from "../../terminal/output/output.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord } from "../../wallet/json.js";

export default class DevDump extends DevelopmentCommand {
	static override summary = "Write the whole state of a development chain";
	static override description =
		"Without --out as one line of JSON, which dev load reads; with it the file that --load-state of node start reads.";
	static override flags = {
		...developmentFlags,
		out: Flags.string({ description: "file to write", helpValue: "<path>" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(DevDump);
		const dump = await this.ask(flags, "dev_dumpState", []);
		if (flags.out === undefined) return printJson(dump);
		const data = isRecord(dump) ? dump["data"] : undefined;
		if (typeof data !== "string") throw new Failure("rpc_error", "the node answered with no state");
		await writeFile(`${flags.out}.${process.pid}`, Buffer.from(data, "base64"));
		await rename(`${flags.out}.${process.pid}`, flags.out);
		this.note(`the state is in ${flags.out}`);
	}
}
