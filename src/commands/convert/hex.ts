import { Flags } from "@oclif/core";
import { toHex, utf8 } from "../../protocol/bytes.js";
import { ConvertCommand, valueArgument } from "../../terminal/base/convert-command.js";

export default class ConvertHex extends ConvertCommand {
	static override summary = "Convert a decimal integer or a text to hex";
	static override examples = ["<%= config.bin %> convert hex 255", "<%= config.bin %> convert hex hello"];
	static override args = valueArgument;
	static override flags = {
		utf8: Flags.boolean({ description: "take the value as text even if it is an integer" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ConvertHex);
		await this.convertAll(args.value, (value) => {
			const integer = !flags.utf8 && /^\d+$/.test(value.trim());
			return { text: `0x${integer ? BigInt(value.trim()).toString(16) : toHex(utf8(value))}` };
		});
	}
}
