import { agentAt } from "../../keystore/agent/client.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { AGENT_VARIABLE } from "../../terminal/keys/agent-signature.js";
import { one } from "../../terminal/schema/result-shape.js";

export default class KeystoreLock extends CoinCommand {
	static override summary = "Have the agent forget its keys and end";
	static override description =
		"Prints whether there was one: true or false under --json. The agent is the one that COIN_AGENT names.";
	static override examples = ["<%= config.bin %> keystore lock"];
	static override result = one("boolean");

	async run(): Promise<void> {
		await this.parse(KeystoreLock);
		const socketPath = process.env[AGENT_VARIABLE];
		const isLocked = socketPath ? ((await agentAt(socketPath)?.lock()) ?? false) : false;
		this.printOutcome(
			isLocked,
			isLocked ? "the agent has forgotten its keys and ended" : absence(socketPath),
		);
	}
}

function absence(socketPath: string | undefined): string {
	return socketPath
		? `no agent is running at ${socketPath}: nothing to lock`
		: `${AGENT_VARIABLE} names no agent: nothing to lock`;
}
