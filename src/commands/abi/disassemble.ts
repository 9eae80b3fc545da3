import { Args } from "@oclif/core";
import { AbiCommand } from "../../terminal/base/abi-command.js";
import { printJson, printLine } from "../../terminal/output/output.js";

export default class AbiDisassemble extends AbiCommand {
	static override summary = "Print code as its operations";
	static override examples = ["<%= config.bin %> contract code store | <%= config.bin %> abi disassemble"];
	static override args = {
		code: Args.string({ description: "the code: 0x…, - or none for standard input", ignoreStdin: true }),
	};

	async run(): Promise<void> {
		const { args } = await this.parse(AbiDisassemble);
		const code = await this.bytesArgument(args.code, "code");
		const { disassemble } = await import("../../node/vm/disassembler.js");
		for (const { pc, name, byte, operand } of disassemble(code)) {
			const op = name === "INVALID" ? `INVALID(0x${byte.toString(16).padStart(2, "0")})` : name;
			const shown = operand === undefined ? undefined : `0x${operand}`;
			if (this.json) printJson({ pc, op, operand: shown });
			else printLine(`${pc.toString(16).padStart(4, "0")}  ${op}${shown === undefined ? "" : ` ${shown}`}`);
		}
	}
}
