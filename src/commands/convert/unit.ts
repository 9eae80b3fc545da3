import { Flags } from "@oclif/core";
import { ConvertCommand, valueArgument } from "../../terminal/base/convert-command.js";
import { formatCoin, formatDecimal, parseCoinAmount } from "../../wallet/values/amount.js";

export default class ConvertUnit extends ConvertCommand {
	static override summary = "Convert an amount between coins and sun";
	static override description =
		"Coins become sun and sun become coins, unless --to says otherwise. --json prints the number alone.";
	static override examples = [
		"<%= config.bin %> convert unit 12.5coin",
		"<%= config.bin %> convert unit 12500000sun",
	];
	static override args = valueArgument;
	static override flags = {
		to: Flags.option({ options: ["coin", "sun"] as const, description: "unit to print" })(),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ConvertUnit);
		await this.convertAll(args.value, (value) => {
			const sun = parseCoinAmount(value);
			const toCoin = flags.to === undefined ? /sun$/i.test(value.trim()) : flags.to === "coin";
			return toCoin
				? { text: formatCoin(sun), json: formatDecimal(sun, 6) }
				: { text: `${sun}sun`, json: sun.toString() };
		});
	}
}
