/** Every transaction type that the chain executes without the contract machine, by its name in the table. */

import { accountCreate } from "./account-create.js";
import { accountPermissionUpdate } from "./account-permission-update.js";
import { accountUpdate } from "./account-update.js";
import type { ContractModule } from "./contract.js";
import { proposalApprove } from "./proposal-approve.js";
import { proposalCreate } from "./proposal-create.js";
import { proposalDelete } from "./proposal-delete.js";
import { setAccountId } from "./set-account-id.js";
import { transfer } from "./transfer.js";

const modules: readonly ContractModule[] = [
	accountCreate,
	transfer,
	accountUpdate,
	proposalCreate,
	proposalApprove,
	proposalDelete,
	setAccountId,
	accountPermissionUpdate,
];

const byType = new Map(modules.map((module) => [module.type, module]));

/** The module of a contract type, undefined if this node doesn't execute the type. */
export function contractModule(typeName: string): ContractModule | undefined {
	return byType.get(typeName);
}
