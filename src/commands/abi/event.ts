import { Args, Flags } from "@oclif/core";
import { decodeEvent } from "../../abi/log.js";
import { topicOf } from "../../abi/selector.js";
import { toHex } from "../../protocol/bytes.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { parseSignature } from "../../wallet/abi/signature.js";
import { Failure } from "../../wallet/failure.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";

export default class AbiEvent extends CoinCommand {
	static override summary = "Print the topic of an event, or decode a log of it";
	static override examples = [
		"<%= config.bin %> abi event 'Transfer(address indexed from,address indexed to,uint256 value)'",
		"<%= config.bin %> abi event 'Set(uint256 value)' --topic 0xdf7a95aebff315db1b7716215d602ab537373cdb769232aae6055c06e798425b --data 0x0000000000000000000000000000000000000000000000000000000000000007",
	];
	static override args = {
		signature: Args.string({ description: "the event", required: true, ignoreStdin: true }),
	};
	static override flags = {
		topic: Flags.string({
			description: "topics of the log, the event's own first; repeatable",
			helpValue: "<0x…>",
			multiple: true,
			multipleNonGreedy: true,
		}),
		data: Flags.string({ description: "data of the log", helpValue: "<0x…>" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(AbiEvent);
		const event = parseSignature(args.signature, "event");
		if (flags.topic === undefined && flags.data === undefined) {
			return this.printScalar(`0x${toHex(topicOf(event))}`);
		}
		const decoded = await decodeEvent(event, {
			topics: (flags.topic ?? []).map(parseHexBytes),
			data: parseHexBytes(flags.data ?? ""),
		});
		if (!decoded) throw new Failure("bad_value", "the log doesn't fit the event");
		this.printRecord(decoded);
	}
}
