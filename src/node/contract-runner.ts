/** The contract machine as the chain calls it: settings from the configuration, undo from the state. */

import type { MachineRunner } from "./chain/execution.js";
import type { NodeConfig } from "./config/config.js";
import { VmIllegalError } from "./contracts/errors.js";

export function runContract(_config: NodeConfig): MachineRunner {
	return (_environment, transaction) => {
		throw new VmIllegalError(`${transaction.type?.name} needs the contract machine`);
	};
}
