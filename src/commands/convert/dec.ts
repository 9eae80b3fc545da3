import { ConvertCommand, valueArgument } from "../../terminal/base/convert-command.js";
import { Failure } from "../../wallet/failure.js";
import { shorten } from "../../wallet/values/bytes-text.js";

export default class ConvertDec extends ConvertCommand {
	static override summary = "Convert a hex integer to decimal";
	static override examples = ["<%= config.bin %> convert dec 0xff"];
	static override args = valueArgument;

	async run(): Promise<void> {
		const { args } = await this.parse(ConvertDec);
		await this.convertAll(args.value, (value) => {
			const digits = value.trim().replace(/^0x/i, "");
			if (!/^[0-9a-fA-F]+$/.test(digits))
				throw new Failure("bad_value", `"${shorten(value)}" is not hexadecimal`);
			return { text: BigInt(`0x${digits}`).toString() };
		});
	}
}
