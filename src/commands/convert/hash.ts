import { Flags } from "@oclif/core";
import { toHex, utf8 } from "../../protocol/bytes.js";
import { keccak256, sha256 } from "../../protocol/hash.js";
import { ConvertCommand, valueArgument } from "../../terminal/base/convert-command.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";

export default class ConvertHash extends ConvertCommand {
	static override summary = "Hash bytes (hex with 0x) or a text";
	static override examples = ["<%= config.bin %> convert hash 'transfer(address,uint256)'"];
	static override args = valueArgument;
	static override flags = {
		keccak: Flags.boolean({ description: "Keccak-256 (default)", exclusive: ["sha256"] }),
		sha256: Flags.boolean({ description: "SHA-256" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ConvertHash);
		await this.convertAll(args.value, (value) => {
			const bytes = /^0x/i.test(value) ? parseHexBytes(value) : utf8(value);
			return { text: `0x${toHex(flags.sha256 ? sha256(bytes) : keccak256(bytes))}` };
		});
	}
}
