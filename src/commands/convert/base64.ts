import { toHex } from "../../protocol/bytes.js";
import { ConvertCommand, valueArgument } from "../../terminal/base/convert-command.js";
import { Failure } from "../../wallet/failure.js";
import { parseHexBytes, shorten } from "../../wallet/values/bytes-text.js";

export default class ConvertBase64 extends ConvertCommand {
	static override summary = "Convert hex with 0x to Base64, and Base64 to hex";
	static override examples = [
		"<%= config.bin %> convert base64 0x68656c6c6f",
		"<%= config.bin %> convert base64 aGVsbG8=",
	];
	static override args = valueArgument;

	async run(): Promise<void> {
		const { args } = await this.parse(ConvertBase64);
		await this.convertAll(args.value, (value) => {
			const text = value.trim();
			if (/^0x/i.test(text)) return { text: Buffer.from(parseHexBytes(text)).toString("base64") };
			const bytes = Buffer.from(text, "base64");
			if (bytes.toString("base64").replace(/=+$/, "") !== text.replace(/=+$/, "")) {
				throw new Failure("bad_value", `"${shorten(value)}" is neither Base64 nor hex with 0x`);
			}
			return { text: `0x${toHex(bytes)}` };
		});
	}
}
