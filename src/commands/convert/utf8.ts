import { ConvertCommand, valueArgument } from "../../terminal/base/convert-command.js";
import { Failure } from "../../wallet/failure.js";
import { parseHexBytes, shorten } from "../../wallet/values/bytes-text.js";

export default class ConvertUtf8 extends ConvertCommand {
	static override summary = "Convert hex to the text that its bytes spell";
	static override examples = ["<%= config.bin %> convert utf8 0x68656c6c6f"];
	static override args = valueArgument;

	async run(): Promise<void> {
		const { args } = await this.parse(ConvertUtf8);
		await this.convertAll(args.value, (value) => {
			const bytes = parseHexBytes(value);
			try {
				return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
			} catch {
				throw new Failure("bad_value", `the bytes of "${shorten(value)}" are not UTF-8 text`);
			}
		});
	}
}
